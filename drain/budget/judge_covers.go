package budget

import (
	"maps"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// cover is which budgets select a pod, and what is said of them whatever the pod:
// the same for all pods of an owner that share their labels, as nearly all do.
// Plans share it, so its parts are read only.
type cover struct {
	labels  map[string]string
	budgets []*kube.Budget // by name
	names   []string
	numbers []Numbers
	allows  string // the line of the only budget where it allows something, "" until asked for
}

// cover looks up what covers a pod. Owners are shared by all records that name
// them, so their address stands for them.
func (l *Tracker) cover(p *kube.Pod) *cover {
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

func (l *Tracker) coverOf(p *kube.Pod) *cover {
	c := &cover{labels: p.Labels, budgets: l.s.BudgetsOf(p), names: []string{}}
	if l.Own != "" {
		c.budgets = slices.DeleteFunc(c.budgets, func(b *kube.Budget) bool { return b.TemporaryOf() == l.Own })
	}
	for _, b := range c.budgets {
		c.names = append(c.names, b.Name)
		c.numbers = append(c.numbers, NumbersOf(b))
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
