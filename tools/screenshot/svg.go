package main

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Sizes in pixels. A cell is as wide as most monospaced fonts are at this size;
// textLength makes the others fit.
const (
	fontSize   = 14.0
	cellWidth  = 8.4
	cellHeight = 18.0
	baseline   = 13.5 // of a line, from its top
	padding    = 16.0
	titleBar   = 32.0
	corner     = 8.0
)

const fonts = `ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace`

// draw writes the frames as an SVG: a window with a title bar and the screen in it. More
// than one frame is an animation that repeats.
func draw(out io.Writer, frames []frame, title string, p palette) {
	columns, lines := 0, 0
	for _, f := range frames {
		columns, lines = max(columns, f.screen.columns), max(lines, len(f.screen.lines))
	}
	width := 2*padding + float64(columns)*cellWidth
	height := titleBar + padding + float64(lines)*cellHeight + padding/2
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(out, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(out, `<rect width="%.0f" height="%.0f" rx="%.0f" fill="%s"/>`+"\n", width, height, corner,
		hex(p.background))
	fmt.Fprintf(out, `<path d="M0 %.0fV%.0fa%.0f %.0f 0 0 1 %.0f -%.0fH%.0fa%.0f %.0f 0 0 1 %.0f %.0fV%.0fz" fill="%s"/>`+"\n",
		titleBar, corner, corner, corner, corner, corner, width-corner, corner, corner, corner, corner, titleBar,
		hex(p.frame))
	for i, dot := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(out, `<circle cx="%.0f" cy="%.0f" r="5.5" fill="%s"/>`+"\n", 20+20*float64(i), titleBar/2, dot)
	}
	fmt.Fprintf(out, `<g font-family="%s" font-size="%.0f">`+"\n", fonts, fontSize)
	fmt.Fprintf(out, `<text x="%.0f" y="%.1f" text-anchor="middle" font-size="13" fill="%s">%s</text>`+"\n",
		width/2, titleBar/2+4.5, hex(mix(p.foreground, p.frame)), html.EscapeString(title))
	drawFilm(out, frames, width, p)
	fmt.Fprint(out, "</g>\n</svg>\n")
}

func top(row int) float64 { return titleBar + padding/2 + float64(row)*cellHeight }

// drawRow draws a line of the screen where the first one is: backgrounds first, then the
// text in runs of one style.
func drawRow(cells []cell, p palette) string {
	var out strings.Builder
	drawBackgrounds(&out, cells, p)
	drawText(&out, cells, p)
	return out.String()
}

// drawBackgrounds draws one rectangle per stretch of one colour.
func drawBackgrounds(out io.Writer, cells []cell, p palette) {
	for start := 0; start < len(cells); {
		_, colour, drawn := p.colours(cells[start].style)
		end := start + 1
		for ; end < len(cells); end++ {
			if _, next, _ := p.colours(cells[end].style); next != colour {
				break
			}
		}
		if drawn {
			fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" shape-rendering="crispEdges"/>`+"\n",
				padding+float64(start)*cellWidth, top(0), float64(end-start)*cellWidth, cellHeight, hex(colour))
		}
		start = end
	}
}

// drawText draws runs of one style, up to the next gap. ASCII and other
// characters are in runs of their own: symbols may come from another font, whose
// width is not to push the words aside. Blanks need drawing only where they are
// underlined.
func drawText(out io.Writer, cells []cell, p palette) {
	for start := 0; start < len(cells); {
		if cells[start].blank() {
			start++
			continue
		}
		end := start + 1
		for end < len(cells) && cells[end].style == cells[start].style && cells[end].ascii() == cells[start].ascii() &&
			!(cells[end].blank() && cells[end-1].blank()) {
			end++
		}
		last := end
		for cells[last-1].blank() {
			last--
		}
		writeRun(out, cells[start:last], start, p)
		start = end
	}
}

func (c cell) ascii() bool { return len(c.text) == 1 }

func (c cell) blank() bool {
	return (c.text == " " || c.text == "") && !c.style.underline && !c.style.strike
}

func writeRun(out io.Writer, cells []cell, column int, p palette) {
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.text)
	}
	look := cells[0].style
	foreground, _, _ := p.colours(look)
	attributes := fmt.Sprintf(` fill="%s"`, hex(foreground))
	if look.bold {
		attributes += ` font-weight="700"`
	}
	if look.italic {
		attributes += ` font-style="italic"`
	}
	var lines []string
	if look.underline {
		lines = append(lines, "underline")
	}
	if look.strike {
		lines = append(lines, "line-through")
	}
	if len(lines) > 0 {
		attributes += fmt.Sprintf(` text-decoration="%s"`, strings.Join(lines, " "))
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
		padding+float64(column)*cellWidth, top(0)+baseline, float64(len(cells))*cellWidth, attributes,
		html.EscapeString(text.String()))
}
