package paint

import (
	"strings"
	"time"
)

// The glyphs of the program. A glyph never stands alone: a word says the same.
const (
	Ellipsis  = "…"
	Ready     = "●"
	Hollow    = "○"
	Dotted    = "◌"
	Unknown   = "⁇"
	Good      = "✔"
	Bad       = "✖"
	Wait      = "‖"
	Warn      = "▲"
	Stay      = "·"
	Play      = "▶"
	Ending    = "◔"
	Asked     = "◐"
	Marked    = "✓"
	Cursor    = "▌"
	RuleCell  = "─"
	Heavy     = "━" // of a rule, as far as something has come
	Upright   = "│"
	BarFull   = "█"
	BarEmpty  = "░"
	Dot       = " · "
	Ascending = "↑"
	Falling   = "↓"
	About     = "~"
	Into      = "›" // between a page and the one that it was opened from, and before what took the place of a pod
)

// spinner are the turns of what moves, from one to the next in spinTurn.
var spinner = [...]string{"⠋", "⠙", "⠸", "⠴", "⠦", "⠇"}

const spinTurn = 200 * time.Millisecond

// Spin is the glyph of what moves, at that moment. It turns only where something looks again
// that often.
func Spin(now time.Time) string {
	return spinner[uint64(now.UnixMilli()/spinTurn.Milliseconds())%uint64(len(spinner))]
}

// asciiOf maps the characters that the program itself uses; every other one
// that is not ASCII comes from the cluster and becomes a question mark.
var asciiOf = map[rune]byte{
	'…': '~', '●': '*', '○': 'o', '◌': 'c', '⁇': '?', '✔': '+', '✖': 'x', '‖': '=', '▲': '!', '·': '-',
	'▶': '>', '◔': '~', '◐': '%', '✓': '*', '▌': '>', '─': '-', '━': '=', '←': '<', '→': '>', '█': '#', '░': '.', '▏': '.', '▎': '.', '▍': '.', '▋': '#', '▊': '#', '▉': '#', '│': '|', '╭': '+', '╮': '+',
	'╰': '+', '╯': '+', '’': '\'', '“': '"', '”': '"', '–': '-', '›': '>', '↑': '^', '↓': 'v',
	'⠋': '/', '⠙': '|', '⠸': '\\', '⠴': '/', '⠦': '|', '⠇': '\\',
}

// toASCII is the text in ASCII, at the same width.
func toASCII(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch c, known := asciiOf[r]; {
		case r < 0x80:
			b.WriteRune(r)
		case known:
			b.WriteByte(c)
		default:
			b.WriteString(strings.Repeat("?", Width(string(r))))
		}
	}
	// Characters that join with their neighbours are narrower together than
	// alone, or wider: the width of the original wins.
	if out, want := b.String(), Width(s); len(out) != want {
		return (out + strings.Repeat("?", max(0, want-len(out))))[:want]
	}
	return b.String()
}
