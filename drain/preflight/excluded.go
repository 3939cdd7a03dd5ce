package preflight

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about pods that the operator excluded.
const (
	FindingExcluded        = "Excluded"
	FindingExcludedUnknown = "ExcludedUnknown"
)

// findExcluded names the pods that stay because the operator excluded them, and the names that are of none
// of the pods: a mistyped one would leave its pod in the drain.
func findExcluded(_ *kube.Snapshot, p *plan.Plan, _ *Env) (found []plan.Finding) {
	var names, objects []string
	for _, pod := range p.Excluded() {
		names = append(names, pod.Namespace+"/"+pod.Name)
		objects = append(objects, "Pod/"+pod.Namespace+"/"+pod.Name)
	}
	if len(names) > 0 {
		found = append(found, plan.Finding{Code: FindingExcluded, Level: plan.LevelWarning, Objects: objects,
			Message: format.Plural(len(names), "pod is", "pods are") +
				" excluded by hand, so the drain does not empty the nodes: " + format.List(names, format.NamesShown)})
	}
	unknown := slices.DeleteFunc(slices.Clone(p.Options.ExcludePods), func(name string) bool {
		return slices.Contains(names, name)
	})
	if len(unknown) > 0 {
		found = append(found, plan.Finding{Code: FindingExcludedUnknown, Level: plan.LevelWarning,
			Message: "--exclude-pod names no pod of these nodes: " + format.List(unknown, format.NamesShown)})
	}
	return found
}
