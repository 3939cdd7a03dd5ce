package plan

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// planWaves says in which order the pods leave, nil where none does.
func planWaves(p plan.Plan) paint.Line {
	words := p.Waves().String()
	if words == "" {
		return nil
	}
	return paint.L(themes.Muted, "waves ").Add(themes.Text, words)
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
