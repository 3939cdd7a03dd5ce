package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// layout makes the layout of the page, scrolls to the cursor and asks for what the
// visible rows need: everything that View only reads.
func (m *model) layout() {
	if m.s.Width == 0 {
		return
	}
	head, pane := 0, false
	if l := m.list(); l != nil {
		if l.Stale {
			l.Stale = false
			m.rebuild()
		}
		v := m.page().View()
		head, pane = len(v.Head), v.Pane != nil
	}
	m.lay = frame.MakeLayout(m.s.Width, m.s.Height, head, pane)
	m.page().Layout(m.lay)
	m.scroll(0)
}

// scroll moves the text of a page without a table.
func (m *model) scroll(by int) {
	if p, ok := m.page().(frame.Scroller); ok {
		v := m.page().View()
		p.Scroll().By(by, len(v.Text), m.textHeight(v))
	}
}

// textHeight is the number of lines that a page of text shows.
func (m *model) textHeight(v frame.View) int { return max(1, m.s.Height-4-len(v.Head)) }

// View is the frame.
func (m *model) View() (view tea.View) {
	view.AltScreen, view.MouseMode = true, pointing{m}.mode()
	defer m.d.Crash.recover("View")
	if m.s.Width == 0 {
		return view
	}
	view.WindowTitle = windowTitle(m.s)
	view.ProgressBar = progressBar(m.s)
	if m.lay.TooSmall {
		view.Content = m.painter.Frame(renderer{m}.tooSmall(), m.s.Width, m.s.Height)
		return view
	}
	lines, x, y := renderer{m}.frame()
	painter := m.painter
	if p, ok := m.page().(interface{ Painter() *paint.Painter }); ok && p.Painter() != nil {
		painter = p.Painter()
	}
	view.Content = painter.Frame(lines, m.s.Width, m.s.Height)
	view.Cursor = tea.NewCursor(x, y)
	view.Cursor.Blink = false
	return view
}

// renderer makes a frame of what the model is; it changes nothing.
type renderer struct{ *model }

// frame is the page with the dialog over it, and where the cursor stands.
func (m renderer) frame() (lines []paint.Line, x, y int) {
	v := m.page().View()
	if l := m.list(); l != nil {
		lines, y = m.tableFrame(v, l)
	} else {
		lines, y = m.textFrame(v), m.s.Height-1
	}
	d := m.dialogs.top()
	if d == nil {
		if m.filtering {
			return lines, min(m.s.Width-1, 3+paint.Width(*search(m).text())), m.s.Height - 1
		}
		return lines, 0, y
	}
	box := d.Layout(m.s.Width, m.s.Height, m.now)
	left, top := (m.s.Width-box.Width)/2, max(0, (m.s.Height-len(box.Lines))/2)
	return paint.Overlay(paint.Behind(lines), box.Lines, left, top, box.Width), left + box.CursorX, top + box.CursorY
}

func (m renderer) tableFrame(v frame.View, list *frame.List) (lines []paint.Line, cursor int) {
	lay := m.lay
	lines = append(lines, m.titleLine(v.Left, v.Right, v.Brief), m.upperRule())
	for i := range lay.Head { // of rows that were scrolled to since, the page may have less to say
		var l paint.Line
		if i < len(v.Head) {
			l = v.Head[i]
		}
		lines = append(lines, indent(l))
	}
	rows := []paint.Line{indent(append(paint.Line{paint.Blank(2)}, v.Empty...))}
	at := -1
	lines = append(lines, list.Titles())
	if list.Table.Len() > 0 {
		rows, at = list.Rows(lay.Rows, v)
	}
	for len(rows) < lay.Rows {
		rows = append(rows, nil)
	}
	lines = append(lines, rows[:lay.Rows]...)
	if word, long := m.whole(); long {
		v.Subject, v.Detail = "message", word
	}
	lines = append(m.withPane(lines, v), m.spoken())
	lines = append(lines, sentence(m.short(v.Subject), v.Detail, m.s.Width-2, lay.DetailRows)...)
	lines = append(lines, m.bottom())
	if at < 0 {
		return lines, lay.Body
	}
	return lines, lay.Body + at
}

// withPane puts the pane beside the rows or below them, where the frame has room for it.
func (m renderer) withPane(lines []paint.Line, v frame.View) []paint.Line {
	at := m.lay.Pane
	if at.Width == 0 {
		return lines
	}
	width := at.Width - 2
	var pane []paint.Line
	if v.Subject != "" {
		pane = append(pane, paint.L(themes.Accent, v.Subject))
		pane = append(pane, paint.Wrap(v.Detail, width)...)
		pane = append(pane, nil)
		if v.Pane != nil && len(pane) < at.Height {
			pane = append(pane, v.Pane(width)...)
		}
	}
	pane = pane[:min(len(pane), at.Height)]
	if at.X == 0 {
		lines = append(lines, m.rule())
		for i := range at.Height {
			var l paint.Line
			if i < len(pane) {
				l = indent(pane[i].Fit(width))
			}
			lines = append(lines, l)
		}
		return lines
	}
	for i := range at.Height {
		l := append(lines[at.Y+i].Fit(at.X-1), paint.S(themes.Rule, paint.Upright+" "))
		if i < len(pane) {
			l = append(l, pane[i].Fit(width)...)
		}
		lines[at.Y+i] = l
	}
	return lines
}

