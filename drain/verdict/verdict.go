package verdict

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// End is how a drain of a plan would end.
type End string

// The ends of a drain, the worst first.
const (
	EndForbidden End = "Forbidden" // it would not begin: a right is missing
	EndRefused   End = "Refused"   // it would leave some node untouched
	EndNever     End = "Never"     // some pod never leaves by itself
	EndUnknown   End = "Unknown"   // not all budgets can be seen
	EndWaits     End = "Waits"     // once something passes that the drain does not bring about
	EndCosts     End = "Costs"     // complete, and something is lost
	EndComplete  End = "Complete"
)

// Verdict is what is said of a plan as a whole: it colours the plan, ends its text and decides the
// exit code of plan.
type Verdict struct {
	End  End
	Head string // how it ends
	Tail string // by what, "" where there is nothing to add
}

// Level is how grave the verdict is.
func (v Verdict) Level() plan.Level {
	switch v.End {
	case EndForbidden, EndRefused, EndNever:
		return plan.LevelError
	case EndComplete:
		return plan.LevelInfo
	}
	return plan.LevelWarning
}

// Completes reports whether a drain would end by itself, nil where that is not known.
func (v Verdict) Completes() *bool {
	if v.End == EndUnknown {
		return nil
	}
	yes := v.Level() != plan.LevelError
	return &yes
}

// Of says how a drain of the plan would end.
func Of(p *plan.Plan) Verdict {
	c := OfPlan(p)
	forbidden := slices.IndexFunc(p.Findings, func(f plan.Finding) bool { return f.Code == plan.FindingAccess })
	if forbidden >= 0 {
		return Verdict{EndForbidden, "A drain would not begin: ", p.Findings[forbidden].Message}
	}
	const would = "A drain would complete"
	switch costs, silent := c.Costs(), notReady(p); {
	case c.Completes() != nil && !*c.Completes():
		end := EndNever
		if c.Of(plan.Refused) > 0 {
			end = EndRefused
		}
		return Verdict{end, "A drain would not complete by itself: ", strings.Join(c.obstacles(), ", ")}
	case c.Completes() == nil:
		return Verdict{EndUnknown, "Whether a drain would complete is not known: ", "not all budgets can be seen"}
	case c.Of(plan.Waits) > 0:
		return Verdict{EndWaits, would, " once the pods that wait may leave"}
	case len(silent) > 0:
		return Verdict{EndWaits, would, " once " + strings.Join(silent, ", ") + " can end its pods: it is not Ready"}
	case len(costs) > 0:
		return Verdict{EndCosts, would, " at a cost: " + strings.Join(costs, ", ")}
	}
	return Verdict{EndComplete, would, ""}
}

// notReady are the nodes that pods leave whose kubelet may not be there to end them.
func notReady(p *plan.Plan) []string {
	var names []string
	for i := range p.Nodes {
		if n := &p.Nodes[i]; !n.Ready && OfNode(n).Leaving() > 0 {
			names = append(names, n.Name)
		}
	}
	return names
}
