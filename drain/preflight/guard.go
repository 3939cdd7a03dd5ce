package preflight

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingGuardLeavesOut is the code of the finding about workloads that a guard does not
// protect.
const FindingGuardLeavesOut = "GuardLeavesOut"

// findUnguarded names the owners whose pods a guard lets go without counting them, and why. No
// budget covers these pods.
func findUnguarded(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var left group
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			pod := &p.Nodes[i].Pods[k]
			live := s.Pod(pod.UID)
			if p.Options.Guard == "" || pod.Action != plan.ActionEvict || live == nil || live.Owner == nil ||
				len(s.BudgetsOf(live)) > 0 {
				continue
			}
			if why := unguarded(s, live, p.Options.GuardWrite); why != "" {
				owner, _ := s.TopOwner(live.Owner)
				left.note(why, owner.Kind, live.Namespace, owner.Name)
			}
		}
	}
	return left.finding(FindingGuardLeavesOut, plan.LevelWarning,
		"no budget covers these pods, and --guard leaves them out: pods of ")
}

// unguarded says why a guard leaves a pod out; "" where it counts the pod, where more is still
// being read, and for pods that no guard is about: those of Jobs end, those of a DaemonSet and
// bare ones have no replicas.
func unguarded(s *kube.Snapshot, pod *kube.Pod, written bool) string {
	owner, w := s.TopOwner(pod.Owner)
	kind := plan.OwnersOfKind(owner)
	switch scaled := budget.ScaledBy(s, pod.Owner); {
	case scaled != nil && written && scaled.Replicas > 1 && !tempbudget.Selects(s, scaled):
		return "its scale has no selector of its pods"
	case scaled != nil, owner.Kind == "DaemonSet", kind == kube.KindJobs, kind == "" && budget.PlainOwner(owner):
		return ""
	case kind != "" && s.In(pod.Namespace).Sync(kind).Phase == kube.Denied:
		return string(kind) + " cannot be read"
	case kind != "" && !s.In(pod.Namespace).Trusted(kind):
		return ""
	case kind != "":
		return "it is not in the cluster"
	case w == nil:
		return "its scale is not read yet"
	case w.Hidden != "":
		return w.Hidden
	}
	return "it has no scale"
}
