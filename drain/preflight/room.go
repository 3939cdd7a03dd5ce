package preflight

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The findings about room.
const (
	FindingNoRoom   = "NoRoom"   // pods whose replacement cannot be scheduled on any node
	FindingPreempts = "Preempts" // pods whose replacement may preempt other pods
)

// findPreempts finds pods that no node has room for, but by preemption: pods outside the plan
// would end.
func findPreempts(_ *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	f := plan.Finding{Code: FindingPreempts, Level: plan.LevelWarning}
	plan.EachMove(*p, func(one *plan.Pod) {
		if l := one.Landing; l != nil && (l.Why == landing.WhyPreempts || l.Together.Why == landing.WhyPreempts) {
			f.Objects = append(f.Objects, "Pod/"+one.Namespace+"/"+one.Name)
		}
	})
	if len(f.Objects) == 0 {
		return nil
	}
	f.Message = "no node has room for the replacements of " + format.Count(len(f.Objects), "pod") +
		": they " + landing.WhyPreempts + ", also outside the plan"
	return []plan.Finding{f}
}

// findNoRoom finds pods that fit nowhere, alone or, estimated, with the others.
func findNoRoom(_ *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	f := plan.Finding{Code: FindingNoRoom, Level: plan.LevelWarning}
	alone, why := 0, ""
	plan.EachMove(*p, func(one *plan.Pod) {
		if one.Landing == nil ||
			one.Landing.Answer != landing.DoesNotFit && one.Landing.Together.Answer != landing.DoesNotFit {
			return
		}
		f.Objects = append(f.Objects, "Pod/"+one.Namespace+"/"+one.Name)
		if one.Landing.Answer == landing.DoesNotFit {
			if alone++; why == "" {
				why = one.Landing.Why
			}
		}
	})
	switch {
	case len(f.Objects) == 0:
		return nil
	case alone == 0:
		f.Message = "moved together, " + format.Count(len(f.Objects), "pod") + " may not fit (estimated)"
	default:
		f.Message = format.Count(alone, "pod") + " cannot be scheduled on any node"
		if more := len(f.Objects) - alone; more > 0 {
			f.Message += fmt.Sprintf(", %d more may not fit when all move (estimated)", more)
		}
		f.Message += ": " + why
	}
	return []plan.Finding{f}
}
