package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// nodesPage is the list of nodes.
type nodesPage struct {
	list     list
	previews map[string]previewed // of nodes that were visible
	asked    bool                 // a command that makes previews or their costs is out
	costsAt  time.Time            // when costs may be made again
	name     int                  // the widest of each, over all rows
	zone     int
	roles    int
}

// previewed is a preview with what it was made from.
type previewed struct {
	page.Preview
	gen     uint64
	costGen uint64 // of its costs, 0 for none
	options string
}

type previewMsg struct {
	gen      uint64
	options  string
	previews map[string]page.Preview
}

// costsMsg brings what drains of the visible nodes cost.
type costsMsg struct {
	gen     uint64
	options string
	costs   map[string]*page.Costs
	took    time.Duration
}

// costsDueMsg tells that costs may be made again: it wakes the model.
type costsDueMsg struct{}

// costsShare bounds what is spent on whole plans for the rows of a table: one part
// of working, this many of rest.
const costsShare = 9

// rebuildNodes filters and sorts the nodes of the newest snapshot.
func (m *Model) rebuildNodes() {
	l := &m.nodes.list
	text, inverse := l.matcher()
	all := m.snap.Nodes()
	l.total = len(all)
	shown := all
	if text != "" {
		shown = slices.DeleteFunc(slices.Clone(all), func(n *kube.Node) bool { return page.NodeMatches(n, text) == inverse })
	}
	if l.sort != "node" && l.sort != "" {
		shown = slices.Clone(shown)
		slices.SortFunc(shown, page.CompareNodes(m.snap, l.sort))
	}
	names := make([]string, len(shown))
	m.nodes.name, m.nodes.zone, m.nodes.roles = 0, 0, 0
	for i, n := range shown {
		names[i] = n.Name
		m.nodes.name = max(m.nodes.name, paint.Width(n.Name))
		m.nodes.zone = max(m.nodes.zone, paint.Width(n.Zone()))
	}
	if l.reverse {
		slices.Reverse(names)
	}
	l.table.SetKeys(names)
	m.measureRoles(all)
}

// measureRoles finds the widest roles among the first nodes: roles are few and
// alike, and labels of thousands of nodes are not walked for a width.
func (m *Model) measureRoles(all []*kube.Node) {
	for _, n := range all[:min(len(all), 64)] {
		m.nodes.roles = max(m.nodes.roles, paint.Width(strings.Join(page.Roles(n), ",")))
	}
}

func (m *Model) settleNodes() {
	_, usage := m.anyUsage()
	p := &m.nodes
	p.list.settle(m.lay, page.NodeColumns(m.width, p.name, p.zone, p.roles, m.live(), usage), nil)
	m.askPreviews()
}

func (m *Model) anyUsage() (kube.Usage, bool) {
	for _, n := range m.snap.Nodes()[:min(m.snap.NodeCount(), 8)] {
		if u, ok := m.snap.NodeUsage(n.Name); ok {
			return u, true
		}
	}
	return kube.Usage{}, false
}

// askPreviews has the previews of the visible rows made that are older than
// the snapshot; one command at a time, so that a busy cluster costs one look.
func (m *Model) askPreviews() {
	if m.nodes.asked || m.page != pageNodes || m.snap.Sync(kube.KindPods).Phase == kube.NotSynced {
		return
	}
	var stale []*kube.Node
	options := optionsKey(m.options)
	for _, name := range m.nodes.list.visible() {
		if p, ok := m.nodes.previews[name]; ok && p.gen == m.snap.Gen() && p.options == options {
			continue
		}
		if n := m.snap.Node(name); n != nil {
			stale = append(stale, n)
		}
	}
	if len(stale) == 0 {
		m.askCosts(options)
		return
	}
	m.nodes.asked = true
	snap, o, now := m.snap, m.options, m.now
	m.queue(m.d.Crash.guard("the preview of nodes", func() tea.Msg {
		made, previews := make(map[string]page.Preview, len(stale)), plan.NewPreviews(snap, now)
		for _, n := range stale {
			made[n.Name] = page.MakePreview(snap, n, o, previews.Node)
		}
		return previewMsg{gen: snap.Gen(), options: options, previews: made}
	}))
}

