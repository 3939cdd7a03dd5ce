package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// pointing is what clicks and the wheel do, where the operator wants them. They select, sort, scroll and open; they
// never answer a question, and do nothing that writes: that is left to keys.
type pointing struct{ *model }

// mode is what of the mouse the terminal is asked for.
func (m pointing) mode() tea.MouseMode {
	if !m.d.Mouse {
		return tea.MouseModeNone
	}
	return tea.MouseModeCellMotion
}

// wheelLines is by how many lines one turn of the wheel moves.
const wheelLines = 3

func (m pointing) take(msg tea.MouseMsg) {
	if !m.d.Mouse || m.s.Width == 0 || m.lay.TooSmall {
		return
	}
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch at.Button {
		case tea.MouseWheelUp:
			m.wheel(-wheelLines, "up")
		case tea.MouseWheelDown:
			m.wheel(wheelLines, "down")
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && at.Mod == 0 && m.dialogs.top() == nil {
			m.interrupt = false
			m.click(at.X, at.Y)
		}
	}
}

// wheel moves the list or the text, or that of the question above it.
func (m pointing) wheel(by int, key string) {
	if d := m.dialogs.top(); d != nil {
		d.Key(key, "", m.now) // scrolls
		return
	}
	actions{&shell{m.model}}.move(by)
}

func (m pointing) click(x, y int) {
	v := m.page().View()
	l := m.list()
	if l == nil {
		top := 2 + len(v.Head) // title and rule
		p, ok := m.page().(frame.Mover)
		if line := y - top; ok && line >= 0 && line < m.textHeight(v) && p.Point(line+p.Scroll().Top, x-1) {
			m.enter()
		}
		return
	}
	switch spot := l.Spot(x, y, m.lay, v); {
	case spot.Column != "":
		m.sort(l, spot.Column)
	case spot.Row == "":
	case spot.Row == l.Table.Cursor():
		m.enter()
	default:
		m.filtering = false
		l.Choose(spot.Row)
	}
}

// sort sorts by a column, or turns the order round where rows are sorted by it.
func (m pointing) sort(l *frame.List, column string) {
	for _, by := range m.page().(frame.Lister).Sorts() {
		switch ours := (actions{&shell{m.model}}); {
		case by.ID != column:
		case l.Sort == column:
			ours.turnOrder()
		default:
			ours.sortBy(by)
		}
	}
}

// enter is the key of that name, but for what writes.
func (m pointing) enter() {
	action := m.keys.Find(m.path.page, "enter")
	if action == nil {
		return
	}
	writes := action.Writes
	if p, ok := m.page().(*palette); ok {
		chosen := p.rows[p.list.Table.Cursor()].action
		writes = chosen != nil && chosen.Writes
	}
	if writes {
		m.notices.refuse("a click does nothing that changes the cluster or a run: press enter", m.now)
		return
	}
	m.filtering = false
	act(m.model, action)
}
