package nodes

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page is the list of nodes.
type Page struct {
	shell     frame.Shell
	s         *frame.Session
	list      frame.List
	marks     *table.Marks    // of the session
	cordoning map[string]bool // nodes for which a request is out
	leftovers leftovers

	previews map[string]previewed // of nodes that were visible
	asked    bool                 // a command that makes previews or their costs is out
	costsAt  time.Time            // when costs may be made again
	zone     int                  // the widest of each, over all rows
	roles    int
	version  int
	upgrade  bool // the kubelets have several versions
	labels   labelColumns
}

// New makes the page: some nodes are marked at first, and some labels have a column.
func New(shell frame.Shell, marked, labels []string) *Page {
	m := &Page{shell: shell, s: shell.Session(), cordoning: map[string]bool{}, previews: map[string]previewed{},
		labels: newLabelColumns(labels)}
	m.marks = &m.s.Marks
	m.list.Sort, m.list.Labels = "node", true
	for _, name := range marked {
		m.marks.Add(name)
	}
	m.Rebuild()
	return m
}

// List is the table of the page.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are the columns to sort by; use only where it is known, drains only of so many nodes that all are previewed.
func (m *Page) Sorts() []frame.Sort {
	_, usage := m.anyUsage()
	sorts := slices.DeleteFunc(slices.Clone(nodeSorts), func(s frame.Sort) bool {
		return !usage && (s.ID == "cpuused" || s.ID == "memused") ||
			s.ID == wouldSort && m.s.Snap.Sync(kube.KindNodes).Count > wouldNodes
	})
	return slices.Concat(sorts, m.labels.sorts())
}

// Targets are the marked nodes, also those that a filter hides, else the selected one.
func (m *Page) Targets() []string {
	if m.marks.Len() > 0 {
		return m.marks.Keys()
	}
	if c := m.list.Table.Cursor(); c != "" {
		return []string{c}
	}
	return nil
}

// mark is the turn of a node where several are marked: they are drained in that order.
func (m *Page) mark(name string) string {
	turn := m.marks.Turn(name)
	switch {
	case turn == 0:
		return ""
	case m.marks.Len() == 1 || turn > 99:
		return paint.Marked
	}
	return strconv.Itoa(turn)
}

// Hints count the marks, also those that are not shown, and what they host.
func (m *Page) Hints() paint.Line {
	if m.marks.Len() == 0 {
		return nil
	}
	line := paint.L(themes.Marked, format.Number(m.marks.Len())+" marked")
	if hidden := m.marks.Hidden(m.list.Table.Keys()); hidden > 0 {
		line = line.Add(themes.Warning, ", "+format.Number(hidden)+" not shown")
	}
	if n := m.marks.Len(); n > 1 && n <= wouldNodes { // it is summed up for every frame
		pods := 0
		for _, name := range m.marks.Keys() {
			pods += m.s.Snap.Totals(name).Pods
		}
		line = line.Add(themes.Muted, ": "+format.Count(pods, "pod"))
	}
	return line.Add(themes.Text, "   ")
}

// Update takes news, and the answers to what the page asked for.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case frame.NewSnapshot:
		m.lookForLeftovers()
		m.list.Stale = true
	case frame.NewRun:
		if msg.Confirmed != nil {
			m.marks.Clear()
		}
	case frame.RollBegun:
		m.marks.Clear()
	case previewMsg:
		m.onPreviews(msg)
	case costsMsg:
		m.onCosts(msg)
	case confirm.CordonSet:
		m.onCordonSet(msg)
	case leftoversMsg:
		m.onLeftovers(msg)
	case removedMsg:
		m.takeRemoved(msg)
	}
}

// previewed is a preview with what it was made from.
type previewed struct {
	preview
	gen     uint64
	costGen uint64 // of its costs, 0 for none
	options string
}

type previewMsg struct {
	gen      uint64
	options  string
	previews map[string]preview
}

// costsMsg brings what drains of the visible nodes cost.
type costsMsg struct {
	gen     uint64
	options string
	costs   map[string]*costs
	took    time.Duration
}

// costsDueMsg tells that costs may be made again: it wakes the model.
type costsDueMsg struct{}

// costsShare bounds what is spent on whole plans for the rows of a table: one part
// of working, this many of rest.
const costsShare = 9

