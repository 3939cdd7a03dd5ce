package kube

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// A namespace can have as many budgets as it has owners of pods, so neither is a
// pod compared with all of them nor a budget with all pods more than once.

// budgetLabel is a label that everything has which a budget selects; key and value
// are empty for a budget that insists on no single value.
type budgetLabel struct{ namespace, key, value, budget string }

func byLabel(a, b budgetLabel) bool {
	return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.key, b.key),
		strings.Compare(a.value, b.value), strings.Compare(a.budget, b.budget)) < 0
}

// fewBudgets of a namespace are compared with a pod one by one, which is faster
// than to look for each of its labels.
const fewBudgets = 8

// budgetsOf are the budgets that select the pod, by name.
func (t *tables) budgetsOf(p *Pod) []*Budget {
	var found []*Budget
	seen := 0
	for b := range t.budgetsIn(p.Namespace) {
		if seen++; seen > fewBudgets {
			return t.budgetsByLabel(p)
		}
		if b.Selector.Matches(p.Labels) {
			found = append(found, b)
		}
	}
	return found
}

func (t *tables) budgetsByLabel(p *Pod) []*Budget {
	found := t.budgetsWith(nil, p, "", "")
	for key, value := range p.Labels {
		found = t.budgetsWith(found, p, key, value)
	}
	slices.SortFunc(found, func(a, b *Budget) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// budgetsWith adds the budgets that select the pod, of those under a label.
func (t *tables) budgetsWith(found []*Budget, p *Pod, key, value string) []*Budget {
	pivot := budgetPivots.take()
	defer budgetPivots.give(pivot)
	t.budgetsBy.from(budgetLabel{p.Namespace, key, value, ""}, func(l budgetLabel) bool {
		if l.namespace != p.Namespace || l.key != key || l.value != value {
			return false
		}
		pivot.Namespace, pivot.Name = l.namespace, l.budget
		if b, ok := t.budgets().get(pivot); ok && b.Selector.Matches(p.Labels) {
			found = append(found, b)
		}
		return true
	})
	return found
}

// labelsOf are the labels under which a budget can be found.
func labelsOf(b *Budget) []budgetLabel {
	var found []budgetLabel
	requirements, _ := b.Selector.Requirements()
	for _, r := range requirements {
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			if values := r.ValuesUnsorted(); len(values) == 1 {
				found = append(found, budgetLabel{b.Namespace, r.Key(), values[0], b.Name})
			}
		}
	}
	if len(found) == 0 {
		found = append(found, budgetLabel{b.Namespace, "", "", b.Name})
	}
	return found
}

// under counts the budgets of a label, as far as it matters.
func (t *tables) under(l budgetLabel) int {
	n := 0
	t.budgetsBy.from(budgetLabel{l.namespace, l.key, l.value, ""}, func(other budgetLabel) bool {
		if other.namespace != l.namespace || other.key != l.key || other.value != l.value {
			return false
		}
		n++
		return n < fewBudgets
	})
	return n
}

// budgetChanged keeps what is known of a budget in line with it. Where the selector
// may have changed, which pods it selects is found out when a snapshot is taken.
func (t *tables) budgetChanged(old, b *Budget) {
	if b != nil && b.Selector == nil {
		b.Selector = labels.Nothing()
	}
	if old != nil && b != nil && old.UID == b.UID && old.Generation == b.Generation &&
		old.Selector.String() == b.Selector.String() {
		return
	}
	if old != nil {
		t.dropBudget(old)
	}
	if b != nil {
		// The label that it shares with the fewest others: many insist on the same team.
		t.budgetsBy.set(slices.MinFunc(labelsOf(b), func(x, y budgetLabel) int { return t.under(x) - t.under(y) }))
		t.unmatched = append(t.unmatched, b)
	}
}

// matchBudgets finds the pods under the budgets that are new, in one pass over the
// pods of their namespaces.
func (t *tables) matchBudgets() {
	fresh := map[string]map[UID]bool{}
	for _, b := range t.unmatched {
		if fresh[b.Namespace] == nil {
			fresh[b.Namespace] = map[UID]bool{}
		}
		fresh[b.Namespace][b.UID] = true
	}
	t.unmatched = nil
	for namespace, budgets := range fresh {
		t.pods.byName.from(&podKey{namespace: namespace}, func(k *podKey) bool {
			if k.namespace != namespace {
				return false
			}
			for _, b := range t.budgetsOf(t.pods.records.get(k.slot)) {
				if budgets[b.UID] {
					t.covered.set(budgetPod{b.UID, k})
				}
			}
			return true
		})
	}
}

func (t *tables) dropBudget(old *Budget) {
	for _, l := range labelsOf(old) {
		t.budgetsBy.remove(l)
	}
	var entries []budgetPod
	t.covered.from(budgetPod{old.UID, &podKey{}}, func(c budgetPod) bool {
		if c.budget == old.UID {
			entries = append(entries, c)
		}
		return c.budget == old.UID
	})
	for _, c := range entries {
		t.covered.remove(c)
	}
}

// budgetPod says that a budget selects a pod.
type budgetPod struct {
	budget UID
	pod    *podKey
}

func byBudget(a, b budgetPod) bool {
	if c := cmp.Compare(a.budget, b.budget); c != 0 {
		return c < 0
	}
	return compareNames(a.pod, b.pod) < 0
}

func (t *tables) podsUnder(budget UID) []*Pod {
	var pods []*Pod
	t.covered.from(budgetPod{budget, &podKey{}}, func(c budgetPod) bool {
		if c.budget != budget {
			return false
		}
		pods = append(pods, t.pods.records.get(c.pod.slot))
		return true
	})
	return pods
}
