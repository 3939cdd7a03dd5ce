package paint

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kdrain-tui/kdrain-tui/themes"
)

var strange = []string{"", "plain", "日本語", "e\u0301e\u0301", "👩‍👩‍👧 family", "▇▇▁", strings.Repeat("x", 100), "हिन्दी"}

func TestFitIsExact(t *testing.T) {
	for _, s := range strange {
		for w := range 40 {
			l := L(themes.Text, s).Add(themes.Muted, s)
			if got := l.Fit(w).Width(); got != w {
				t.Errorf("%q fitted to %d is %d wide", s, w, got)
			}
			if got := l.FitRight(w).Width(); got != w {
				t.Errorf("%q fitted right to %d is %d wide", s, w, got)
			}
			if got := Width(Middle(s, w)); got > w {
				t.Errorf("%q cut in the middle to %d is %d wide", s, w, got)
			}
			for _, line := range Wrap(l, w+1) {
				if got := line.Width(); got > w+1 {
					t.Errorf("%q wrapped to %d is %d wide", s, w+1, got)
				}
			}
		}
	}
}

func TestMiddleKeepsTheEnd(t *testing.T) {
	if got := Middle("checkout-cart-7f9c5d-k2xzq", 16); got != "checkou…-k2xzq" && !strings.HasSuffix(got, "-k2xzq") {
		t.Error(got)
	}
}

func TestOverlay(t *testing.T) {
	base := []Line{T("abcdefghij"), T("日本語日本"), T("short")}
	out := Overlay(base, []Line{T("XX"), T("YY"), T("ZZ"), T("WW")}, 3, 0, 2)
	want := []string{"abcXXfghij", "日 YY 日本", "shoZZ", "   WW"}
	for i, w := range want {
		if got := out[i].String(); ansi.StringWidth(got) != ansi.StringWidth(w) || !strings.Contains(got, w[len(w)-1:]) {
			t.Errorf("line %d: %q, want %q", i, got, w)
		}
	}
}

func TestControlCharactersStopHere(t *testing.T) {
	if got := S(themes.Text, "a\x1b[31mb\x07\u009b1mc\n").Text; strings.ContainsAny(got, "\x1b\x07\n\u009b") {
		t.Errorf("%q", got)
	}
}

func TestASCIIKeepsTheWidth(t *testing.T) {
	for _, s := range strange {
		got := toASCII(s)
		if len(got) != Width(s) {
			t.Errorf("%q becomes %q", s, got)
		}
		for _, r := range got {
			if r >= 0x80 {
				t.Errorf("%q becomes %q", s, got)
			}
		}
	}
	for _, glyph := range []string{Ready, Hollow, Dotted, Unknown, Good, Bad, Wait, Warn, Play, Ending, Asked, Marked, Cursor, Ascending, Falling} {
		if toASCII(glyph) == "?" && glyph != Unknown {
			t.Errorf("%s has no ASCII form", glyph)
		}
		if Width(glyph) != 1 {
			t.Errorf("%s is %d wide", glyph, Width(glyph))
		}
	}
}

type palette struct{}

func (palette) Style(token themes.Token, dark bool) themes.Style {
	if token == themes.Bad {
		return themes.Style{Foreground: "red", Bold: true}
	}
	if token == themes.Selection {
		return themes.Style{Background: "238"}
	}
	return themes.Style{}
}

func TestLooks(t *testing.T) {
	line := []Line{L(themes.Bad, "x")}
	colour := NewPainter(palette{}, true, false, false).Frame(line, 5, 1)
	plain := NewPainter(palette{}, true, true, false).Frame(line, 5, 1)
	selected := NewPainter(palette{}, true, false, false).Frame([]Line{line[0].Selected()}, 5, 1)
	if !strings.Contains(colour, "31") || strings.Contains(plain, "31") || !strings.Contains(plain, "\x1b[1m") || !strings.Contains(selected, "48;5;238") || !strings.Contains(selected, "31") {
		t.Errorf("%q %q %q", colour, plain, selected)
	}
}

// On the selected row and on the button with the focus every token can be read: a selection that names its
// colours has both of them, and their contrast is that of the token selection (themes).
func TestTheSelectedRowHasTheColoursOfTheSelection(t *testing.T) {
	for _, name := range themes.Names("") {
		theme, err := themes.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, dark := range []bool{true, false} {
			p := NewPainter(theme, dark, false, false)
			selection := theme.Style(themes.Selection, dark)
			for _, token := range []themes.Token{themes.Text, themes.Muted, themes.Title, themes.Accent, themes.Rule, themes.Selection, themes.Marked, themes.Good, themes.Warning, themes.Bad, themes.Busy, themes.Info, themes.Estimate, themes.BarFull, themes.BarEmpty, themes.BarWarning, themes.Key, themes.Danger, themes.Input, themes.Toast} {
				style := p.selected(theme.Style(token, dark))
				if style.Reverse != selection.Reverse || style.Foreground != selection.Foreground || style.Background != selection.Background || style.Dim {
					t.Errorf("%s, dark %v: %s is %+v on %+v", name, dark, token, style, selection)
				}
			}
		}
	}
}

// A spinner turns with the time, one cell wide, in ASCII too; at one moment it is always the same.
func TestSpin(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for range 2 * len(spinner) {
		glyph := Spin(at)
		if Width(glyph) != 1 || len(toASCII(glyph)) != 1 || toASCII(glyph) == "?" || Spin(at) != glyph {
			t.Errorf("%q, %q", glyph, toASCII(glyph))
		}
		seen[glyph] = true
		at = at.Add(spinTurn)
	}
	if len(seen) != len(spinner) {
		t.Errorf("%d turns are seen", len(seen))
	}
}
