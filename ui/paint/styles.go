package paint

import (
	"image/color"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/kdrain-tui/kdrain-tui/themes"
)

// Palette gives tokens their look; themes.Theme is one.
type Palette interface {
	Style(token themes.Token, dark bool) themes.Style
}

// sgr is what switches a look on and off.
type sgr struct{ open, close string }

// Painter writes lines as text with escape codes. It is made once per theme
// and background: styles are rendered then, never per cell.
type Painter struct {
	palette Palette
	dark    bool
	noColor bool
	ascii   bool
	looks   map[look]sgr
}

// look is a meaning and where it stands.
type look struct {
	token   Token
	on, hit bool
}

// NewPainter makes a painter; without colour, weight and reverse video stay.
func NewPainter(p Palette, dark, noColor, ascii bool) *Painter {
	return &Painter{palette: p, dark: dark, noColor: noColor, ascii: ascii, looks: map[look]sgr{}}
}

func (p *Painter) look(s Span) sgr {
	l := look{s.Token, s.On, s.Hit}
	codes, ok := p.looks[l]
	if !ok {
		codes = p.render(l)
		p.looks[l] = codes
	}
	return codes
}

func (p *Painter) render(l look) sgr {
	style := p.palette.Style(l.token, p.dark)
	if p.noColor {
		style.Foreground, style.Background = "", ""
	}
	if l.on {
		style = p.selected(style)
	}
	if l.hit { // the colours stay: which others can be read on the row is not known
		style.Bold, style.Underline, style.Dim = true, true, false
	}
	open, closing, _ := strings.Cut(lipglossStyle(style).Render("x"), "x")
	return sgr{open, closing}
}

// selected puts the look of the selection over another. A selection in reverse
// video takes the colours over whole: reversed colours would shout. So does one with a
// colour of its own for text: which of the others can be read on it is not known.
func (p *Painter) selected(style themes.Style) themes.Style {
	selection := p.palette.Style(themes.Selection, p.dark)
	if p.noColor {
		selection.Foreground, selection.Background = "", ""
		selection.Reverse = true
	}
	if selection.Reverse {
		return selection
	}
	style.Background = selection.Background
	style.Dim = false
	style.Bold = style.Bold || selection.Bold
	style.Underline = style.Underline || selection.Underline
	if selection.Foreground != "" {
		style.Foreground, style.Reverse = selection.Foreground, false
	}
	return style
}

func lipglossStyle(s themes.Style) lipgloss.Style {
	style := lipgloss.NewStyle()
	if c := colorOf(s.Foreground); c != nil {
		style = style.Foreground(c)
	}
	if c := colorOf(s.Background); c != nil {
		style = style.Background(c)
	}
	if s.Bold {
		style = style.Bold(true)
	}
	if s.Dim {
		style = style.Faint(true)
	}
	if s.Italic {
		style = style.Italic(true)
	}
	if s.Underline {
		style = style.Underline(true)
	}
	if s.Reverse {
		style = style.Reverse(true)
	}
	return style
}

func colorOf(name string) color.Color {
	if name == "" || name == "default" {
		return nil
	}
	if n := slices.Index(themes.ColourNames(), name); n >= 0 {
		return lipgloss.Color(strconv.Itoa(n))
	}
	return lipgloss.Color(name)
}
