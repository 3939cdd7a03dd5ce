package tempbudget

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Wanted are the temporary budgets that a run makes before it evicts the pods: over each of
// their workloads that has more than one replica, and over no pod of which any budget stands.
// A second budget over one pod makes the server refuse its eviction altogether.
func Wanted(s *kube.Snapshot, run string, pods []kube.UID) []Facts {
	var wanted []Facts
	var seen []kube.UID
	for _, uid := range pods {
		live := s.Pod(uid)
		if live == nil || live.Owner == nil {
			continue
		}
		w := budget.ScaledBy(s, live.Owner)
		if w == nil || w.Replicas < 2 || !Selects(s, w) || slices.Contains(seen, w.UID) {
			continue
		}
		seen = append(seen, w.UID)
		if !unprotected(s, w) {
			continue
		}
		wanted = append(wanted, Facts{
			Namespace: w.Namespace, Name: name(run, w, wanted), Owner: w.Kind + "/" + w.Name,
			OwnerUID: w.UID, Selector: w.Selector.String(),
		})
	}
	return wanted
}

// Selects reports whether a temporary budget can cover the workload: it has a selector, and that
// selects pods of it. The API server insists on that for built-in workloads only, and a budget
// that counts no pod never comes into force.
func Selects(s *kube.Snapshot, w *kube.Workload) bool {
	return w.Selector != nil && (w.APIVersion == "" || slices.ContainsFunc(budget.CountedWith(s, w),
		func(p *kube.Pod) bool { return w.Selector.Matches(p.Labels) }))
}

// name is the name of the temporary budget of a workload. Where another of the run has it
// already, or it would be longer than a name may be, part of the workload's UID tells them
// apart.
func name(run string, w *kube.Workload, others []Facts) string {
	name := "kdrain-" + run + "-" + w.Name
	used := slices.ContainsFunc(others, func(f Facts) bool { return f.Namespace == w.Namespace && f.Name == name })
	if len(name) <= validation.DNS1123SubdomainMaxLength && !used {
		return name
	}
	sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(w.UID)))[:9]
	most := validation.DNS1123SubdomainMaxLength - len(sum)
	return strings.TrimRight(name[:min(len(name), most)], "-.") + sum
}

// unprotected reports whether no pod of the workload is under a budget. A pod of somebody
// else that its selector happens to match shows as soon as the budget is there (Shared).
func unprotected(s *kube.Snapshot, w *kube.Workload) bool {
	return !slices.ContainsFunc(budget.CountedWith(s, w), func(p *kube.Pod) bool { return len(s.BudgetsOf(p)) > 0 })
}

// Shared reports whether another budget selects a pod of the temporary one too: under both,
// none of them can be evicted.
func Shared(s *kube.Snapshot, live *kube.Budget) bool {
	return live != nil && slices.ContainsFunc(s.PodsUnder(live), func(p *kube.Pod) bool {
		return len(s.BudgetsOf(p)) > 1
	})
}
