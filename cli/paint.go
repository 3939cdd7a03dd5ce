package cli

import "strings"

// paint is how text looks: in colour or not, with glyphs or ASCII. Colour only
// repeats what the words already say.
type paint struct{ color, ascii bool }

func (p *Program) paintFor(f *flags, terminal bool) paint {
	return paint{color: terminal && p.Terminal.Color && !f.noColor, ascii: f.ascii}
}

type tone string

const (
	toneGood  tone = "32"
	toneWarn  tone = "33"
	toneBad   tone = "31"
	toneQuiet tone = "2"
	toneBold  tone = "1"
)

func (p paint) in(t tone, text string) string {
	if !p.color || text == "" || t == "" {
		return text
	}
	return t.begin() + text + toneEnd
}

func (t tone) begin() string { return "\x1b[" + string(t) + "m" }

// toneEnd ends every tone.
const toneEnd = "\x1b[0m"

// ownSequence is the sequence of ours that the text begins with, "" if none does.
func ownSequence(text string) string {
	if text[0] != '\x1b' {
		return ""
	}
	for _, sequence := range []string{toneEnd, toneGood.begin(), toneWarn.begin(), toneBad.begin(), toneQuiet.begin(), toneBold.begin()} {
		if strings.HasPrefix(text, sequence) {
			return sequence
		}
	}
	return ""
}

// plain turns the few characters beyond ASCII that we write into ASCII.
func (p paint) plain(text string) string {
	if !p.ascii {
		return text
	}
	return asciiForms.Replace(text)
}

var asciiForms = strings.NewReplacer("·", "-", "…", "...", "–", "-", "—", "-", "→", "->", "“", `"`, "”", `"`)