// askCosts has the whole plans of the visible rows made that have a preview. That is
// simulated scheduling, in a large cluster a second of work: it rests in between.
func (m *Model) askCosts(options string) {
	stale := map[*kube.Node]page.Preview{}
	for _, name := range m.nodes.list.visible() {
		p, ok := m.nodes.previews[name]
		if n := m.snap.Node(name); n != nil && ok && p.options == options && p.costGen != m.snap.Gen() {
			stale[n] = p.Preview
		}
	}
	if len(stale) == 0 || m.now.Before(m.nodes.costsAt) {
		return
	}
	m.nodes.asked = true
	snap, o, now, clock := m.snap, m.options, m.now, m.d.Now
	m.queue(m.d.Crash.guard("the costs of nodes", func() tea.Msg {
		msg := costsMsg{gen: snap.Gen(), options: options, costs: make(map[string]*page.Costs, len(stale))}
		for n, p := range stale {
			msg.costs[n.Name] = page.MakeCosts(snap, p, o, now)
		}
		msg.took = clock().Sub(now)
		return msg
	}))
}

func (m *Model) takeCosts(msg costsMsg) {
	m.nodes.asked = false
	for name, costs := range msg.costs {
		if p, ok := m.nodes.previews[name]; ok && p.options == msg.options {
			p.Costs, p.costGen = costs, msg.gen
			m.nodes.previews[name] = p
		}
	}
	if rest := costsShare * msg.took; rest > 0 {
		m.nodes.costsAt = m.now.Add(rest)
		m.queue(tea.Tick(rest, func(time.Time) tea.Msg { return costsDueMsg{} }))
	}
}

// optionsKey tells sets of options apart that classify differently.
func optionsKey(o plan.Options) string { return page.OptionWords(o) }

// maxPreviews bounds what is kept of rows that were scrolled away.
const maxPreviews = 2000

func (m *Model) takePreviews(msg previewMsg) {
	m.nodes.asked = false
	if len(m.nodes.previews) > maxPreviews {
		clear(m.nodes.previews)
	}
	for name, p := range msg.previews {
		next := previewed{Preview: p, gen: msg.gen, options: msg.options}
		if was, ok := m.nodes.previews[name]; ok && was.options == msg.options {
			next.Costs, next.costGen = was.Costs, was.costGen
		}
		m.nodes.previews[name] = next
	}
}

// preview is the newest preview of a node under these options, nil if there is
// none.
func (m *Model) preview(name, options string) *page.Preview {
	p, ok := m.nodes.previews[name]
	if !ok || p.options != options {
		return nil
	}
	return &p.Preview
}

func (m *Model) viewNodes() pageView {
	v := pageView{list: &m.nodes.list}
	v.left, v.right = page.Header(m.snap, m.d.Identity, m.d.ReadOnly, m.now)
	if n := page.Notice(m.snap, m.now); n != nil {
		v.head = append(v.head, n)
	}
	if n := m.leftoversNotice(); n != nil {
		v.head = append(v.head, n)
	}
	options := optionsKey(m.options)
	var n *kube.Node // of the row at work: its cells come one after the other
	var would *page.Preview
	v.cell = func(key, column string, width int) paint.Line {
		if n == nil || n.Name != key {
			if n = m.snap.Node(key); n == nil {
				return nil
			}
			would = m.preview(key, options)
		}
		return page.NodeCell(column, width, m.snap, n, would, m.last, m.now)
	}
	v.marked = m.marks.Has
	v.empty = m.nodesEmpty()
	if at := m.snap.Node(m.nodes.list.table.Cursor()); at != nil {
		v.subject, v.detail = at.Name, page.NodeSentence(at, m.preview(at.Name, options), m.now)
	}
	return v
}

func (m *Model) nodesEmpty() paint.Line {
	state := m.snap.Sync(kube.KindNodes)
	switch {
	case m.nodes.list.filter != "" && m.nodes.list.total > 0:
		return paint.L(themes.Muted, "No node matches "+page.Quote(m.nodes.list.filter)+". esc shows all again.")
	case state.Phase == kube.Denied:
		return paint.L(themes.Bad, "Nodes cannot be listed. "+page.Quote(state.Reason))
	case state.Phase == kube.NotSynced:
		return paint.L(themes.Busy, "The nodes are coming in"+paint.Ellipsis)
	}
	return paint.L(themes.Muted, "This cluster has no nodes.")
}
