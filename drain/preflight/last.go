package preflight

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about --evict-daemonsets.
const (
	FindingNoneLast    = "NoDaemonSetChosen"
	FindingUsersRemain = "DaemonSetBeforeItsUsers"
)

// findLastPods tells of a selector of DaemonSet pods that is of none, which may be mistyped, and of pods that
// stay on a node whose chosen DaemonSet pods leave: those may serve them.
func findLastPods(_ *kube.Snapshot, p *plan.Plan, _ *Env) (found []plan.Finding) {
	if p.Options.EvictDaemonSets == "" {
		return nil
	}
	last := map[string]bool{} // nodes with a chosen pod
	plan.EachMove(*p, func(pod *plan.Pod) {
		if pod.GoesLast() {
			last[pod.Node] = true
		}
	})
	if len(last) == 0 {
		found = append(found, plan.Finding{Code: FindingNoneLast, Level: plan.LevelWarning,
			Message: "--evict-daemonsets=" + p.Options.EvictDaemonSets + " chooses no pod of a DaemonSet on these nodes"})
	}
	var users group
	for i := range p.Nodes {
		n := &p.Nodes[i]
		for k := range n.Pods {
			if pod := &n.Pods[k]; last[n.Name] && pod.Action == plan.ActionSkip && !staysAnyway(pod) {
				users.add("Pod", pod.Namespace, pod.Name)
			}
		}
	}
	return append(found, users.finding(FindingUsersRemain, plan.LevelWarning,
		"stays on a node whose DaemonSet pods are evicted (--evict-daemonsets) and may need them: ")...)
}

// staysAnyway reports whether the pod stays on its node in every drain.
func staysAnyway(p *plan.Pod) bool {
	return slices.ContainsFunc(p.Reasons, func(r plan.Reason) bool {
		return r.Code == plan.ReasonDaemonSet || r.Code == plan.ReasonMirror
	})
}
