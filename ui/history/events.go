package history

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// Events is the event log of the run: it follows while the cursor is on its last line.
type Events struct {
	*reader
	list    frame.List
	entries map[string]*entry
	object  int // the widest
}

// List makes it a page with a table.
func (m *Events) List() *frame.List { return &m.list }

// Sorts are none: the order is that of time.
func (m *Events) Sorts() []frame.Sort { return nil }

// Actions lead to a moment of a replay.
func (m *Events) Actions() []keys.Action {
	return []keys.Action{{ID: "playentry", Keys: []string{"enter"}, Title: "play from here", Group: "Replay",
		Enabled: m.canPlay, Help: "in a replay: go on from the time of the selected entry", Do: func() {
			if e := m.entries[m.list.Table.Cursor()]; e != nil {
				m.playFrom(e.at)
			}
		}}}
}

// Opened follows again.
func (m *Events) Opened(frame.Ref) { m.list.Touched = false }

// Update takes what was read.
func (m *Events) Update(msg tea.Msg) {
	if m.take(msg) {
		m.Rebuild()
	}
}

// Waits reports that more events are read soon.
func (m *Events) Waits() bool { return m.due() }

// Rebuild filters the entries, and follows the last where the cursor was on it.
func (m *Events) Rebuild() {
	l := &m.list
	follows := !l.Touched || l.Table.Len() == 0 || l.Table.Index() == l.Table.Len()-1
	m.entries, m.object, l.Total = map[string]*entry{}, 0, 0
	var shown []string
	if m.story != nil {
		match := l.Match()
		l.Total = len(m.story.entries)
		for i := range m.story.entries {
			e := &m.story.entries[i]
			if !match.Keeps(nil, e.found) {
				continue
			}
			m.entries[e.key] = e
			m.object = max(m.object, paint.Width(e.object))
			shown = append(shown, e.key)
		}
	}
	l.Table.SetKeys(shown)
	if follows {
		l.Table.Last()
	}
}

func (e *entry) found(has func(string) bool) bool {
	return has(e.what + " " + e.object + " " + e.text)
}

// Layout fits the columns, and has new events read.
func (m *Events) Layout(lay frame.Layout) {
	m.read()
	m.list.Layout(lay, []table.Column{
		{ID: "at", Title: "AT", Width: 8},
		{ID: "what", Title: "WHAT", Width: 12, Min: 10},
		{ID: "object", Title: "OBJECT", Width: min(max(m.object, 6), 48), Min: 12, Grow: true, Max: max(m.object, 6)},
		{ID: "text", Title: "", Width: 60, Min: 16, Grow: true},
	}, nil)
}

// View is the log.
func (m *Events) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Event log"), Empty: paint.L(themes.Muted, "There is no run."),
		Cell: m.cell}
	if m.s.State == nil {
		return v
	}
	v.Left = v.Left.Add(themes.Text, "  run "+m.s.State.Run.ID)
	if m.list.Table.Len() > 0 && m.s.Live() {
		v.Right = paint.L(themes.Muted, "G follows")
		if m.list.Table.Index() == m.list.Table.Len()-1 {
			v.Right = paint.L(themes.Busy, paint.Play+" follows")
		}
	}
	v.Right = paint.Join(paint.S(themes.Muted, paint.Dot), paint.L(themes.Muted,
		format.Count(m.list.Total, "entry")), v.Right)
	v.Empty = paint.L(themes.Busy, "reading the events"+paint.Ellipsis)
	if m.story != nil {
		v.Empty = paint.L(themes.Muted, "No entry matches "+format.Quote(m.list.Filter)+".")
	}
	if e := m.entries[m.list.Table.Cursor()]; e != nil {
		v.Subject = e.at.Format("15:04:05")
		v.Detail = paint.L(e.token, e.what).Add(themes.Accent, "  "+e.object).Add(themes.Text, "  "+e.text)
	}
	return v
}

func (m *Events) cell(key, column string, width int) paint.Line {
	e := m.entries[key]
	if e == nil {
		return nil
	}
	switch column {
	case "at":
		return paint.L(themes.Muted, format.Clock(e.at.Sub(m.story.from)))
	case "what":
		return paint.L(e.token, e.what)
	case "object":
		return paint.L(themes.Text, paint.Middle(e.object, width))
	}
	return paint.L(themes.Text, paint.Truncate(e.text, width))
}
