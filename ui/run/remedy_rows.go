package run

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
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
		return paint.L(themes.Muted, "not available")
	}
	return paint.L(themes.Danger, paint.Middle(r.Word, width))
}

// remedyLine is the line below a remedy: why it cannot be taken, or the request.
func remedyLine(r *remedy.Remedy) paint.Line {
	switch {
	case r == nil:
		return nil
	case r.DisabledReason != "":
		return paint.L(themes.Muted, "not available: "+r.DisabledReason)
	case r.Call == "":
		return nil
	}
	return paint.L(themes.Info, r.Call)
}

// remedyRisk is what the remedy puts at risk.
func remedyRisk(r *remedy.Remedy) paint.Line {
	l := paint.T(r.Risk)
	for _, w := range r.Warnings {
		l = l.Add(themes.Warning, " "+wording.FirstUpper(w)+".")
	}
	return l
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

// runRemedies are the last remedies that were taken in a run, the newest first.
func runRemedies(s *drain.State, width, most int) []paint.Line {
	var lines []paint.Line
	for i := len(s.Remedies) - 1; i >= 0 && len(lines) < most; i-- {
		r := s.Remedies[i]
		token := themes.Info
		switch r.State {
		case remedy.Refused, remedy.InDoubt, remedy.Left:
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
