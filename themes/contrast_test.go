package themes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
)

// rgb is a colour in linear light, each part from 0 to 1.
type rgb [3]float64

func parseHex(t *testing.T, colour string) rgb {
	t.Helper()
	if !hexColour.MatchString(colour) {
		t.Fatalf("%q depends on the terminal's palette, its contrast is not known", colour)
	}
	var out rgb
	for i := range out {
		part, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = linear(float64(part) / 255)
	}
	return out
}

// linear undoes the sRGB curve.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func luminance(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the ratio of WCAG 2.
func contrast(a, b rgb) float64 {
	high, low := max(luminance(a), luminance(b)), min(luminance(a), luminance(b))
	return (high + 0.05) / (low + 0.05)
}

// backgrounds are those that terminals really have: not only pure ones.
var backgrounds = map[bool][]string{
	true:  {"#000000", "#1e1e1e", "#002b36"},
	false: {"#ffffff", "#fafafa", "#f5f0e1"},
}

// decoration is no text: 3 to 1 is what WCAG asks for graphics.
var decoration = []Token{Rule, BarEmpty, BarFull, BarWarning}

func TestContrastOfExplicitColours(t *testing.T) {
	for name, least := range map[string]float64{"high-contrast": 7, "colour-blind": 4.5, "deuteranopia": 4.5, "tritanopia": 4.5} {
		theme, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, dark := range []bool{true, false} {
			for _, token := range tokens {
				want := least
				if slices.Contains(decoration, token) {
					want = 3
				}
				checkContrast(t, fmt.Sprintf("%s, %s, dark=%v", name, token, dark), theme.Style(token, dark), backgrounds[dark], want)
			}
		}
	}
}

func checkContrast(t *testing.T, what string, style Style, behind []string, want float64) {
	t.Helper()
	if style.Foreground == "" && style.Background == "" {
		return // the terminal's own pair
	}
	if style.Background != "" {
		behind = []string{style.Background}
	}
	for _, background := range behind {
		got := contrast(parseHex(t, style.Foreground), parseHex(t, background))
		if got < want {
			t.Errorf("%s: %s on %s is %.2f to 1, want %.1f", what, style.Foreground, background, got, want)
		}
	}
}

func TestHighContrastLeavesNothingToTheTerminal(t *testing.T) {
	theme, err := Load("high-contrast", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		for _, dark := range []bool{true, false} {
			if theme.Style(token, dark).Foreground == "" {
				t.Errorf("%s, dark=%v has no foreground", token, dark)
			}
		}
	}
}

// visions show linear light as other eyes see it: Machado, Oliveira and
// Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency" (2009), severity 1.
var visions = map[string][3]rgb{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seenWith(vision [3]rgb, c rgb) rgb {
	var out rgb
	for i, row := range vision {
		out[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

// difference is the distance of two colours in CIE Lab (CIE76); 2.3 is just
// noticeable between areas side by side.
func difference(a, b rgb) float64 {
	x, y := lab(a), lab(b)
	return math.Sqrt(math.Pow(x[0]-y[0], 2) + math.Pow(x[1]-y[1], 2) + math.Pow(x[2]-y[2], 2))
}

func lab(c rgb) [3]float64 {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Thin letters have to be far from each other, far beyond what is just noticeable: further in a theme
// for one kind of eyes than in that for all.
func TestColourBlindThemesTellStatesApart(t *testing.T) {
	states := []Token{Good, Warning, Bad}
	for name, want := range map[string]struct {
		eyes  []string
		apart float64
	}{
		"colour-blind": {[]string{"protanopia", "deuteranopia", "tritanopia"}, 20},
		"deuteranopia": {[]string{"protanopia", "deuteranopia"}, 35},
		"tritanopia":   {[]string{"tritanopia"}, 55},
	} {
		theme, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, eyes := range want.eyes {
			for _, dark := range []bool{true, false} {
				for i, one := range states {
					for _, other := range states[i+1:] {
						a := seenWith(visions[eyes], parseHex(t, theme.Style(one, dark).Foreground))
						b := seenWith(visions[eyes], parseHex(t, theme.Style(other, dark).Foreground))
						if got := difference(a, b); got < want.apart {
							t.Errorf("%s with %s, dark=%v: %s and %s are %.1f apart, want %.0f", name, eyes, dark, one, other,
								got, want.apart)
						}
					}
				}
			}
		}
	}
}
