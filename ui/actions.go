package ui

import (
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
)

type action = keys.Action[*Model]

var (
	listPages = []keys.Page{pageNodes, pagePods, pagePlan, pageRun}
	readPages = []keys.Page{pageNodes, pagePods, pagePlan, pageOptions, pageRun, pagePod, pageLadder, pageFindings}
	allPages  = []keys.Page{pageNodes, pagePods, pagePlan, pageOptions, pageRun, pagePod, pageLadder, pageFindings, pageHelp, pageMessages}
)

// actions are everything that keys do, in the order of hints and help.
func actions() []action {
	var all []action
	for _, group := range [][]action{nodeActions(), planActions(), runActions(), podActions(), listActions(), programActions(), moveActions()} {
		all = append(all, group...)
	}
	return all
}

// moveActions are the only ones on h j k l g G.
func moveActions() []action {
	const group = "Moving"
	move := func(id, help string, do func(*Model), names ...string) action {
		return action{ID: id, Keys: names, Help: help, Group: group, Pages: allPages, Do: do}
	}
	return []action{
		move("down", "one line down", func(m *Model) { m.move(1) }, "down", "j"),
		move("up", "one line up", func(m *Model) { m.move(-1) }, "up", "k"),
		move("pagedown", "one page down", func(m *Model) { m.move(m.pageHeight()) }, "pgdown", "ctrl+f"),
		move("pageup", "one page up", func(m *Model) { m.move(-m.pageHeight()) }, "pgup", "ctrl+b"),
		move("halfdown", "half a page down", func(m *Model) { m.move(m.pageHeight() / 2) }, "ctrl+d"),
		move("halfup", "half a page up", func(m *Model) { m.move(-m.pageHeight() / 2) }, "ctrl+u"),
		move("first", "to the first line", func(m *Model) { m.move(-1 << 30) }, "home", "g"),
		move("last", "to the last line", func(m *Model) { m.move(1 << 30) }, "end", "G"),
	}
}

// move moves the cursor, or the text on a page without one.
func (m *Model) move(by int) {
	if l := m.current(); l != nil {
		l.touched = true
		l.table.Move(by)
		return
	}
	m.scroller().scroll(by, len(m.textLines()), m.textHeight())
}

func (m *Model) pageHeight() int {
	if m.current() == nil {
		return max(1, m.textHeight()-1)
	}
	return max(1, m.lay.Rows-1)
}

func listActions() []action {
	const group = "Lists"
	return []action{
		{ID: "filter", Keys: []string{"/"}, Title: "filter", Help: "show only rows with a text in them; ! before it shows the others", Group: group, Pages: listPages,
			Do: func(m *Model) { m.filtering, m.text.top = true, 0 }},
		{ID: "sortnext", Keys: []string{">"}, Title: "sort", Help: "sort by the next column", Group: group, Pages: listPages, Do: func(m *Model) { m.sortBy(1) }},
		{ID: "sortback", Keys: []string{"<"}, Help: "sort by the column before", Group: group, Pages: listPages, Do: func(m *Model) { m.sortBy(-1) }},
		{ID: "order", Keys: []string{"s"}, Help: "turn the order round", Group: group, Pages: listPages, Do: (*Model).turnOrder},
		{ID: "ordero", Keys: []string{"o"}, Help: "turn the order round", Group: group, Pages: []keys.Page{pageNodes, pagePods, pageRun}, Do: (*Model).turnOrder},
		{ID: "mark", Keys: []string{"space"}, Title: "mark", Help: "mark the node, or take its mark away", Group: group, Pages: []keys.Page{pageNodes}, Enabled: hasRow,
			Do: func(m *Model) { m.marks.Toggle(m.nodes.list.table.Cursor()); m.move(1) }},
		{ID: "markall", Keys: []string{"*"}, Help: "mark all nodes that are shown", Group: group, Pages: []keys.Page{pageNodes},
			Do: func(m *Model) {
				for _, k := range m.nodes.list.table.Keys() {
					m.marks.Add(k)
				}
			}},
		{ID: "marknone", Keys: []string{"-"}, Help: "take all marks away, also of nodes that are not shown", Group: group, Pages: []keys.Page{pageNodes},
			Do: func(m *Model) { m.marks.Clear() }},
	}
}

func (m *Model) sortBy(step int) {
	sorts := map[keys.Page][]string{pageNodes: nodeSorts, pagePods: planSorts, pagePlan: planSorts, pageRun: runSorts}[m.page]
	l := m.current()
	l.nextSort(sorts, step)
	m.rebuild()
	m.say("sorted by " + l.sort)
}

func (m *Model) turnOrder() {
	l := m.current()
	l.reverse = !l.reverse
	m.rebuild()
}

func hasRow(m *Model) (bool, string) {
	if l := m.current(); l == nil || l.table.Len() == 0 {
		return false, "there is no row to act on"
	}
	return true, ""
}

func programActions() []action {
	const group = "Program"
	return []action{
		{ID: "back", Keys: []string{"esc"}, Title: "back", TitleNow: backTitle,
			Help: "dismiss a message, clear the filter, go back; never leaves the program", Group: group, Pages: allPages, Do: (*Model).escape},
		{ID: "watch", Keys: []string{"w"}, Title: "watch run", Help: "go to the run, or to the result of the last one", Group: group, Pages: []keys.Page{pageNodes, pagePods, pagePlan},
			Enabled: func(m *Model) (bool, string) { return m.last != nil, "no run was started from here yet" },
			Do:      func(m *Model) { m.show(pageRun) }},
		{ID: "messages", Keys: []string{"e"}, Help: "everything the program said, newest first", Group: group, Pages: readPages,
			Do: func(m *Model) { m.text.top = 0; m.show(pageMessages) }},
		{ID: "repaint", Keys: []string{"ctrl+l"}, Help: "paint the screen anew", Group: group, Pages: allPages, Do: func(m *Model) { m.queue(clearScreen) }},
		{ID: "help", Keys: []string{"?"}, Title: "help", Help: "all keys", Group: group, Pages: readPages,
			Do: func(m *Model) { m.text.top = 0; m.show(pageHelp) }},
		{ID: "helpdone", Keys: []string{"?"}, Help: "back from the keys", Group: group, Pages: []keys.Page{pageHelp}, Do: (*Model).escape},
		{ID: "quit", Keys: []string{"q"}, Title: "quit", Help: "leave the program; asks while a run is going on. Ctrl+C asks too, and twice leaves at once", Group: group, Pages: allPages, Do: (*Model).askToQuit},
	}
}

// backTitle hints at esc where nothing else would but quit: who has read enough
// of the keys or the messages must not take q for the way back.
func backTitle(m *Model) string {
	if m.page == pageHelp || m.page == pageMessages {
		return "back"
	}
	return ""
}

// escape goes one step back: the message, then the filter, then the page.
func (m *Model) escape() {
	if m.dismiss() {
		return
	}
	if l := m.current(); l != nil && l.filter != "" {
		m.editFilter("")
		return
	}
	switch {
	case m.d.Replay && m.page == pageRun:
		m.refuse("esc does not leave: q quits")
		return
	case m.page == pageNodes:
		if m.marks.Len() > 0 {
			m.refuse("esc does not leave: - takes the marks away, q quits")
		}
		return
	}
	m.goBack()
	m.rebuild()
}
