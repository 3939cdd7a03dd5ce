package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// colour is one of a terminal's colours. The zero value is its default.
type colour struct {
	kind  colourKind
	value uint32 // number in the palette, or 0xrrggbb
}

type colourKind uint8

const (
	defaultColour colourKind = iota
	numbered
	direct
)

// style is how a cell looks.
type style struct {
	foreground, background                                   colour
	bold, dim, italic, underline, reverse, strike, concealed bool
}

// cell is one place of the screen; a wide character is followed by a cell
// without text.
type cell struct {
	text  string
	style style
}

// screen is what was captured.
type screen struct {
	lines   [][]cell
	columns int
}

// parse reads text with SGR sequences; other sequences are skipped. A style
// lasts over the end of a line, as tmux writes it.
func parse(captured string) screen {
	var s screen
	var now style
	for _, line := range strings.Split(strings.TrimSuffix(captured, "\n"), "\n") {
		var cells []cell
		for rest := strings.TrimSuffix(line, "\r"); rest != ""; {
			if rest[0] == '\x1b' {
				rest = now.takeSequence(rest)
				continue
			}
			r, size := utf8.DecodeRuneInString(rest)
			rest = rest[size:]
			cells = appendRune(cells, r, now)
		}
		s.lines = append(s.lines, cells)
		s.columns = max(s.columns, len(cells))
	}
	return s
}

func appendRune(cells []cell, r rune, now style) []cell {
	switch {
	case r < ' ' || r == 0x7f:
		return cells
	case unicode.In(r, unicode.Mn, unicode.Me) || r == '\u200d' || r == '\ufe0f':
		if len(cells) > 0 {
			cells[len(cells)-1].text += string(r)
		}
		return cells
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1f300 && r <= 0x1faff:
		return append(cells, cell{string(r), now}, cell{"", now})
	}
	return append(cells, cell{string(r), now})
}

// takeSequence applies the escape sequence at the start of text and returns
// what follows it.
func (s *style) takeSequence(text string) string {
	switch {
	case strings.HasPrefix(text, "\x1b["):
		end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return ""
		}
		if text[2+end] == 'm' {
			s.apply(text[2 : 2+end])
		}
		return text[2+end+1:]
	case strings.HasPrefix(text, "\x1b]"): // OSC: hyperlinks, titles
		for i := 2; i < len(text); i++ {
			if text[i] == '\a' {
				return text[i+1:]
			}
			if strings.HasPrefix(text[i:], "\x1b\\") {
				return text[i+2:]
			}
		}
		return ""
	case len(text) > 2 && (text[1] == '(' || text[1] == ')'):
		return text[3:] // a character set
	}
	return text[min(2, len(text)):]
}

// apply takes the parameters of an SGR sequence.
func (s *style) apply(parameters string) {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		if strings.Contains(fields[i], ":") {
			s.applyColons(strings.Split(fields[i], ":"))
			continue
		}
		code := number(fields[i])
		if code == 38 || code == 48 {
			c, used := extended(fields[i+1:])
			s.setColour(code, c)
			i += used
			continue
		}
		s.applyCode(code)
	}
}

// applyColons takes the form of ISO 8613-6: 38:2::r:g:b, 38:5:n, 4:3.
func (s *style) applyColons(parts []string) {
	switch code := number(parts[0]); code {
	case 38, 48:
		rest := parts[1:]
		if len(rest) == 5 && rest[0] == "2" { // with a colour space, which is not used
			rest = append([]string{"2"}, rest[2:]...)
		}
		c, _ := extended(rest)
		s.setColour(code, c)
	case 4:
		s.underline = number(parts[1]) != 0
	}
}

// extended reads 5;n or 2;r;g;b and says how many fields that were.
func extended(fields []string) (colour, int) {
	switch {
	case len(fields) >= 2 && fields[0] == "5":
		return colour{numbered, uint32(number(fields[1])) & 0xff}, 2
	case len(fields) >= 4 && fields[0] == "2":
		var value uint32
		for _, field := range fields[1:4] {
			value = value<<8 | uint32(number(field))&0xff
		}
		return colour{direct, value}, 4
	}
	return colour{}, len(fields)
}

func (s *style) setColour(code int, c colour) {
	if code == 38 {
		s.foreground = c
	} else {
		s.background = c
	}
}

func (s *style) applyCode(code int) {
	switch {
	case code == 0:
		*s = style{}
	case code == 1:
		s.bold = true
	case code == 2:
		s.dim = true
	case code == 3:
		s.italic = true
	case code == 4 || code == 21:
		s.underline = true
	case code == 7:
		s.reverse = true
	case code == 8:
		s.concealed = true
	case code == 9:
		s.strike = true
	case code == 22:
		s.bold, s.dim = false, false
	case code == 23:
		s.italic = false
	case code == 24:
		s.underline = false
	case code == 27:
		s.reverse = false
	case code == 28:
		s.concealed = false
	case code == 29:
		s.strike = false
	case code >= 30 && code <= 37:
		s.foreground = colour{numbered, uint32(code - 30)}
	case code == 39:
		s.foreground = colour{}
	case code >= 40 && code <= 47:
		s.background = colour{numbered, uint32(code - 40)}
	case code == 49:
		s.background = colour{}
	case code >= 90 && code <= 97:
		s.foreground = colour{numbered, uint32(code - 90 + 8)}
	case code >= 100 && code <= 107:
		s.background = colour{numbered, uint32(code - 100 + 8)}
	}
}

// number reads a parameter; a missing one is 0.
func number(field string) int {
	n, err := strconv.Atoi(field)
	if err != nil {
		return 0
	}
	return n
}