// Rebuild filters and sorts the nodes of the newest snapshot.
func (m *Page) Rebuild() {
	l := &m.list
	match := l.Match()
	all := m.s.Snap.Nodes()
	l.Total = len(all)
	shown := all
	if !match.All() {
		shown = slices.DeleteFunc(slices.Clone(all), func(n *kube.Node) bool {
			return !match.Keeps(n.Labels, textsOf(n, &m.labels))
		})
	}
	if l.Sort != "node" && l.Sort != "" {
		shown = slices.Clone(shown)
		by := compareNodes(m.s.Snap, l.Sort)
		if l.Sort == wouldSort {
			by = m.byWould()
		}
		slices.SortFunc(shown, by)
	}
	names := make([]string, len(shown))
	if len(shown) > 0 { // else the columns stay
		m.zone, m.version, m.upgrade = 0, 0, false
	}
	for i, n := range shown {
		names[i] = n.Name
		m.zone = max(m.zone, paint.Width(n.Zone()))
		m.version = max(m.version, len(n.KubeletVersion))
		m.upgrade = m.upgrade || n.KubeletVersion != shown[0].KubeletVersion
	}
	if l.Reverse {
		slices.Reverse(names)
	}
	l.Table.SetKeys(names)
	m.measureRoles(all)
	m.labels.measure(shown)
}

// measureRoles finds the widest roles among the first nodes: roles are few and
// alike, and labels of thousands of nodes are not walked for a width.
func (m *Page) measureRoles(all []*kube.Node) {
	for _, n := range all[:min(len(all), 64)] {
		m.roles = max(m.roles, paint.Width(strings.Join(roles(n), ",")))
	}
}

// Layout fits the columns, and asks for the previews of the visible rows.
func (m *Page) Layout(lay frame.Layout) {
	_, usage := m.anyUsage()
	columns := nodeColumns(lay.Columns(), m.s.Names, m.zone, m.roles, m.version, m.s.Live(), usage)
	for i := range columns {
		switch columns[i].ID {
		case m.list.Sort: // what the rows are sorted by gives way last
			columns[i].Drop = min(columns[i].Drop, 1)
		case "version":
			if m.upgrade { // else all rows say the same
				columns[i].Drop = 6
			}
		}
	}
	m.list.Layout(lay, m.labels.among(columns), nil)
	m.askPreviews()
}

func (m *Page) anyUsage() (kube.Usage, bool) {
	for _, n := range m.s.Snap.Nodes()[:min(m.s.Snap.Sync(kube.KindNodes).Count, 8)] {
		if u, ok := m.s.Snap.NodeUsage(n.Name); ok {
			return u, true
		}
	}
	return kube.Usage{}, false
}

// askPreviews has the previews of the visible rows made that are older than
// the snapshot; one command at a time, so that a busy cluster costs one look.
func (m *Page) askPreviews() {
	if m.asked || m.s.Snap.Sync(kube.KindPods).Phase == kube.NotSynced {
		return
	}
	var stale []*kube.Node
	options := m.s.Flags
	wanted := m.list.Visible()
	if m.list.Sort == wouldSort {
		wanted = m.list.Table.Keys()
	}
	for _, name := range wanted {
		if p, ok := m.previews[name]; ok && p.gen == m.s.Snap.Gen() && p.options == options {
			continue
		}
		if n := m.s.Snap.Node(name); n != nil {
			stale = append(stale, n)
		}
	}
	if len(stale) == 0 {
		m.askCosts(options)
		return
	}
	m.asked = true
	snap, o, now := m.s.Snap, m.s.Options, m.s.Now
	m.shell.Go("the preview of nodes", func(ctx context.Context) tea.Msg {
		made, previews := make(map[string]preview, len(stale)), plan.NewPreviews(snap, now)
		for _, n := range stale {
			made[n.Name] = makePreview(snap, n, o, previews)
		}
		return previewMsg{gen: snap.Gen(), options: options, previews: made}
	})
}

