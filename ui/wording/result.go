package wording

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Result is how a run ended, in at most that many lines of that width: where not all have room, they are cut, and those
// that matter least are left out.
func Result(r report.Result, width, most int) []paint.Line {
	head := resultHead(r, width)
	var lines []paint.Line
	for n := range len(report.LeaveOut) + 1 {
		left := slices.DeleteFunc(slices.Clone(r.Lines), func(l report.Line) bool {
			return slices.Contains(report.LeaveOut[:n], l.Label)
		})
		for _, cut := range []bool{false, true} {
			if lines = resultLines(left, width, cut); len(head)+len(lines) <= most {
				return append(head, lines...)
			}
		}
	}
	return append(head, lines...)
}

// ResultText is the whole result of a run as text for the normal screen. Undos are what a rollback would undo now.
func ResultText(s *drain.State, undos []rollback.Undo, width int) string {
	r := report.OfState(s).Result(&report.Now{Undos: undos})
	var b strings.Builder
	for _, l := range append(resultHead(r, width), resultLines(r.Lines, width, false)...) {
		b.WriteString(strings.TrimRight(l.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func resultHead(r report.Result, width int) []paint.Line {
	mark := marks[r.Verdict.Level]
	l := paint.L(mark.token, mark.glyph+r.Verdict.Text+".")
	if r.Gone != "" {
		l = l.Add(themes.Text, "   "+r.Gone+".")
	}
	return paint.Wrap(l, width)
}

const (
	// mostOfLabel bounds the lines of one label: the report has them all.
	mostOfLabel = 5
	labelWidth  = 13
)

// resultLines are the lines of a result with their labels, each cut to one line of the screen, or wrapped at words.
func resultLines(of []report.Line, width int, cut bool) (lines []paint.Line) {
	width = max(20, width-labelWidth)
	for len(of) > 0 {
		label := of[0].Label
		n := slices.IndexFunc(of, func(l report.Line) bool { return l.Label != label })
		if n < 0 {
			n = len(of)
		}
		add := func(l paint.Line) {
			lines = append(lines, append(paint.L(themes.Muted, "  "+label).Fit(labelWidth), l...))
			label = ""
		}
		for _, l := range of[:min(n, mostOfLabel)] {
			mark := marks[l.Level]
			text := paint.L(mark.token, mark.glyph).Add(themes.Text, l.Text)
			if cut {
				add(text.Fit(width))
				continue
			}
			for _, part := range paint.Wrap(text, width) {
				add(part)
			}
		}
		if n > mostOfLabel {
			add(paint.L(themes.Muted, "and "+format.Number(n-mostOfLabel)+" more"))
		}
		of = of[n:]
	}
	return lines
}

// marks are the glyphs and colours of facts.
var marks = map[report.Level]struct {
	token paint.Token
	glyph string
}{
	report.Good: {themes.Good, paint.Good + " "}, report.Warning: {themes.Warning, paint.Warn + " "},
	report.Bad: {themes.Bad, paint.Bad + " "}, report.Busy: {themes.Busy, paint.Play + " "}, report.Plain: {themes.Text, ""},
}
