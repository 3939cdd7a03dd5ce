package plan

import (
	"strconv"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// orderLine says in which order the nodes are drained, and when about each: nil for a single node.
func (m *Page) orderLine() paint.Line {
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
func (m *Page) turnOf(i int) paint.Line {
	name := m.plan.Nodes[i].Name
	l := paint.L(themes.Marked, strconv.Itoa(i+1)).Add(themes.Text, " "+m.s.Names.Show(name, nameWidth))
	if span := m.estimate().SpanOf(name); span != nil {
		l = l.Add(themes.Estimate, " "+span.Words())
	}
	return l
}

// nameWidth is what the name of a node takes at most in a line of several.
const nameWidth = 40

// estimate is that of the plan that is shown, nil while none is known.
func (m *Page) estimate() *plan.Estimate {
	if m.time.known != m.time.key {
		return nil
	}
	return m.time.estimate
}

// groups notes the first pod of each node, where the pods are in the order of nodes.
func (m *Page) groups(shown []plan.Pod) {
	m.first = nil
	if m.list.Sort != byNode || len(m.plan.Nodes) < 2 {
		return
	}
	m.first = map[string]string{}
	for i, pod := range shown {
		if i == 0 || shown[i-1].Node != pod.Node {
			m.first[string(pod.UID)] = pod.Node
		}
	}
}

// above is the title over the first pod of a node.
func (m *Page) above(key string) []paint.Line {
	node, ok := m.first[key]
	if !ok {
		return nil
	}
	for i, n := range m.plan.Nodes {
		if n.Name == node {
			return []paint.Line{append(m.turnOf(i).Add(themes.Muted, paint.Dot), wording.Counts(n.Counts(), 0)...)}
		}
	}
	return nil
}

// height is that of a row with the title over it.
func (m *Page) height(key string) int {
	if _, ok := m.first[key]; ok {
		return 2
	}
	return 1
}