// askCosts has the whole plans of the visible rows made that have a preview. That is
// simulated scheduling, in a large cluster a second of work: it rests in between.
func (m *Page) askCosts(options string) {
	stale := map[*kube.Node]preview{}
	for _, name := range m.list.Visible() {
		p, ok := m.previews[name]
		if n := m.s.Snap.Node(name); n != nil && ok && p.options == options && p.costGen != m.s.Snap.Gen() {
			stale[n] = p.preview
		}
	}
	if len(stale) == 0 || m.s.Now.Before(m.costsAt) {
		return
	}
	m.asked = true
	snap, o, now, clock := m.s.Snap, m.s.Options, m.s.Now, m.s.Clock
	m.shell.Go("the costs of nodes", func(ctx context.Context) tea.Msg {
		msg := costsMsg{gen: snap.Gen(), options: options, costs: make(map[string]*costs, len(stale))}
		for n, p := range stale {
			msg.costs[n.Name] = makeCosts(snap, p, o, now)
		}
		msg.took = clock().Sub(now)
		return msg
	})
}

func (m *Page) onCosts(msg costsMsg) {
	m.asked = false
	for name, costs := range msg.costs {
		if p, ok := m.previews[name]; ok && p.options == msg.options {
			p.preview, p.costGen = p.with(costs), msg.gen
			m.previews[name] = p
		}
	}
	if rest := costsShare * msg.took; rest > 0 {
		m.costsAt = m.s.Now.Add(rest)
		m.shell.Do(tea.Tick(rest, func(time.Time) tea.Msg { return costsDueMsg{} }))
	}
}

// maxPreviews bounds what is kept of rows that were scrolled away.
const maxPreviews = 2000

func (m *Page) onPreviews(msg previewMsg) {
	m.asked = false
	if len(m.previews) > maxPreviews {
		clear(m.previews)
	}
	m.list.Stale = m.list.Stale || m.list.Sort == wouldSort
	for name, p := range msg.previews {
		next := previewed{preview: p, gen: msg.gen, options: msg.options}
		if was, ok := m.previews[name]; ok && was.options == msg.options {
			next.preview, next.costGen = p.with(was.Costs), was.costGen
		}
		m.previews[name] = next
	}
}

// preview is the newest preview of a node under these options, nil if there is
// none.
func (m *Page) preview(name, options string) *preview {
	p, ok := m.previews[name]
	if !ok || p.options != options {
		return nil
	}
	return &p.preview
}

// View is the list of nodes.
func (m *Page) View() frame.View {
	v := frame.View{}
	v.Left, v.Right, v.Brief = header(m.s)
	if n := wording.Notice(m.s.Snap, m.s.Now); n != nil {
		v.Head = append(v.Head, n)
	}
	if n := m.leftoversNotice(); n != nil {
		v.Head = append(v.Head, n)
	}
	if m.assumes() {
		v.Head = append(v.Head, wording.Assumed())
	}
	options := m.s.Flags
	run := m.s.State
	if !m.s.Live() { // a process that is gone works on nothing
		run = nil
	}
	var n *kube.Node // of the row at work: its cells come one after the other
	var would *preview
	v.Cell = func(key, column string, width int) paint.Line {
		if n == nil || n.Name != key {
			if n = m.s.Snap.Node(key); n == nil {
				return nil
			}
			would = m.preview(key, options)
		}
		return nodeCell(column, width, m.s, n, would, run)
	}
	v.Mark, v.Pane = m.mark, m.pane
	v.Empty = m.nodesEmpty()
	if at := m.s.Snap.Node(m.list.Table.Cursor()); at != nil {
		would := m.preview(at.Name, options)
		if run != nil && run.Node(at.Name) != nil && would != nil {
			working := *would // what another drain would meet is this run
			working.Costs, would = nil, &working
		}
		v.Subject, v.Detail = at.Name, nodeSentence(at, holdOf(m.s, at), would, m.s.Now)
	}
	return v
}

// assumes reports whether a row assumes the flags that most drains need.
func (m *Page) assumes() bool {
	return slices.ContainsFunc(m.list.Visible(), func(name string) bool {
		p := m.preview(name, m.s.Flags)
		return p != nil && p.Assumed
	})
}

func (m *Page) nodesEmpty() paint.Line {
	state := m.s.Snap.Sync(kube.KindNodes)
	switch {
	case m.list.Filter != "" && m.list.Total > 0:
		return paint.L(themes.Muted, "No node matches "+format.Quote(m.list.Filter)+". esc shows all again.")
	case state.Phase == kube.Denied:
		return paint.L(themes.Bad, "Nodes cannot be listed. "+format.Quote(state.Reason))
	case state.Phase == kube.NotSynced:
		return paint.L(themes.Busy, "The nodes are being read"+paint.Ellipsis)
	}
	return paint.L(themes.Muted, "This cluster has no nodes.")
}
