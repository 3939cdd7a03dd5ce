package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// pageView is what a page wants to show, before it has a place on the frame.
type pageView struct {
	left, right paint.Line // the title line
	head        []paint.Line
	list        *list
	cell        func(key, column string, width int) paint.Line
	extra       func(key string) paint.Line
	marked      func(key string) bool
	empty       paint.Line // instead of rows
	subject     string     // what the sentence below is about
	detail      paint.Line
	text        []paint.Line // instead of all that: lines that scroll
}

func (m *Model) view() pageView {
	switch m.page {
	case pagePods:
		return m.viewPlan(&m.pods, "Pods")
	case pagePlan:
		return m.viewPlan(&m.plan, "Plan")
	case pageOptions:
		return m.viewOptions()
	case pageRun:
		return m.viewRun()
	case pagePod:
		return m.viewPod()
	case pageLadder:
		return m.viewLadder()
	case pageHelp, pageMessages, pageFindings:
		return m.viewText()
	}
	return m.viewNodes()
}

// settle makes the layout of the page anew, scrolls to the cursor and asks for
// what the visible rows need: everything that View only reads.
func (m *Model) settle() {
	if m.width == 0 {
		return
	}
	head := 0
	if m.current() != nil {
		head = len(m.view().head)
	}
	m.lay = MakeLayout(m.width, m.height, head)
	switch m.page {
	case pageNodes:
		m.settleNodes()
	case pagePods:
		m.settlePlan(&m.pods)
	case pagePlan:
		m.settlePlan(&m.plan)
	case pageOptions:
		m.settleOptions()
	case pageRun:
		m.settleRun()
	case pageLadder:
		m.settleLadder()
	default:
		m.scroller().scroll(0, len(m.textLines()), m.textHeight())
	}
}

// View is the frame.
func (m *Model) View() (view tea.View) {
	view.AltScreen = true
	defer m.d.Crash.recover("View")
	if m.width == 0 {
		return view
	}
	view.WindowTitle = m.windowTitle()
	view.ProgressBar = m.progressBar()
	if m.lay.TooSmall {
		view.Content = m.painter.Frame(m.tooSmall(), m.width, m.height)
		return view
	}
	lines, x, y := m.frame()
	view.Content = m.painter.Frame(lines, m.width, m.height)
	view.Cursor = tea.NewCursor(x, y)
	view.Cursor.Blink = false
	return view
}

// frame is the page with the dialog over it, and where the cursor stands.
func (m *Model) frame() (lines []paint.Line, x, y int) {
	v := m.view()
	if v.text != nil {
		lines, y = m.textFrame(v), m.height-1
	} else {
		lines, y = m.tableFrame(v)
	}
	n := len(m.dialogs)
	if n == 0 {
		if m.filtering {
			return lines, min(m.width-1, 3+paint.Width(m.current().filter)), m.height - 1
		}
		return lines, 0, y
	}
	box := m.dialogs[n-1].Layout(m.width, m.height, m.now)
	left, top := (m.width-box.Width)/2, max(0, (m.height-len(box.Lines))/2)
	return paint.Overlay(lines, box.Lines, left, top, box.Width), left + box.CursorX, top + box.CursorY
}

func (m *Model) tableFrame(v pageView) (lines []paint.Line, cursor int) {
	lay := m.lay
	lines = append(lines, m.titleLine(v.left, v.right), m.rule())
	for _, l := range v.head[:min(lay.Head, len(v.head))] {
		lines = append(lines, indent(l))
	}
	rows := []paint.Line{indent(append(paint.Line{paint.Blank(2)}, v.empty...))}
	at := -1
	if v.list != nil {
		lines = append(lines, m.columnTitles(v.list))
		if v.list.table.Len() > 0 {
			rows, at = v.list.rows(lay.Rows, v.marked, v.cell, v.extra)
		}
	} else {
		lines = append(lines, nil)
	}
	for len(rows) < lay.Rows {
		rows = append(rows, nil)
	}
	lines = append(lines, rows[:lay.Rows]...)
	lines = append(lines, m.spoken())
	if word, long := m.whole(); long {
		v.subject, v.detail = "message", word
	}
	lines = append(lines, sentence(v.subject, v.detail, m.width-2, lay.DetailRows)...)
	lines = append(lines, m.bottom())
	if at < 0 {
		return lines, lay.Body
	}
	return lines, lay.Body + at
}

