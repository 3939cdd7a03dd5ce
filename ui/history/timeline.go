package history

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Timeline is a lane for each pod of the run, by node: asked for, blocked, ending, gone. Its
// cursor moves in time.
type Timeline struct {
	*reader
	list   frame.List
	lanes  map[string]*lane
	first  map[string]int // of each node: how many lanes it has, by the key of its first
	name   int            // the widest
	cursor time.Time      // zero for the end, which follows the run
	axis   axis
}

// List makes it a page with a table.
func (m *Timeline) List() *frame.List { return &m.list }

// Sorts are none: the order is that of nodes and time.
func (m *Timeline) Sorts() []frame.Sort { return nil }

// Actions move the cursor in time.
func (m *Timeline) Actions() []keys.Action {
	const group = "Timeline"
	move := func(id, help string, cells int, names ...string) keys.Action {
		return keys.Action{ID: id, Keys: names, Help: help, Group: group, Do: func() { m.moveTime(cells) }}
	}
	earlier := move("timeearlier", "the cursor one cell earlier", -1, "left")
	earlier.Title = "earlier"
	later := move("timelater", "the cursor one cell later", 1, "right")
	later.Title = "later"
	return []keys.Action{earlier, later,
		move("muchearlier", "the cursor ten cells earlier", -10, "["), move("muchlater", "the cursor ten cells later",
			10, "]"),
		{ID: "present", Keys: []string{"0"}, Title: "end", Help: "the cursor to the end, where it follows the run",
			Group: group,
			Do:    func() { m.cursor = time.Time{} }},
		{ID: "playcursor", Keys: []string{"enter"}, Title: "play from here", Group: "Replay", Enabled: m.canPlay,
			Help: "in a replay: go on from the time of the cursor", Do: func() {
				m.playFrom(m.shownAt())
				m.cursor = time.Time{}
			}},
	}
}

func (m *Timeline) moveTime(cells int) {
	if m.axis.width == 0 {
		return
	}
	at := m.axis.width - 1
	if !m.cursor.IsZero() {
		at = m.axis.cell(m.cursor)
	}
	if at += cells; at >= m.axis.width-1 {
		m.cursor = time.Time{}
		return
	}
	m.cursor = m.axis.end(max(at, 0)).Add(-m.axis.to.Sub(m.axis.from) / time.Duration(2*m.axis.width)) // its middle
}

// Opened begins at the end.
func (m *Timeline) Opened(frame.Ref) { m.cursor = time.Time{} }

// Update takes what was read.
func (m *Timeline) Update(msg tea.Msg) {
	if m.take(msg) {
		m.Rebuild()
	}
}

// Waits reports that more events are read soon.
func (m *Timeline) Waits() bool { return m.due() }

// Rebuild filters the lanes.
func (m *Timeline) Rebuild() {
	l := &m.list
	m.lanes, m.first, m.name, l.Total = map[string]*lane{}, map[string]int{}, 0, 0
	var shown []string
	if m.story != nil {
		match := l.Match()
		l.Total = len(m.story.lanes)
		node, begin := "", ""
		for i := range m.story.lanes {
			one := &m.story.lanes[i]
			if !match.Keeps(nil, func(has func(string) bool) bool { return has(one.name + " " + one.node) }) {
				continue
			}
			if begin == "" || one.node != node {
				node, begin = one.node, one.key
			}
			m.first[begin]++
			m.lanes[one.key] = one
			m.name = max(m.name, paint.Width(one.name))
			shown = append(shown, one.key)
		}
	}
	l.Table.SetKeys(shown)
}

// Layout fits the lanes, and has new events read.
func (m *Timeline) Layout(lay frame.Layout) {
	m.read()
	name := min(max(m.name, 8), max(18, m.s.Width/4))
	m.list.Layout(lay, []table.Column{
		{ID: "pod", Title: "POD", Width: name},
		{ID: "lane", Title: "", Width: 20, Grow: true},
	}, func(key string) int { return 1 + len(m.above(key)) })
	m.axis = axis{width: m.list.Width("lane"), cursor: m.cursor}
	if m.story != nil {
		m.axis.from, m.axis.to = m.story.from, m.story.to
		if now := m.now(); now.After(m.axis.to) {
			m.axis.to = now
		}
	}
	m.list.Columns[1].Title = m.ticks()
}

