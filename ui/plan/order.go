package plan

import (
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// order is the page as a plan of several nodes in their order.
type order struct{ *Page }

// line says in which order the nodes are drained, and when about each: nil for a single node.
func (m order) line() paint.Line {
	if len(m.plan.Nodes) < 2 {
		return nil
	}
	l := paint.L(themes.Muted, "order ")
	for i := range m.plan.Nodes {
		if i > 0 {
			l = l.Add(themes.Muted, paint.Dot)
		}
		l = append(l, m.turnOf(i)...)
	}
	return l
}

// turnOf is the place of a node in the order, and from when until when about its pods leave.
func (m order) turnOf(i int) paint.Line {
	name := m.plan.Nodes[i].Name
	l := paint.L(themes.Marked, strconv.Itoa(i+1)).Add(themes.Text, " "+m.s.Names.Show(name, nameWidth))
	if span := m.time.now().SpanOf(name); span != nil {
		l = l.Add(themes.Estimate, " "+span.Words())
	}
	return l
}

// nameWidth is what the name of a node takes at most in a line of several.
const nameWidth = 40

// groups are the first pods of each node, where the pods are in the order of nodes.
func (m order) groups(shown []plan.Pod) map[string]string {
	if m.list.Sort != byNode || len(m.plan.Nodes) < 2 {
		return nil
	}
	first := map[string]string{}
	for i, pod := range shown {
		if i == 0 || shown[i-1].Node != pod.Node {
			first[string(pod.UID)] = pod.Node
		}
	}
	return first
}

// above is the title over the first pod of a node.
func (m order) above(key string) []paint.Line {
	node, ok := m.first[key]
	if !ok {
		return nil
	}
	for i, n := range m.plan.Nodes {
		if n.Name == node {
			counts := wording.Counts(verdict.OfNode(&n), 0)
			return []paint.Line{append(m.turnOf(i).Add(themes.Muted, paint.Dot), counts...)}
		}
	}
	return nil
}

// height is that of a row with the title over it.
func (m order) height(key string) int {
	if _, ok := m.first[key]; ok {
		return 2
	}
	return 1
}
