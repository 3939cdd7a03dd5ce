package ui

import (
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// bottom is the last line: the filter while it is typed, or what the keys do
// here.
func (m *Model) bottom() paint.Line {
	if m.filtering {
		return m.filterLine()
	}
	return m.hints()
}

// spoken is the lower rule with a word of the program in it, so that neither a
// row nor a hint has to give way.
func (m *Model) spoken() paint.Line {
	if m.toast == nil {
		return m.rule()
	}
	l := paint.Line{paint.Blank(1)}.Add(themes.Rule, paint.RuleCell+" ")
	var dismiss paint.Line
	if m.toast.until.IsZero() {
		dismiss = paint.L(themes.Muted, "  ").Add(themes.Key, "esc").Add(themes.Muted, " dismiss")
	}
	room := m.width - 1 - l.Width() - dismiss.Width() - 2
	word := paint.L(m.toast.token, m.toast.text)
	if word.Width() > room {
		word = word.Fit(room)
	}
	l = append(append(l, word...), dismiss...)
	l = l.Add(themes.Rule, " ")
	return append(l, paint.Rule(themes.Rule, max(0, m.width-1-l.Width()))...)
}

// whole is a word of the program that has no room in the rule; it takes the
// place of the sentence on the selected row until it goes.
func (m *Model) whole() (paint.Line, bool) {
	if m.toast == nil || paint.Width(m.toast.text) <= m.width-24 {
		return nil, false
	}
	return paint.L(m.toast.token, m.toast.text), true
}

func (m *Model) filterLine() paint.Line {
	l := m.current()
	return paint.Line{paint.Blank(1)}.Add(themes.Accent, "/ ").Add(themes.Input, l.filter).
		Add(themes.Muted, "   "+page.Number(l.table.Len())+" of "+page.Number(l.total)+"   enter keeps, esc shows all, ! inverts")
}

// hints are what the keys do now, as many as have room; what stands before
// them are the facts that must not be forgotten.
func (m *Model) hints() paint.Line {
	line := paint.Line{paint.Blank(1)}
	if l := m.current(); l != nil && l.filter != "" {
		line = line.Add(themes.Accent, "/"+paint.Truncate(l.filter, 16)).
			Add(themes.Muted, " "+page.Number(l.table.Len())+" of "+page.Number(l.total)+"   ")
	}
	if m.page == pageNodes && m.marks.Len() > 0 {
		line = line.Add(themes.Marked, page.Number(m.marks.Len())+" marked")
		if hidden := m.marks.Hidden(m.nodes.list.table.Keys()); hidden > 0 {
			line = line.Add(themes.Warning, ", "+page.Number(hidden)+" not shown")
		}
		line = line.Add(themes.Text, "   ")
	}
	if m.starting {
		line = line.Add(themes.Busy, "starting the run"+paint.Ellipsis+"   ")
	}
	const reserve = len("? help   ")
	for _, a := range m.keys.On(m.page) {
		if a.Title == "" || a.Writes && m.d.ReadOnly {
			continue
		}
		if a.Enabled != nil {
			if ok, _ := a.Enabled(m); !ok {
				continue
			}
		}
		title := a.Title
		if a.TitleNow != nil {
			if title = a.TitleNow(m); title == "" {
				continue
			}
		}
		hint := paint.L(themes.Key, hintKey(a.Keys)).Add(themes.Muted, " "+title)
		room := m.width
		if a.ID != "help" {
			room -= reserve
		}
		if line.Width()+hint.Width() > room {
			continue
		}
		line = append(append(line, hint...), paint.Blank(3))
	}
	return line
}

// hintKey is the first key of an action.
func hintKey(all []string) string { return keys.Label(all[0]) }
