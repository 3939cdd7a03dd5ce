package clustermap

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Page is the map of the cluster.
type Page struct {
	shell  frame.Shell
	s      *frame.Session
	scroll frame.Scroll // stays at the top: what is seen is made, not scrolled
	fill   fill
	cursor string // the selected node

	grid     grid
	gen      uint64 // of the snapshot that records are of
	records  []*kube.Node
	nodes    []located // of the records
	built    built
	from, to int // the rows that are seen
	tiles    int // lines for them
	details  int // lines for the sentence
	moving   moving
	movedBy  *drain.State // that moving was read from
	text     []paint.Line // what is seen
	made     map[string]*made
	madeFor  madeFor
}

// built is what the grid was made for, beside the nodes.
type built struct{ width, height, least int }

// locate reads the nodes and their zones, and reports whether these changed. A record that is the
// same as before is not read.
func (m *Page) locate() (changed bool) {
	records := m.s.Snap.Nodes()
	if m.nodes != nil && slices.Equal(records, m.records) {
		return false
	}
	nodes := make([]located, len(records))
	for i, n := range records {
		if i < len(m.records) && m.records[i] == n {
			nodes[i] = m.nodes[i]
		} else {
			nodes[i] = located{n.Name, n.Zone()}
		}
	}
	changed = m.nodes == nil || !slices.Equal(nodes, m.nodes)
	m.records, m.nodes = records, nodes
	return changed
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// Scroll makes it a page of text.
func (m *Page) Scroll() *frame.Scroll { return &m.scroll }

// Update needs no message: what is shown is read in Layout.
func (m *Page) Update(tea.Msg) {}

// Targets are the marked nodes, else the selected one.
func (m *Page) Targets() []string {
	if m.s.Marks.Len() > 0 {
		return m.s.Marks.Keys()
	}
	if m.cursor != "" {
		return []string{m.cursor}
	}
	return nil
}

// Hints count the marks.
func (m *Page) Hints() paint.Line {
	if m.s.Marks.Len() == 0 {
		return nil
	}
	return paint.L(themes.Marked, format.Number(m.s.Marks.Len())+" marked").Add(themes.Text, "   ")
}

// Actions move the cursor and lead to what it is on.
func (m *Page) Actions() []keys.Action {
	const group = "Map"
	aside := func(by int) func() { return func() { m.cursor = m.grid.step(m.cursor, by, 0) } }
	return []keys.Action{
		{ID: "mappods", Keys: []string{"enter"}, Title: "pods", Group: group, Enabled: m.hasNode,
			Help: "the pods of the node, and what a drain would do with each",
			Do:   func() { m.shell.Open(frame.Ref{Page: frame.Pods, Nodes: []string{m.cursor}}) }},
		{ID: "mapmark", Keys: []string{"space"}, Title: "mark", Group: group, Enabled: m.hasNode,
			Help: "mark or unmark the node", Do: func() { m.s.Marks.Toggle(m.cursor) }},
		{ID: "mapnone", Keys: []string{"-"}, Help: "unmark all nodes", Group: group, Do: m.s.Marks.Clear},
		{ID: "mapfill", Keys: []string{"f"}, Title: "fill by", Group: group,
			TitleNow: func() string { return "by " + m.next().String() }, Do: func() { m.fill = m.next() },
			Help: "what fills the bars: CPU requested, memory requested, CPU used, memory used"},
		{ID: "mapleft", Keys: []string{"left", "h"}, Help: "one node to the left", Group: "Moving", Do: aside(-1)},
		{ID: "mapright", Keys: []string{"right", "l"}, Help: "one node to the right", Group: "Moving", Do: aside(1)},
	}
}

func (m *Page) hasNode() (bool, string) {
	return m.s.Snap.Node(m.cursor) != nil, "there is no node to act on"
}

// next is what fills the bars after another press; use only where it is known.
func (m *Page) next() fill {
	next := (m.fill + 1) % fills
	if next < cpuUsed {
		return next
	}
	for _, n := range m.s.Snap.Nodes()[:min(len(m.s.Snap.Nodes()), 8)] {
		if _, known := m.s.Snap.NodeUsage(n.Name); known {
			return next
		}
	}
	return cpuRequested
}

// Move moves the cursor by rows of tiles: by one for a line, else by what so many lines have.
func (m *Page) Move(lines int) {
	rows := lines
	if lines < -1 || lines > 1 {
		rows = lines / max(1, m.grid.height+gap)
		if rows == 0 {
			rows = lines / max(1, lines, -lines)
		}
		rows = max(-len(m.grid.rows), min(rows, len(m.grid.rows)))
	}
	m.cursor = m.grid.step(m.cursor, 0, rows)
}

// Point puts the cursor on the node whose tile stands there.
func (m *Page) Point(line, x int) (again bool) {
	if m.grid.columns {
		line-- // the titles
	}
	name := m.grid.nodeAt(m.from, m.to, line, x)
	if name == "" || name == m.cursor {
		return name != ""
	}
	m.cursor = name
	return false
}

// Opened begins where the operator was: on the node that the page before was about, from a
// run on one that it drains.
func (m *Page) Opened(frame.Ref) {
	if run := m.run(); run != nil && m.shell.OnPath(frame.Run) {
		if names := wording.NodesIn(run, drains); len(names) > 0 {
			m.cursor = names[0]
			return
		}
	}
	if targets := m.shell.Targets(); len(targets) > 0 && m.s.Marks.Len() == 0 {
		m.cursor = targets[0]
	}
}

func drains(s drain.NodeState) bool { return s == drain.NodeDraining }

// Layout places the tiles, where nodes or the frame changed, and scrolls to the cursor.
func (m *Page) Layout(lay frame.Layout) {
	if lay.TooSmall {
		return
	}
	m.details = max(1, lay.DetailRows-1)
	if lay.Height >= 36 {
		m.details = 3
	}
	m.tiles = lay.Height - 4 - len(m.head()) - 1 - m.details
	least := min(max(m.s.Names.Least()+markWidth+4, 18), 30)
	if gen := m.s.Snap.Gen(); gen != m.gen || m.nodes == nil { // of many changes few are about nodes
		if m.gen = gen; m.locate() {
			m.built = built{}
		}
	}
	if now := (built{lay.Width - 2, m.tiles, least}); now != m.built {
		m.build(now)
	}
	if run := m.run(); run != m.movedBy {
		m.moving, m.movedBy = movingOf(run), run
	}
	room := m.tiles
	if m.grid.columns {
		room-- // for the titles
	}
	m.from, m.to = m.grid.window(m.from, m.grid.at[m.cursor].row, room)
	m.text = m.draw()
}

func (m *Page) build(now built) {
	m.built = now
	m.grid = makeGrid(zonesOf(m.nodes), now.width, now.height-1, now.least)
	if _, known := m.grid.at[m.cursor]; !known {
		m.cursor = m.grid.first()
	}
}

// head says what the bars and the dots mean.
func (m *Page) head() []paint.Line {
	bar := paint.L(themes.BarFull, paint.BarFull).Add(themes.Text, " "+m.fill.String()).Add(themes.Muted, "   ")
	lines := []paint.Line{append(bar, legend()...).Fit(max(1, m.s.Width-2))}
	if n := wording.Notice(m.s.Snap, m.s.Now); n != nil {
		lines = append(lines, n.Fit(max(1, m.s.Width-2)))
	}
	return lines
}

// View is the tiles that are seen, and a sentence about the selected one.
func (m *Page) View() frame.View {
	return frame.View{Left: paint.L(themes.Title, "Map").Add(themes.Muted, "  "+m.s.Identity.Context),
		Right: m.count(), Head: m.head(), Text: m.text}
}

// draw makes the tiles that are seen, and the sentence.
func (m *Page) draw() (text []paint.Line) {
	if len(m.grid.at) == 0 {
		return []paint.Line{m.empty()}
	}
	if m.grid.columns {
		var titles paint.Line
		for z := range m.grid.zones {
			titles = append(titles, m.zoneTitle(z).Fit(m.grid.zoneWidth())...)
		}
		text = append(text, titles)
	}
	for r := m.from; r < m.to; r++ {
		text = append(text, m.rowLines(r)...)
	}
	for len(text) < m.tiles {
		text = append(text, nil)
	}
	text = append(text[:m.tiles], paint.Rule(themes.Rule, m.s.Width-2))
	text = append(text, m.sentence()...)
	return text
}

// rowLines are the lines of a row: the title of a zone, or tiles.
func (m *Page) rowLines(r int) []paint.Line {
	if z := m.grid.rows[r].zone; z >= 0 {
		return []paint.Line{m.zoneTitle(z)}
	}
	lines := make([]paint.Line, m.grid.rowHeight(r))
	for slot, name := range m.grid.rows[r].tiles {
		var tile []paint.Line
		if name != "" {
			tile = m.tile(name)
		}
		for i := range m.grid.height {
			if tile == nil {
				lines[i] = append(lines[i], paint.Blank(m.grid.tile+m.grid.gapAfter(slot)))
			} else {
				lines[i] = append(append(lines[i], tile[i]...), paint.Blank(m.grid.gapAfter(slot)))
			}
		}
	}
	return lines
}

func (m *Page) zoneTitle(z int) paint.Line {
	zone := &m.grid.zones[z]
	name := wording.Clean(zone.name)
	if name == "" {
		name = "no zone"
	}
	width := m.s.Width - 2
	if m.grid.columns {
		width = m.grid.zoneWidth() - m.grid.between - gap
	}
	count := paint.Dot + format.Count(len(zone.nodes), "node")
	return paint.L(themes.Accent, paint.Middle(name, max(4, width-len(count)))).Add(themes.Muted, count)
}

// count says how much of the cluster is seen, and what a run waits for.
func (m *Page) count() paint.Line {
	l := paint.L(themes.Muted, format.Count(len(m.grid.at), "node"))
	if m.moving.homeless > 0 {
		l = paint.L(themes.Warning, format.Plural(m.moving.homeless, "replacement", "replacements")+" on no node yet").
			Add(themes.Muted, paint.Dot).Add(themes.Muted, format.Count(len(m.grid.at), "node"))
	}
	if rows := len(m.grid.rows); m.to-m.from < rows {
		l = l.Add(themes.Muted, paint.Dot+fmt.Sprintf("rows %d-%d of %d", m.from+1, m.to, rows))
	}
	return l
}

func (m *Page) empty() paint.Line {
	switch state := m.s.Snap.Sync(kube.KindNodes); state.Phase {
	case kube.Denied:
		return paint.L(themes.Bad, "Nodes cannot be listed. "+format.Quote(state.Reason))
	case kube.NotSynced:
		return paint.L(themes.Busy, "The nodes are being read"+paint.Ellipsis)
	}
	return paint.L(themes.Muted, "This cluster has no nodes.")
}

// sentence is all there is to say of the selected node.
func (m *Page) sentence() []paint.Line {
	lines := make([]paint.Line, m.details)
	n := m.s.Snap.Node(m.cursor)
	if n == nil {
		return lines
	}
	l := paint.L(themes.Accent, n.Name).Add(themes.Text, "  ")
	l = append(l, wording.NodeState(n, m.run())...)
	t := m.tell(n, "")
	say := func(text string) { l = l.Add(themes.Text, paint.Dot+text) }
	if words := t.pods.words(); words != "" {
		say(format.Plural(t.pods.total(), "pod", "pods") + ": " + words)
	} else {
		say("no pod")
	}
	if moved := t.moved(m.s.Width); len(moved) > 0 {
		l = append(l.Add(themes.Text, paint.Dot), moved...)
	}
	for f := range fills {
		if part, whole, known := f.of(m.s.Snap, n); known && whole > 0 {
			say(fmt.Sprintf("%s %d%%", f, (part*100+whole/2)/whole))
		}
	}
	wrapped := paint.Wrap(l, m.s.Width-2)
	for i := range lines {
		if i < len(wrapped) {
			lines[i] = wrapped[i]
		}
	}
	if rest := len(wrapped) - m.details; rest > 0 {
		last := wrapped[m.details-1]
		for _, more := range wrapped[m.details:] {
			last = append(last[:len(last):len(last)], more...)
		}
		lines[m.details-1] = last.Fit(m.s.Width - 2)
	}
	return lines
}
