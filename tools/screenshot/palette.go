package main

import "fmt"

// palette is what a terminal makes of its own colours, as 0xrrggbb.
type palette struct {
	foreground, background, frame uint32
	named                         [16]uint32
}

var darkPalette = palette{
	foreground: 0xd4d8df, background: 0x15191f, frame: 0x232932,
	named: [16]uint32{
		0x2e3440, 0xf07178, 0x8fce72, 0xf2c66d, 0x6ea8fe, 0xd59df6, 0x5fd3d3, 0xd4d8df,
		0x6b7482, 0xff8f94, 0xa9e38f, 0xffd98a, 0x93c0ff, 0xe3b9ff, 0x86e6e6, 0xffffff,
	},
}

var lightPalette = palette{
	foreground: 0x24292f, background: 0xffffff, frame: 0xe9ecef,
	named: [16]uint32{
		0x24292f, 0xb3261e, 0x1a7f37, 0x8a6100, 0x0950b8, 0x8230b8, 0x13707d, 0x6e7781,
		0x57606a, 0xa40e26, 0x116329, 0x6f4e00, 0x0a3f99, 0x622594, 0x0d5660, 0x8c959f,
	},
}

// rgb is the colour as 0xrrggbb; plain stands for the terminal's own.
func (p palette) rgb(c colour, plain uint32) uint32 {
	switch {
	case c.kind == direct:
		return c.value
	case c.kind != numbered:
		return plain
	case c.value < 16:
		return p.named[c.value]
	case c.value >= 232: // greys
		return (8 + 10*(c.value-232)) * 0x010101
	}
	level := func(n uint32) uint32 { // of the cube of 6x6x6
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n := c.value - 16
	return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
}

// colours are those that a style comes down to; drawn says whether there is a
// background other than the terminal's.
func (p palette) colours(s style) (foreground, background uint32, drawn bool) {
	foreground, background = p.rgb(s.foreground, p.foreground), p.rgb(s.background, p.background)
	if s.reverse {
		foreground, background = background, foreground
	}
	if s.dim {
		foreground = mix(foreground, background)
	}
	if s.concealed {
		foreground = background
	}
	return foreground, background, background != p.background
}

// mix is what terminals make of dim: two parts of a colour, one of the other.
func mix(much, little uint32) uint32 {
	var out uint32
	for shift := 0; shift <= 16; shift += 8 {
		out |= (2*(much>>shift&0xff) + little>>shift&0xff) / 3 << shift
	}
	return out
}

func hex(rgb uint32) string { return fmt.Sprintf("#%06x", rgb) }
