package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingGuardLeavesOut is the code of the finding about workloads that a guard does not
// protect.
const FindingGuardLeavesOut = "GuardLeavesOut"

// findUnguarded names the owners whose pods a guard lets go without counting them: it knows
// the built-in workloads only, and those that can be read. No budget covers these pods.
func findUnguarded(s *kube.Snapshot, p *Plan, _ *Env) []Finding {
	if p.Options.Guard == "" {
		return nil
	}
	f := Finding{Code: FindingGuardLeavesOut, Level: LevelWarning}
	var names []string
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			live := s.Pod(pod.UID)
			if pod.Action != ActionEvict || live == nil || live.Owner == nil || len(s.BudgetsOf(live)) > 0 {
				continue
			}
			owner, _ := topOwner(s, live.Owner)
			kind := ownersOfKind(owner)
			loading := kind != "" && !s.Trusted(kind) && s.Sync(kind).Phase != kube.Denied
			if scaledBy(s, live.Owner) != nil || kind == kube.KindJobs || owner.Kind == "DaemonSet" || kind == "" && plainOwner(owner) || loading {
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
	f.Message = "the guard leaves out " + some(names) + ": no budget covers their pods, and the guard counts the built-in workloads only"
	return []Finding{f}
}