// ticks are the times over the lanes.
func (m *Timeline) ticks() string {
	if m.axis.width < 24 || !m.axis.to.After(m.axis.from) {
		return ""
	}
	const every = 20
	var b strings.Builder
	for cell := 0; cell+every <= m.axis.width; cell += every {
		at := format.Clock(m.axis.end(cell - 1).Sub(m.axis.from))
		b.WriteString(at + strings.Repeat(" ", every-len(at)))
	}
	return strings.TrimRight(b.String(), " ")
}

// above is the name of a node over its first lane.
func (m *Timeline) above(key string) []paint.Line {
	n := m.first[key]
	if n == 0 {
		return nil
	}
	return []paint.Line{paint.L(themes.Accent, m.lanes[key].node).Add(themes.Muted, paint.Dot+format.Count(n, "pod"))}
}

// shownAt is the moment that the page is about.
func (m *Timeline) shownAt() time.Time {
	if m.cursor.IsZero() {
		return m.axis.to
	}
	return m.cursor
}

// View is the lanes, and what the selected pod was in at the cursor.
func (m *Timeline) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Timeline"), Empty: paint.L(themes.Muted, "There is no run."),
		Cell: m.cell, Above: m.above}
	if m.s.State == nil {
		return v
	}
	v.Left = v.Left.Add(themes.Text, "  run "+m.s.State.Run.ID)
	v.Empty = paint.L(themes.Busy, "reading the events"+paint.Ellipsis)
	if m.story != nil {
		v.Empty = paint.L(themes.Muted, "No pod was to move.")
		if m.list.Filter != "" {
			v.Empty = paint.L(themes.Muted, "No pod matches "+format.Quote(m.list.Filter)+".")
		}
		at := m.shownAt()
		v.Right = paint.L(themes.Accent, "at "+format.Clock(at.Sub(m.axis.from))).Add(themes.Muted,
			paint.Dot+at.Format("15:04:05"))
	}
	v.Head = []paint.Line{legend(m.s.Width - 2)}
	if l := m.lanes[m.list.Table.Cursor()]; l != nil {
		v.Subject, v.Detail = l.name, m.sentence(l)
	}
	return v
}

// legend names the cells.
func legend(width int) paint.Line {
	var parts []paint.Line
	for _, of := range []struct {
		state eviction.State
		word  string
	}{{eviction.Requested, "asked"}, {eviction.BudgetBlocked, "blocked"}, {eviction.Terminating,
		"ending"}, {eviction.StuckTerminating, "stuck"},
		{eviction.Gone, "gone"}, {eviction.Failed, "failed"}} {
		cell, _, token := look(of.state)
		parts = append(parts, paint.L(token, cell+" "+of.word))
	}
	parts = append(parts, paint.L(themes.Muted, paint.Stay+" awaits its replacement"),
		paint.L(themes.Good, paint.Ready+" Ready"))
	return paint.Join(paint.S(themes.Muted, "   "), parts...).Fit(width)
}

// sentence says what the pod was in at the cursor, since when and why.
func (m *Timeline) sentence(l *lane) paint.Line {
	at := m.shownAt()
	s := l.at(at)
	if s == nil || s.State == eviction.Planned {
		return paint.L(themes.Muted, "Not asked for yet.")
	}
	_, _, token := look(s.State)
	line := paint.L(token, wording.PodWord(&eviction.Record{State: s.State})).Add(themes.Text,
		" since "+format.Clock(s.From.Sub(m.axis.from)))
	if !s.State.Final() {
		line = line.Add(themes.Muted, ", for "+format.Duration(at.Sub(s.From)))
	}
	if s.Tries > 0 {
		line = line.Add(themes.Muted, ", "+format.Plural(s.Tries, "try", "tries"))
	}
	if s.Why != "" {
		line = line.Add(themes.Text, ": "+s.Why)
	}
	switch r := l.replacement; {
	case r == nil || !s.State.Left():
	case !r.ReadyAt.IsZero() && !r.ReadyAt.After(at):
		line = line.Add(themes.Text, "; its replacement is Ready on "+wording.Clean(r.Node)+" since "+
			format.Clock(r.ReadyAt.Sub(m.axis.from)))
	case r.ReadyAt.IsZero():
		line = line.Add(themes.Warning, "; "+r.Words())
	default:
		line = line.Add(themes.Muted, "; its replacement is not Ready yet")
	}
	return line.Add(themes.Text, ".")
}

func (m *Timeline) cell(key, column string, width int) paint.Line {
	l := m.lanes[key]
	switch {
	case l == nil:
		return nil
	case column == "pod":
		return paint.L(themes.Text, paint.Middle(l.name, width))
	}
	return l.draw(m.axis)
}
