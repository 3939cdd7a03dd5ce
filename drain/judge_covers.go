package drain

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// cover is which budgets select a pod, and what is said of them whatever the pod:
// the same for all pods of an owner that share their labels, as nearly all do.
// Plans share it, so nobody writes to its parts.
type cover struct {
	labels  map[string]string
	budgets []*kube.Budget // by name
	names   []string
	numbers []BudgetNumbers
	allows  string // the line of the only budget where it allows something, "" until asked for
}

// cover looks up what covers a pod. Owners are shared by all records that name
// them, so their address stands for them.
func (l *ledger) cover(p *kube.Pod) *cover {
	if p.Owner == nil {
		return l.coverOf(p)
	}
	known := l.covers[p.Owner]
	if known == nil || !maps.Equal(known.labels, p.Labels) {
		known = l.coverOf(p)
		if l.covers == nil {
			l.covers = make(map[*kube.Owner]*cover)
		}
		l.covers[p.Owner] = known
	}
	return known
}

func (l *ledger) coverOf(p *kube.Pod) *cover {
	c := &cover{labels: p.Labels, budgets: l.shelf(p.Namespace).of(p), names: []string{}}
	for _, b := range c.budgets {
		c.names = append(c.names, b.Name)
		c.numbers = append(c.numbers, Numbers(b))
	}
	return c
}

// allowsLine says that the only budget of the pod lets one go now.
func (c *cover) allowsLine() string {
	if c.allows == "" {
		c.allows = allowsWords(c.budgets[0])
	}
	return c.allows
}

// shelf holds the budgets of a namespace by a label that they insist on, so that
// a pod is compared with those that may select it only. A namespace can have as
// many budgets as it has owners.
type shelf struct {
	by    map[label][]*kube.Budget
	other []*kube.Budget // those that insist on no single value
}

type label struct{ key, value string }

func (l *ledger) shelf(namespace string) *shelf {
	known := l.shelves[namespace]
	if known == nil {
		known = newShelf(l.s.BudgetsIn(namespace))
		if l.shelves == nil {
			l.shelves = make(map[string]*shelf)
		}
		l.shelves[namespace] = known
	}
	return known
}

func newShelf(budgets []*kube.Budget) *shelf {
	s := &shelf{by: make(map[label][]*kube.Budget, len(budgets))}
	for _, b := range budgets {
		if on, ok := insistsOn(b.Selector); ok {
			s.by[on] = append(s.by[on], b)
		} else {
			s.other = append(s.other, b)
		}
	}
	return s
}

// insistsOn is a label that everything has which the selector selects.
func insistsOn(selector labels.Selector) (label, bool) {
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			if values := r.ValuesUnsorted(); len(values) == 1 {
				return label{r.Key(), values[0]}, true
			}
		}
	}
	return label{}, false
}

// of are the budgets that select the pod, by name.
func (s *shelf) of(p *kube.Pod) []*kube.Budget {
	var found []*kube.Budget
	take := func(candidates []*kube.Budget) {
		for _, b := range candidates {
			if b.Selector.Matches(p.Labels) {
				found = append(found, b)
			}
		}
	}
	take(s.other)
	for key, value := range p.Labels {
		take(s.by[label{key, value}])
	}
	slices.SortFunc(found, func(a, b *kube.Budget) int { return cmp.Compare(a.Name, b.Name) })
	return found
}
