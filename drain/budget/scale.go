package budget

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Wanted is how many pods a workload is to have. An autoscaler that can act
// brings it into its bounds (podautoscaler/horizontal.go reconcileAutoscaler),
// unless it was scaled to zero, which turns the autoscaler off.
func Wanted(s *kube.Snapshot, w *kube.Workload) int32 {
	a := AutoscalerOf(s, w)
	if a == nil || w.Replicas == 0 || a.Stuck != "" {
		return w.Replicas
	}
	return min(max(w.Replicas, a.Min), max(a.Max, a.Min))
}

// AutoscalerOf is the autoscaler that owns the replicas of a workload, nil for none.
func AutoscalerOf(s *kube.Snapshot, w *kube.Workload) *kube.Autoscaler {
	return s.AutoscalerOf(VersionOf(w), w.Kind, w.Namespace, w.Name)
}

// VersionOf is the API version of a workload, as references to it give it.
func VersionOf(w *kube.Workload) string {
	switch {
	case w.APIVersion != "":
		return w.APIVersion
	case w.Kind == "ReplicationController":
		return "v1"
	}
	return "apps/v1"
}

// OneMore is the command that gives a workload one more pod than it wants. Where
// an autoscaler owns the number it takes any other change back.
func OneMore(s *kube.Snapshot, w *kube.Workload) string {
	n := Wanted(s, w) + 1
	if a := AutoscalerOf(s, w); a != nil && w.Replicas > 0 && a.Stuck == "" {
		change := fmt.Sprintf(`{"spec":{"minReplicas":%d}}`, n)
		if a.Max < n {
			change = fmt.Sprintf(`{"spec":{"minReplicas":%d,"maxReplicas":%d}}`, n, n)
		}
		return "kubectl patch hpa -n " + a.Namespace + " " + a.Name + " --type=merge -p '" + change + "'"
	}
	resource := strings.ToLower(w.Kind)
	if w.Resource != "" {
		resource = w.Resource
	}
	return fmt.Sprintf("kubectl scale %s -n %s %s --replicas=%d", format.ShellWord(resource), w.Namespace,
		format.ShellWord(w.Name), n)
}

// PlainOwner tells of owners in the core group, none of which has a scale but for
// the ReplicationController: a Pod, say, or a Node. Theirs are not asked for.
func PlainOwner(owner *kube.Owner) bool { return !strings.Contains(owner.APIVersion, "/") }
