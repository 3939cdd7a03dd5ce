package wording

import (
	"math"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Result is how a run ended, in at most that many lines of that width: where not all have room, they are cut, and the
// least important are hidden.
func Result(r report.Result, width, most int) []paint.Line {
	head, labels := resultHead(r, width), labelled(r.Lines)
	room, shown := most-len(head), map[string][]paint.Line{}
	take := func(of []report.Line, must bool) {
		for each := linesOfFact; each > 0; each-- {
			if lines := factLines(of, width, each); len(lines) <= room || must && each == 1 {
				shown[of[0].Label], room = lines, room-len(lines)
				return
			}
		}
	}
	for _, of := range labels {
		if !slices.Contains(report.LeaveOut, of[0].Label) {
			take(of, true)
		}
	}
	for _, label := range slices.Backward(report.LeaveOut) {
		if i := slices.IndexFunc(labels, func(of []report.Line) bool { return of[0].Label == label }); i >= 0 {
			take(labels[i], false)
		}
	}
	for _, of := range labels {
		head = append(head, shown[of[0].Label]...)
	}
	return head
}

// labelled are the lines of each label.
func labelled(lines []report.Line) (labels [][]report.Line) {
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(l report.Line) bool { return l.Label != lines[0].Label })
		if n < 0 {
			n = len(lines)
		}
		labels, lines = append(labels, lines[:n]), lines[n:]
	}
	return labels
}

// ResultText is the whole result of a run as text for the normal screen. Undos are what a rollback would undo now.
func ResultText(s *drain.State, undos []rollback.Undo, width int) string {
	r := report.OfState(s).Result(&report.Now{Undos: undos})
	var b strings.Builder
	lines := resultHead(r, width)
	for _, of := range labelled(r.Lines) {
		lines = append(lines, factLines(of, width, math.MaxInt)...)
	}
	for _, l := range lines {
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
	// mostOfLabel bounds the facts of one label, and linesOfFact those of one on a page: the report has all.
	mostOfLabel = 5
	linesOfFact = 2
	labelWidth  = 13
)

// factLines are the facts of one label, each in at most so many lines.
func factLines(of []report.Line, width, each int) (lines []paint.Line) {
	label := of[0].Label
	add := func(l paint.Line) {
		lines = append(lines, append(paint.L(themes.Muted, "  "+label).Fit(labelWidth), l...))
		label = ""
	}
	for _, l := range of[:min(len(of), mostOfLabel)] {
		mark := marks[l.Level]
		text := paint.L(mark.token, mark.glyph).Add(themes.Text, l.Text)
		for _, part := range wrapped(text, max(20, width-labelWidth), each) {
			add(part)
		}
	}
	if more := len(of) - mostOfLabel; more > 0 {
		add(paint.L(themes.Muted, "and "+format.Number(more)+" more"))
	}
	return lines
}

// wrapped are at most so many lines of a text, the last of them cut where there are more.
func wrapped(text paint.Line, width, most int) []paint.Line {
	lines := paint.Wrap(text, width)
	if len(lines) <= most {
		return lines
	}
	if most == 1 {
		return []paint.Line{text.Fit(width)}
	}
	rest := text.String()
	for _, l := range lines[:most-1] {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, strings.TrimRight(l.String(), " ")), " ")
	}
	return append(lines[:most-1], paint.L(themes.Text, rest).Fit(width))
}

// marks are the glyphs and colours of facts.
var marks = map[report.Level]struct {
	token paint.Token
	glyph string
}{
	report.Good: {themes.Good, paint.Good + " "}, report.Warning: {themes.Warning, paint.Warn + " "},
	report.Bad: {themes.Bad, paint.Bad + " "}, report.Busy: {themes.Busy, paint.Play + " "}, report.Plain: {themes.Text, ""},
}
