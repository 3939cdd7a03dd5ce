package run

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// remedyCell is a cell of the list of remedies; one that is not available is pale.
func remedyCell(r *remedy.Remedy, column string, width int) paint.Line {
	if r == nil {
		return nil
	}
	token := themes.Text
	if r.DisabledReason != "" {
		token = themes.Muted
	}
	switch {
	case column == "remedy":
		return paint.L(token, paint.Truncate(wording.FirstUpper(r.Title), width))
	case r.Kind == remedy.Wait:
		return paint.L(themes.Muted, "none, the default")
	case r.DisabledReason != "":
		text := "not available"
		if width > 2*len(text) { // the words below the rows have it in full
			text += ": " + r.DisabledReason
		}
		return paint.L(themes.Muted, paint.Truncate(text, width))
	}
	return paint.L(risks[r.Kind], paint.Middle(r.Word, width))
}

// remedyDetail is why the remedy cannot be taken, or what it puts at risk and its request.
func remedyDetail(r *remedy.Remedy) paint.Line {
	var l paint.Line
	if r.DisabledReason != "" {
		l = paint.L(themes.Warning, "not available: "+r.DisabledReason+". ")
	}
	l = l.Add(themes.Text, r.Risk)
	for _, w := range r.Warnings {
		l = l.Add(themes.Warning, " "+wording.FirstUpper(w)+".")
	}
	if r.DisabledReason == "" && r.Call != "" {
		l = l.Add(themes.Info, " "+r.Call)
	}
	return l
}

// finalizerLines are what removes the finalizers that hold the pod: no remedy does.
func (m *RemediesPage) finalizerLines(p *eviction.Record) []paint.Line {
	live := m.s.Snap.Pod(p.UID)
	if live == nil || p.Wait == nil || p.Wait.For != waits.ForFinalizers {
		return nil
	}
	var lines []paint.Line
	for _, a := range budget.AdviseFinalizers(live) {
		lines = append(lines, nil, paint.L(themes.Warning, wording.FirstUpper(a.Text)+":"))
		lines = append(lines, paint.Wrap(paint.L(themes.Accent, m.s.Target().Line(a.Command)), m.s.Width-2)...)
	}
	return lines
}

// remedyQuestion is the body of the confirmation of a remedy: for which pod, with which
// request, at which risk.
func remedyQuestion(r *remedy.Remedy) []paint.Line {
	body := []paint.Line{paint.L(themes.Muted, "for     ").Add(themes.Accent, r.For),
		paint.L(themes.Muted, "request ").Add(themes.Text, r.Call)}
	body = append(body, nil, paint.L(themes.Bad, paint.Warn+" "+r.Risk))
	for _, w := range r.Warnings {
		body = append(body, paint.L(themes.Warning, paint.Warn+" "+wording.FirstUpper(w)+"."))
	}
	return body
}

// runRemedies are the last remedies that were taken in a run and whose pods are still there, the newest first.
func runRemedies(s *drain.State, width, most int) []paint.Line {
	var lines []paint.Line
	for i := len(s.Remedies) - 1; i >= 0 && len(lines) < most; i-- {
		r := s.Remedies[i]
		if p := s.Pod(r.Pod); !r.Open() && p != nil && p.State.Final() {
			continue // the result names it
		}
		token := themes.Info
		switch r.State {
		case remedy.Refused, remedy.InDoubt, remedy.Orphaned:
			token = themes.Warning
		}
		text := "remedy  " + r.For + ": " + r.What() + ", " + r.State.Words()
		if r.Message != "" {
			text += ": " + r.Message
		}
		lines = append(lines, paint.L(token, paint.Truncate(text, width)))
	}
	return lines
}
