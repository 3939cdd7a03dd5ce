package print

import "strings"

// Style is how text looks: in colour or not, with glyphs or ASCII. Colour only
// repeats what the words already say.
type Style struct{ Color, ASCII bool }

// Tone is what a text is, in colour.
type Tone string

// The tones.
const (
	Good    Tone = "32"
	Warning Tone = "33"
	Bad     Tone = "31"
	Quiet   Tone = "2"
	Bold    Tone = "1"
)

func (s Style) In(t Tone, text string) string {
	if !s.Color || text == "" || t == "" {
		return text
	}
	return t.begin() + text + toneEnd
}

func (t Tone) begin() string { return "\x1b[" + string(t) + "m" }

// toneEnd ends every tone.
const toneEnd = "\x1b[0m"

// ownSequence is the sequence of ours that the text begins with, "" if none does.
func ownSequence(text string) string {
	if text[0] != '\x1b' {
		return ""
	}
	for _, sequence := range []string{toneEnd, Good.begin(), Warning.begin(), Bad.begin(), Quiet.begin(),
		Bold.begin()} {
		if strings.HasPrefix(text, sequence) {
			return sequence
		}
	}
	return ""
}

// Plain turns the few characters beyond ASCII that we write into ASCII.
func (s Style) Plain(text string) string {
	if !s.ASCII {
		return text
	}
	return asciiForms.Replace(text)
}

var asciiForms = strings.NewReplacer("·", "-", "…", "...", "–", "-", "—", "-", "→", "->", "“", `"`, "”", `"`)
