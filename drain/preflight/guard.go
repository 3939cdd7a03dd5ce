package preflight

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingGuardLeavesOut is the code of the finding about workloads that a guard does not
// protect.
const FindingGuardLeavesOut = "GuardLeavesOut"

// findUnguarded names the owners whose pods a guard lets go without counting them: it knows
// the built-in workloads only, and those that can be read. No budget covers these pods.
func findUnguarded(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	if p.Options.Guard == "" {
		return nil
	}
	f := plan.Finding{Code: FindingGuardLeavesOut, Level: plan.LevelWarning}
	var names []string
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			live := s.Pod(pod.UID)
			if pod.Action != plan.ActionEvict || live == nil || live.Owner == nil || len(s.BudgetsOf(live)) > 0 {
				continue
			}
			owner, _ := s.TopOwner(live.Owner)
			kind := plan.OwnersOfKind(owner)
			loading := kind != "" && !s.Trusted(kind) && s.Sync(kind).Phase != kube.Denied
			if budget.ScaledBy(s, live.Owner) != nil || kind == kube.KindJobs || owner.Kind == "DaemonSet" ||
				kind == "" && budget.PlainOwner(owner) || loading {
				continue
			}
			if name := owner.Kind + "/" + live.Namespace + "/" + owner.Name; !slices.Contains(f.Objects, name) {
				f.Objects = append(f.Objects, name)
				names = append(names, owner.Kind+" "+live.Namespace+"/"+owner.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	f.Message = "--guard leaves out " + words.List(names) +
		": no budget covers their pods, and --guard counts the built-in workloads only"
	return []plan.Finding{f}
}
