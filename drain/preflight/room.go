package preflight

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingNoRoom names pods whose replacement cannot be scheduled on any node.
const FindingNoRoom = "NoRoom"

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
		f.Message = "moved together, " + words.Count(len(f.Objects), "pod", "pods") + " may not fit (estimated)"
	default:
		f.Message = words.Count(alone, "pod", "pods") + " cannot be scheduled on any node"
		if more := len(f.Objects) - alone; more > 0 {
			f.Message += fmt.Sprintf(", %d more may not fit when all move (estimated)", more)
		}
		f.Message += ": " + why
	}
	return []plan.Finding{f}
}