func (m *Model) textFrame(v pageView) []paint.Line {
	height := m.textHeight()
	right := paint.Join(paint.S(themes.Muted, paint.Dot), v.right, m.scrolled(len(v.text), height))
	lines := []paint.Line{m.titleLine(v.left, right), m.rule()}
	for _, l := range v.head {
		lines = append(lines, indent(l))
	}
	for i := range height {
		if at := m.scroller().top + i; at < len(v.text) {
			lines = append(lines, indent(v.text[at]))
		} else {
			lines = append(lines, nil)
		}
	}
	return append(lines, m.spoken(), m.bottom())
}

func (m *Model) scrolled(lines, height int) paint.Line {
	if lines <= height {
		return nil
	}
	top := m.scroller().top
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
func (m *Model) titleLine(left, right paint.Line) paint.Line {
	if badge := page.Badge(m.optionsInForce()); badge != nil {
		left = append(badge.Add(themes.Text, "  "), left...)
	}
	room := m.width - 2
	w := min(right.Width(), max(room*3/5, room-left.Width()-2))
	w = min(w, room-2)
	l := append(paint.Line{paint.Blank(1)}, left.Fit(room-w-1)...)
	l = append(l, paint.Blank(1))
	return append(l, right.Fit(w)...)
}

// optionsInForce are those of the run where the page is about one, else those of the
// next plan.
func (m *Model) optionsInForce() plan.Options {
	if m.last != nil && m.onPath(pageRun) && m.page != pagePlan {
		return m.last.Run.Options
	}
	return m.options
}

func (m *Model) rule() paint.Line {
	return append(paint.Line{paint.Blank(1)}, paint.Rule(themes.Rule, m.width-2)...)
}

func (m *Model) columnTitles(l *list) paint.Line {
	line := paint.Line{paint.Blank(Gutter)}
	first := true
	for i, c := range l.columns {
		w := l.widths[i]
		if w == 0 {
			continue
		}
		if !first {
			line = append(line, paint.Blank(table.Gap))
		}
		first = false
		title := c.Title
		if paint.Width(title) > w && page.ShortTitles[c.ID] != "" {
			title = page.ShortTitles[c.ID]
		}
		if l.sort == c.ID && paint.Width(title)+1 < w {
			title += map[bool]string{false: paint.Ascending, true: paint.Falling}[l.reverse]
		}
		cell := paint.L(themes.Muted, title)
		if c.Right {
			line = append(line, cell.FitRight(w)...)
		} else {
			line = append(line, cell.Fit(w)...)
		}
	}
	return line
}

// sentence wraps what there is to say on the selected row beside its name.
func sentence(subject string, l paint.Line, width, rows int) []paint.Line {
	lines := make([]paint.Line, rows)
	if subject == "" || rows == 0 {
		return lines
	}
	name := paint.Middle(subject, min(28, width/3))
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

func (m *Model) tooSmall() []paint.Line {
	lines := []paint.Line{
		paint.T("kdrain-tui needs"), paint.T(fmt.Sprintf("at least %d x %d", minWidth, minHeight)),
		paint.L(themes.Muted, fmt.Sprintf("this is %d x %d", m.width, m.height)), paint.L(themes.Muted, "q leaves"),
	}
	if m.live() {
		p := m.last.Progress("")
		lines = append(lines, paint.L(themes.Busy, fmt.Sprintf("run: %d of %d gone", p.Left, p.Total)))
	}
	for i, l := range lines {
		if l.Width() > m.width {
			lines[i] = l.Fit(m.width)
		}
	}
	return lines
}

func (m *Model) windowTitle() string {
	title := "kdrain-tui"
	if m.d.Identity.Context != "" {
		title += " " + m.d.Identity.Context
	}
	if m.live() {
		p := m.last.Progress("")
		title = fmt.Sprintf("%d/%d %s", p.Left, p.Total, title)
	}
	return title
}

// progressBar is what terminals show of a run in their own frame or task bar.
func (m *Model) progressBar() *tea.ProgressBar {
	if !m.live() || m.last.Phases[drain.PhaseEvict] != drain.PhaseRuns {
		return nil
	}
	p := m.last.Progress("")
	if p.Total == 0 {
		return nil
	}
	state := tea.ProgressBarDefault
	if p.Failed > 0 {
		state = tea.ProgressBarError
	} else if p.Blocked > 0 {
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, 100*p.Left/p.Total)
}
