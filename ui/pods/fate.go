package pods

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// What a drain of its node would do with a pod is told by the whole plan of that node alone: which other pods share
// its budget, and where it lands. In a large cluster that is ten milliseconds of work for each node. So it is made for
// the nodes of the visible rows, beside the event loop; and pods are sorted by it only where so few nodes are shown
// that all of their plans are made.
const (
	fateSort  = "fate"
	fateNodes = 50   // whose pods are sorted by it
	fateBatch = 8    // nodes at a time, so that the first rows do not wait for the last
	fateShare = 9    // one part of working, so many of rest, before plans are made again
	fateKept  = 1000 // nodes
)

// drained is what a drain of a node would do.
type drained struct {
	gen     uint64
	options string
	assumed bool // besides the options, the usual flags
	pods    map[kube.UID]plan.Pod
}

// drainOf makes the plan of a node, with the flags that its preview assumes.
func drainOf(s *kube.Snapshot, node string, o plan.Options, options string, now time.Time) *drained {
	d := &drained{gen: s.Gen(), options: options, pods: map[kube.UID]plan.Pod{}}
	if _, d.assumed = plan.NewPreviews(s, now).Assume(node, o); d.assumed {
		o = o.WithUsual()
	}
	planned, err := plan.New(s, []string{node}, o, now)
	if err != nil { // there is no such node
		return d
	}
	for _, p := range planned.Nodes[0].Pods {
		d.pods[p.UID] = p
	}
	return d
}

// fates are those of the pods of some nodes.
type fates struct {
	of     map[string]*drained // by node
	asking bool
	next   time.Time // when plans of an older snapshot are made again

	assumed bool   // by a plan with these options: the usual flags
	options string // of the newest plan
}

// drains are plans that were made.
type drains struct {
	of   map[string]*drained
	took time.Duration
}

func (f *fates) take(of map[string]*drained) {
	if f.of == nil || len(f.of) > fateKept {
		f.of = map[string]*drained{}
	}
	maps.Copy(f.of, of)
	for _, d := range of {
		f.assumed = d.assumed || f.assumed && f.options == d.options
		f.options = d.options
	}
}

// fate is what becomes of a pod, and in which plan; false where that is not known yet.
func (f *fates) fate(p *kube.Pod) (plan.Pod, bool) {
	d := f.of[p.Node]
	if d == nil {
		return plan.Pod{}, false
	}
	pod, ok := d.pods[p.UID]
	return pod, ok
}

// due are the nodes of the visible rows whose plans are to be made: those without one at once, older ones after a rest.
func (m *Page) due() (nodes []string) {
	f := &m.fates
	if f.asking || m.list.Width(fateSort) == 0 {
		return nil
	}
	var older []string
	for _, key := range m.list.Visible() {
		p := m.pod(key)
		if p == nil || p.Node == "" || slices.Contains(nodes, p.Node) || slices.Contains(older, p.Node) {
			continue
		}
		d := f.of[p.Node]
		switch {
		case d == nil || d.options != m.s.Flags:
			nodes = append(nodes, p.Node)
		case d.gen != m.s.Snap.Gen():
			older = append(older, p.Node)
		}
	}
	if len(nodes) == 0 && !m.s.Now.Before(f.next) {
		nodes = older
	}
	return nodes[:min(len(nodes), fateBatch)]
}

// askFates has the plans made that are due.
func (m *Page) askFates() {
	nodes := m.due()
	if len(nodes) == 0 {
		return
	}
	m.fates.asking = true
	snap, o, options, now, clock := m.s.Snap, m.s.Options, m.s.Flags, m.s.Now, m.s.Clock
	m.shell.Go("the fates of pods", func(context.Context) tea.Msg {
		began, made := clock(), &drains{of: map[string]*drained{}}
		for _, node := range nodes {
			made.of[node] = drainOf(snap, node, o, options, now)
		}
		made.took = clock().Sub(began)
		return made
	})
}

func (m *Page) onDrains(made *drains) {
	m.fates.asking = false
	m.fates.take(made.of)
	m.fates.next = m.s.Now.Add(fateShare * made.took)
}

// sortsByFate reports whether so few nodes are shown that the plan of each is made.
func (m *Page) sortsByFate() bool {
	nodes := len(m.nodes)
	if nodes == 0 {
		nodes = m.s.Snap.Sync(kube.KindNodes).Count
	}
	return nodes <= fateNodes
}

// byFate ranks pods by what a drain of their nodes would do, the gravest first; those on no node are last. It is
// called beside the event loop, and keeps the plans that it makes.
func (f *found) byFate(pods []*kube.Pod, o plan.Options, now time.Time) func(a, b *kube.Pod) int {
	f.drains = map[string]*drained{}
	ranks := make(map[kube.UID]int, len(pods))
	for _, p := range pods {
		d := f.drains[p.Node]
		if d == nil && p.Node != "" {
			d = drainOf(f.snap, p.Node, o, f.options, now)
			f.drains[p.Node] = d
		}
		ranks[p.UID] = 1 << 10
		if d != nil {
			if planned, ok := d.pods[p.UID]; ok {
				ranks[p.UID] = int(planned.Effects().Worst())
			}
		}
	}
	return func(a, b *kube.Pod) int { return ranks[a.UID] - ranks[b.UID] }
}

// fateCell is what a drain of its node would do with the pod.
func (m *Page) fateCell(p *kube.Pod, width int) paint.Line {
	switch planned, ok := m.fates.fate(p); {
	case ok:
		return wording.Effects(planned, width)
	case p.Node == "" || m.fates.of[p.Node] != nil: // on no node, or newer than the plan
		return paint.L(themes.Muted, "-")
	}
	return paint.L(themes.Muted, paint.Ellipsis)
}

// fateWords are what a drain would do with the pod, and why; "" where that is not known.
func (m *Page) fateWords(p *kube.Pod) string {
	planned, ok := m.fates.fate(p)
	if !ok {
		return ""
	}
	fate := planned.Effects().String()
	if why := wording.Why(planned); why != "" {
		return fate + ": " + why
	}
	return fate
}

// assumes reports whether fates assume the flags that most drains need. Once those of a node do, it stays said, so that
// scrolling moves no rows.
func (m *Page) assumes() bool {
	return m.fates.assumed && m.fates.options == m.s.Flags && m.list.Width(fateSort) > 0
}

var fateOrder = frame.Sort{ID: fateSort, Title: "what a drain of the node does, the worst first"}
