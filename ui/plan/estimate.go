package plan

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// planWaves says in which order the pods go, nil where none does: "now 14, after
// api is Ready 6, never 1".
func planWaves(p plan.Plan) paint.Line {
	var l paint.Line
	for i, w := range p.Waves().Words() {
		if i > 0 {
			l = l.Add(themes.Muted, ", ")
		}
		l = l.Add(themes.Muted, w.When+" ").Add(themes.Text, wording.Number(w.Pods))
		if w.Then != "" {
			l = l.Add(themes.Muted, " "+w.Then)
		}
	}
	return l
}

// timeLine says how long the evictions take if they begin now, nil where none
// would. A nil estimate is one that is being made.
func timeLine(e *plan.Estimate, now time.Time) paint.Line {
	if e == nil {
		return paint.L(themes.Muted, "time ").Add(themes.Busy, "being estimated"+paint.Ellipsis)
	}
	words := e.Words(now)
	if words == "" {
		return nil
	}
	return paint.L(themes.Muted, "time ").Add(themes.Text, words)
}