func (m renderer) textFrame(v frame.View) []paint.Line {
	scroll := m.page().(frame.Scroller).Scroll()
	height, match := m.textHeight(v), scroll.Match()
	top := max(0, min(scroll.Top, len(v.Text)-height))
	right := paint.Join(paint.S(themes.Muted, paint.Dot), v.Right, scrolled(top, len(v.Text), height))
	lines := []paint.Line{m.titleLine(v.Left, right, nil), m.upperRule()}
	for _, l := range v.Head {
		lines = append(lines, indent(l))
	}
	for i := range height {
		at := top + i
		switch {
		case at >= len(v.Text):
			lines = append(lines, nil)
		case at == scroll.Hit && match.In(v.Text[at]):
			lines = append(lines, append(paint.L(themes.Accent, paint.Cursor), match.Mark(v.Text[at])...))
		default:
			lines = append(lines, indent(match.Mark(v.Text[at])))
		}
	}
	return append(lines, m.spoken(), m.bottom())
}

func scrolled(top, lines, height int) paint.Line {
	if lines <= height {
		return nil
	}
	return paint.L(themes.Muted, fmt.Sprintf("%d-%d of %d", top+1, min(lines, top+height), lines))
}

func indent(l paint.Line) paint.Line {
	if len(l) == 0 {
		return nil
	}
	return append(paint.Line{paint.Blank(1)}, l...)
}

// titleLine has the page on the left and its truth on the right; where both
// have no room, the left one gives way.
func (m renderer) titleLine(left, right, brief paint.Line) paint.Line {
	room := m.s.Width - 2
	badge := m.badgeInForce()
	if brief != nil && badge.Width()+2+left.Width()+right.Width()+2 > room {
		right = brief
	}
	if way := m.way(); badge.Width()+2+way.Width()+left.Width()+right.Width()+2 <= room {
		left = append(way, left...)
	}
	if badge != nil {
		left = slices.Concat(badge, paint.T("  "), left)
	}
	w := min(right.Width(), max(room*3/5, room-left.Width()-2))
	w = min(w, room-2)
	l := append(paint.Line{paint.Blank(1)}, left.Fit(room-w-1)...)
	l = append(l, paint.Blank(1))
	return append(l, right.Fit(w)...)
}

// way are the pages that esc leads back to, the first of them first.
func (m renderer) way() paint.Line {
	var l paint.Line
	for _, page := range m.path.back {
		l = l.Add(themes.Muted, string(page)+" "+paint.Into+" ")
	}
	return l
}

// badgeInForce is that of the run where the page is about one, else that of the next
// plan.
func (m renderer) badgeInForce() paint.Line {
	if m.s.State != nil && m.path.has(frame.Run) && m.path.page != frame.Plan {
		return m.ran
	}
	if m.d.Replay { // there is no next plan
		return m.rolled
	}
	return m.badge
}

func (m renderer) rule() paint.Line {
	return append(paint.Line{paint.Blank(1)}, paint.Rule(themes.Rule, m.s.Width-2)...)
}

// upperRule shows that this is a replay, and how much of it is played.
func (m renderer) upperRule() paint.Line {
	if !m.d.Replay {
		return m.rule()
	}
	return indent(positionRule(m.position, m.s.Width-2))
}

// short is what a sentence is about, in the width that it has for that: a node so that no other looks the same.
func (m renderer) short(subject string) string {
	width := min(28, (m.s.Width-2)/3)
	if m.s.Snap != nil && m.s.Snap.Node(subject) != nil {
		return m.s.Names.Show(subject, max(width, m.s.Names.Least()))
	}
	return paint.Middle(subject, width)
}

// sentence wraps what there is to say on the selected row beside its name.
func sentence(name string, l paint.Line, width, rows int) []paint.Line {
	lines := make([]paint.Line, rows)
	if name == "" || rows == 0 {
		return lines
	}
	hang := paint.Width(name) + 2
	wrapped := paint.Wrap(l, width-hang)
	if len(wrapped) > rows {
		rest := wrapped[rows-1]
		for _, more := range wrapped[rows:] {
			rest = append(rest[:len(rest):len(rest)], more...)
		}
		wrapped = append(wrapped[:rows-1:rows-1], rest.Fit(width-hang))
	}
	for i := range lines {
		lead := paint.Line{paint.Blank(1 + hang)}
		if i == 0 {
			lead = paint.Line{paint.Blank(1), paint.S(themes.Accent, name), paint.Blank(2)}
		}
		if i < len(wrapped) {
			lead = append(lead, wrapped[i]...)
		}
		lines[i] = lead
	}
	return lines
}
