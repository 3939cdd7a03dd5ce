package drain

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// autoscaled is why the number of replicas is not ours to change: an autoscaler
// owns it, or may own it without our seeing it. It is "" where none does.
func autoscaled(snap *kube.Snapshot, w *kube.Workload) string {
	if !snap.Trusted(kube.KindAutoscalers) {
		return "whether an autoscaler owns the number of replicas cannot be seen"
	}
	if a := snap.AutoscalerOf(budget.VersionOf(w), w.Kind, w.Namespace, w.Name); a != nil {
		return "autoscaler " + a.Name + " owns the number of replicas and would take it back: raise its minimum instead"
	}
	return ""
}
