package pods

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// A changed cluster is looked through again after this time, in a large one after this many times
// what the last look took. What the operator asks for is looked for at once.
const (
	lookEvery = time.Second
	lookShare = 9
)

// Page is the list of all pods.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	list  frame.List

	targets   []string // nodes that the page was opened from
	nodes     []string // those whose pods are shown, none for all
	namespace string   // whose pods are shown, "" for all

	found   *found
	looking bool
	next    time.Time // when a changed cluster is looked through again
	use     use
	fates   fates
}

// New makes the page.
func New(shell frame.Shell) *Page {
	m := &Page{shell: shell, s: shell.Session()}
	m.list.Sort, m.list.Labels = sorts[0].ID, true
	return m
}

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are the columns to sort by; use only where it is known, and fates where few nodes are shown.
func (m *Page) Sorts() []frame.Sort {
	return slices.DeleteFunc(slices.Clone(sorts), func(s frame.Sort) bool {
		return !m.use.known() && (s.ID == "cpu" || s.ID == "memory") || s.ID == fateSort && !m.sortsByFate()
	})
}

// Opened shows the pods of the whole cluster, with their order as it was.
func (m *Page) Opened(ref frame.Ref) {
	m.targets, m.nodes, m.namespace, m.list.Filter, m.list.Touched = ref.Nodes, nil, "", "", false
}

// Targets are the node of the selected pod.
func (m *Page) Targets() []string {
	if p := m.selected(); p != nil && p.Node != "" {
		return []string{p.Node}
	}
	return nil
}

// selected is the pod under the cursor as it is now, or as it was when it was last seen; nil for none.
func (m *Page) selected() *kube.Pod { return m.pod(m.list.Table.Cursor()) }

func (m *Page) pod(key string) *kube.Pod {
	if p := m.s.Snap.Pod(kube.UID(key)); p != nil || m.found == nil {
		return p
	}
	return m.found.snap.Pod(kube.UID(key))
}

// Update takes what was found, and lets go of it where the page is not shown any longer: of many
// pods it is much.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case *found:
		m.looking = false
		m.next = m.s.Now.Add(max(lookEvery, lookShare*msg.took))
		m.found = msg
		m.fates.take(msg.drains)
		m.show()
	case *drains:
		m.onDrains(msg)
	case *usage:
		m.use.take(msg, m.s.Now)
	case frame.NewSnapshot:
		if m.found != nil && !m.shell.OnPath(frame.AllPods) {
			m.found, m.fates.of = nil, nil
			m.list.Table.SetKeys(nil)
		}
	}
}

func (m *Page) show() {
	l := &m.list
	l.Total = m.found.total
	l.Table.SetKeys(m.found.keys)
	if !l.Touched {
		l.Table.First()
	}
}

// Waits reports that the cluster is looked through again soon.
func (m *Page) Waits() bool {
	return m.found == nil || m.found.snap.Gen() != m.s.Snap.Gen() || m.use.due(m) || len(m.due()) > 0
}

// Rebuild looks for what is wanted now. It does not wait for it: the rows stay as they are until then.
func (m *Page) Rebuild() { m.look() }

func (m *Page) query() query {
	q := query{nodes: m.nodes, namespace: m.namespace, filter: m.list.Filter, sort: m.list.Sort,
		reverse: m.list.Reverse, read: m.use.reads}
	if q.sort == fateSort {
		q.options = m.s.Flags
	}
	return q
}

// look has the pods looked through, unless what was found is still what is wanted.
func (m *Page) look() {
	if m.list.Sort == fateSort && !m.sortsByFate() { // more nodes are shown by now
		m.list.SortBy(sorts[0])
	}
	q := m.query()
	if m.looking {
		return
	}
	if f := m.found; f != nil && f.same(q) && (f.snap.Gen() == m.s.Snap.Gen() || m.s.Now.Before(m.next)) {
		return
	}
	m.looking = true
	snap, match, clock, used, o, now := m.s.Snap, m.list.Match(), m.s.Clock, m.use.of, m.s.Options, m.s.Now
	m.shell.Go("the search through all pods", func(context.Context) tea.Msg {
		began := clock()
		f := look(snap, q, match, func(f *found, pods []*kube.Pod) func(a, b *kube.Pod) int {
			if q.sort == fateSort {
				return f.byFate(pods, o, now)
			}
			return comparing(q.sort, used)
		})
		f.took = clock().Sub(began)
		return f
	})
}

// Layout fits the columns, and has the pods looked through.
func (m *Page) Layout(lay frame.Layout) {
	m.look()
	m.use.ask(m)
	m.list.Layout(lay, m.columns(lay.Columns()), nil)
	m.askFates()
}

// View is the list; the sentence says what is wrong with the pod.
func (m *Page) View() frame.View {
	v := frame.View{Left: m.title(), Right: m.sums(), Cell: m.cell, Empty: m.empty(), Pane: m.pane}
	if n := wording.Notice(m.s.Snap, m.s.Now); n != nil {
		v.Head = append(v.Head, n)
	}
	if m.assumes() {
		v.Head = append(v.Head, wording.Assumed())
	}
	if p := m.selected(); p != nil {
		v.Subject, v.Detail = p.Name, m.sentence(p)
	}
	return v
}

// title says whose pods these are.
func (m *Page) title() paint.Line {
	l := paint.L(themes.Title, "All pods")
	if len(m.nodes) > 0 {
		l = l.Add(themes.Text, "  on "+format.List(m.s.Names.ShowAll(m.nodes), 3))
	}
	if m.namespace != "" {
		l = l.Add(themes.Muted, "  namespace ").Add(themes.Accent, m.namespace)
	}
	return l
}

// sums counts the pods, and those that need a look.
func (m *Page) sums() paint.Line {
	f := m.found
	if f == nil {
		return paint.L(themes.Busy, "reading"+paint.Ellipsis)
	}
	count := paint.L(themes.Muted, format.Count(f.total, "pod"))
	if f.namespace != "" {
		count = paint.L(themes.Muted, format.Number(f.total)+" of "+format.Count(f.scope, "pod"))
	}
	var failing, waiting, searching paint.Line
	if n := f.counts[rankFailing]; n > 0 {
		failing = paint.L(themes.Bad, paint.Bad+" "+format.Number(n)+" failing")
	}
	if n := f.counts[rankNotReady]; n > 0 {
		waiting = paint.L(themes.Warning, format.Number(n)+" not Ready")
	}
	if !f.same(m.query()) {
		searching = paint.L(themes.Busy, "searching"+paint.Ellipsis)
	}
	return paint.Join(paint.S(themes.Muted, paint.Dot), searching, count, failing, waiting)
}

// empty is what stands in the place of rows.
func (m *Page) empty() paint.Line {
	state := m.s.Snap.Sync(kube.KindPods)
	switch {
	case state.Phase == kube.Denied:
		return paint.L(themes.Bad, "Pods cannot be listed. "+format.Quote(state.Reason))
	case m.found == nil || state.Phase == kube.NotSynced:
		return paint.L(themes.Busy, "The pods are being read"+paint.Ellipsis)
	case m.list.Filter != "":
		return paint.L(themes.Muted, "No pod matches "+format.Quote(m.list.Filter)+". esc shows all again.")
	}
	return paint.L(themes.Muted, "There are no pods.")
}
