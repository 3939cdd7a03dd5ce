package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
)

// Token is the meaning that a theme gives a look to.
type Token = themes.Token

// Span is a piece of text with one meaning.
type Span struct {
	Text  string
	Token Token
	On    bool // on the selected row
	Hit   bool // what was looked for
}

// Line is one row of a frame, from the left.
type Line []Span

// S makes a span. Text that still carries control characters, which kube has
// taken out of everything it hands on, loses them here: the last gate before
// the terminal.
func S(token Token, text string) Span {
	if hasControl(text) {
		text = kube.Clean(text)
	}
	return Span{Text: text, Token: token}
}

// L makes a line of one span.
func L(token Token, text string) Line { return Line{S(token, text)} }

// T makes a line of plain text.
func T(text string) Line { return L(themes.Text, text) }

// Blank is an empty span of that width.
func Blank(width int) Span {
	return Span{Text: repeat(" ", blanks, width), Token: themes.Text}
}

// Long runs of the characters that every frame is full of, so that a cell of
// them costs no memory.
const longest = 512

var (
	blanks = strings.Repeat(" ", longest)
	rules  = strings.Repeat(RuleCell, longest)
	fulls  = strings.Repeat(BarFull, longest)
	empty  = strings.Repeat(BarEmpty, longest)
)

// repeat is n times s, cut from a long run of it where that is long enough.
func repeat(s, run string, n int) string {
	if n <= 0 {
		return ""
	}
	if n > longest {
		return strings.Repeat(s, n)
	}
	return run[:n*len(s)]
}

// Add appends a span and returns the line.
func (l Line) Add(token Token, text string) Line { return append(l, S(token, text)) }

// Join puts lines behind each other with a separator between those that say
// something.
func Join(separator Span, lines ...Line) Line {
	var joined Line
	for _, l := range lines {
		if l.Width() == 0 {
			continue
		}
		if len(joined) > 0 {
			joined = append(joined, separator)
		}
		joined = append(joined, l...)
	}
	return joined
}

// String is the text of the line without any look.
func (l Line) String() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is the number of cells the line takes.
func (l Line) Width() int {
	w := 0
	for _, s := range l {
		w += Width(s.Text)
	}
	return w
}

// Selected is the line as part of the selected row.
func (l Line) Selected() Line {
	on := make(Line, len(l))
	for i, s := range l {
		s.On = true
		on[i] = s
	}
	return on
}

// Hits is the line with some parts of its text marked as what was looked for: each from a byte to another, in
// order.
func (l Line) Hits(parts [][]int) Line {
	if len(parts) == 0 {
		return l
	}
	marked, at := make(Line, 0, len(l)+2*len(parts)), 0
	for _, s := range l {
		text := s.Text
		for from := 0; from < len(text); {
			for len(parts) > 0 && parts[0][1] <= at+from {
				parts = parts[1:]
			}
			to, hit := len(text), false
			if len(parts) > 0 {
				if begin := parts[0][0] - at; begin > from {
					to = min(to, begin)
				} else {
					to, hit = min(to, parts[0][1]-at), true
				}
			}
			s.Text, s.Hit = text[from:to], hit
			marked, from = append(marked, s), to
		}
		at += len(text)
	}
	return marked
}

// Fit is the line at exactly that width: cut with an ellipsis or filled up
// with blanks.
func (l Line) Fit(width int) Line {
	w := l.Width()
	switch {
	case width <= 0:
		return nil
	case w == width:
		return l
	case w < width:
		return append(l[:len(l):len(l)], Blank(width-w))
	}
	cut := l.Cut(0, width-1)
	last := l[0].Token
	if n := len(cut); n > 0 {
		last = cut[n-1].Token
	}
	cut = append(cut, Span{Text: Ellipsis, Token: last})
	if w := cut.Width(); w < width { // a wide character did not fit
		cut = append(cut, Blank(width-w))
	}
	return cut
}

// FitRight is Fit with the text on the right side.
func (l Line) FitRight(width int) Line {
	if w := l.Width(); w < width {
		return append(Line{Blank(width - w)}, l...)
	}
	return l.Fit(width)
}

// Cut is the part of the line between two columns.
func (l Line) Cut(from, to int) Line {
	var cut Line
	at := 0
	for _, s := range l {
		w := Width(s.Text)
		begin, end := max(from-at, 0), min(to-at, w)
		at += w
		if begin >= end {
			continue
		}
		if begin > 0 || end < w {
			s.Text = cutText(s.Text, begin, end)
		}
		cut = append(cut, s)
	}
	return cut
}

// cutText is the part of a text between two columns, never wider than that: a
// wide character that sticks out on the left becomes a blank.
func cutText(s string, begin, end int) string {
	cut := ansi.Cut(s, begin, end)
	if over := Width(cut) - (end - begin); over > 0 {
		cut = strings.Repeat(" ", over) + ansi.Cut(s, begin+over, end)
	}
	if Width(cut) > end-begin {
		return strings.Repeat(" ", end-begin)
	}
	return cut
}

// Width is the number of cells a text takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate cuts a text at its end, with an ellipsis.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, Ellipsis)
}

// Middle cuts a name in its middle: the end of a generated name is what tells
// it from its siblings.
func Middle(s string, width int) string {
	w := Width(s)
	if width <= 0 {
		return ""
	}
	if w <= width {
		return s
	}
	if width < 6 {
		return Truncate(s, width)
	}
	tail := min(max(width/2, 6), width-3)
	return ansi.Cut(s, 0, width-1-tail) + Ellipsis + ansi.Cut(s, w-tail, w)
}

func hasControl(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c < 0x20 || c == 0x7f:
			return true
		case c >= 0x80:
			return strings.ContainsFunc(s[i:], kube.Unsafe)
		}
	}
	return false
}
