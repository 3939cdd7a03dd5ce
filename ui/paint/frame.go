package paint

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/themes"
)

// Frame writes lines as the content of a frame of exactly that size.
func (p *Painter) Frame(lines []Line, width, height int) string {
	var b strings.Builder
	b.Grow(width * height * 2)
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		if y < len(lines) {
			p.line(&b, lines[y], width)
		}
	}
	return b.String()
}

// line writes one line; neighbours of one look share their escape codes, and
// nothing is written for the blanks at the end.
func (p *Painter) line(b *strings.Builder, l Line, width int) {
	if l = trimRight(l); l.Width() > width {
		l = l.Fit(width)
	}
	for i := 0; i < len(l); {
		look := p.look(l[i])
		b.WriteString(look.open)
		j := i
		for ; j < len(l) && l[j].Token == l[i].Token && l[j].On == l[i].On && l[j].Hit == l[i].Hit; j++ {
			text := l[j].Text
			if p.ascii {
				text = toASCII(text)
			}
			b.WriteString(text)
		}
		b.WriteString(look.close)
		i = j
	}
}

// trimRight takes plain blanks off the end, but not those of a selected row.
func trimRight(l Line) Line {
	for len(l) > 0 {
		last := l[len(l)-1]
		if last.On {
			return l
		}
		text := strings.TrimRight(last.Text, " ")
		if text != "" {
			if len(text) < len(last.Text) {
				l = append(l[:len(l)-1:len(l)-1], Span{Text: text, Token: last.Token, Hit: last.Hit})
			}
			return l
		}
		l = l[:len(l)-1]
	}
	return l
}

// Behind are lines that stand behind a question: they have no look but that of what is secondary.
func Behind(lines []Line) []Line {
	out := make([]Line, len(lines))
	for i, l := range lines {
		out[i] = make(Line, len(l))
		for k, s := range l {
			out[i][k] = Span{Text: s.Text, Token: themes.Muted}
		}
	}
	return out
}

// Overlay lays lines of that width over others, beginning at column x, row y.
func Overlay(base, top []Line, x, y, width int) []Line {
	out := append([]Line(nil), base...)
	for len(out) < y+len(top) {
		out = append(out, nil)
	}
	for i, t := range top {
		under := out[y+i]
		line := under.Cut(0, x).Fit(x)
		line = append(line[:len(line):len(line)], t.Fit(width)...)
		if rest := under.Width(); rest > x+width {
			right := under.Cut(x+width, rest)
			if gap := rest - x - width - right.Width(); gap > 0 { // half of a wide character
				line = append(line, Blank(gap))
			}
			line = append(line, right...)
		}
		out[y+i] = line
	}
	return out
}

// Rule is a line across the frame.
func Rule(token Token, width int) Line {
	return Line{{Text: repeat(RuleCell, rules, width), Token: token}}
}

// eighths are the parts of a cell; half of one looks like the cursor.
var eighths = [8]string{"", "▏", "▎", "▍", "▋", "▋", "▊", "▉"}

// Bar is a bar of that width, filled in proportion to an eighth of a cell; something that
// is not nothing always shows.
func Bar(full, rest Token, part float64, width int) Line {
	part = min(max(part, 0), 1)
	n := int(part*float64(8*width) + 0.5)
	if n == 0 && part > 0 {
		n = 1
	}
	if n == 8*width && part < 0.995 {
		n--
	}
	cells, partial := n/8, eighths[n%8]
	l := Line{{Text: repeat(BarFull, fulls, cells), Token: full}}
	if partial != "" {
		l, cells = append(l, Span{Text: partial, Token: full}), cells+1
	}
	return append(l, Span{Text: repeat(BarEmpty, empty, width-cells), Token: rest})
}

// Wrap breaks a line into lines of at most that width, at blanks where it can.
func Wrap(l Line, width int) []Line {
	if width <= 0 {
		return nil
	}
	w := wrapper{width: width}
	for _, s := range l {
		for _, word := range strings.SplitAfter(s.Text, " ") {
			w.add(word, s.Token)
		}
	}
	if len(w.now) > 0 {
		w.lines = append(w.lines, w.now)
	}
	return w.lines
}

type wrapper struct {
	width, used int
	lines       []Line
	now         Line
}

// add puts a word behind the others, on the next line where it has no room.
func (w *wrapper) add(word string, token Token) {
	bare := strings.TrimRight(word, " ")
	if w.used > 0 && w.used+Width(bare) > w.width {
		w.lines, w.now, w.used = append(w.lines, w.now), nil, 0
	}
	for Width(bare) > w.width { // a word longer than a line
		head := Line{{Text: bare}}.Cut(0, w.width).String()
		rest := strings.TrimPrefix(bare, head)
		if head == "" || rest == bare {
			head, rest = strings.Repeat("?", w.width), "" // a character wider than the line
		}
		w.lines = append(w.lines, Line{{Text: head, Token: token}})
		word, bare = rest+" ", rest
	}
	if w.used+Width(word) > w.width {
		word = bare
	}
	if word != "" {
		w.now = append(w.now, Span{Text: word, Token: token})
		w.used += Width(word)
	}
}
