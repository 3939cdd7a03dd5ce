package ui

import (
	"cmp"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// bottom is the last line: the filter while it is typed, or what the keys do
// here; nothing below a question.
func (m renderer) bottom() paint.Line {
	if m.filtering {
		return m.filterLine()
	}
	if m.dialogs.top() != nil {
		return nil // the keys are those of the question
	}
	return m.hints()
}

// spoken is the lower rule with a word of the program in it, so that neither a
// row nor a hint has to give way.
func (m renderer) spoken() paint.Line {
	if m.notices.shown == nil {
		return m.placed()
	}
	l := paint.Line{paint.Blank(1)}.Add(themes.Rule, paint.RuleCell+" ")
	var dismiss paint.Line
	if m.notices.shown.until.IsZero() {
		dismiss = paint.L(themes.Muted, "  ").Add(themes.Key, "esc").Add(themes.Muted, " dismiss")
	}
	room := m.s.Width - 1 - l.Width() - dismiss.Width() - 2
	word := paint.L(m.notices.shown.token, m.notices.shown.text)
	if word.Width() > room {
		word = word.Fit(room)
	}
	l = append(append(l, word...), dismiss...)
	l = l.Add(themes.Rule, " ")
	return append(l, paint.Rule(themes.Rule, max(0, m.s.Width-1-l.Width()))...)
}

// placed is the lower rule with the place in a list that is longer than the page.
func (m renderer) placed() paint.Line {
	place := ""
	if l := m.list(); l != nil {
		place = l.Place()
	}
	if place == "" {
		return m.rule()
	}
	width := m.lay.TableWidth() - 6 - len(place)
	l := append(paint.Line{paint.Blank(1)}, paint.Rule(themes.Rule, width)...)
	l = l.Add(themes.Muted, " "+place+" ")
	return append(l, paint.Rule(themes.Rule, m.s.Width-1-l.Width())...)
}

// whole is a word of the program that has no room in the rule; it takes the
// place of the sentence on the selected row until it goes.
func (m renderer) whole() (paint.Line, bool) {
	if m.notices.shown == nil || paint.Width(m.notices.shown.text) <= m.s.Width-24 {
		return nil, false
	}
	return paint.L(m.notices.shown.token, m.notices.shown.text), true
}

func (m renderer) filterLine() paint.Line {
	l := m.list()
	if l == nil {
		return m.findLine()
	}
	if problem := l.Match().Problem; problem != "" {
		return paint.Line{paint.Blank(1)}.Add(themes.Accent, "/ ").Add(themes.Input, l.Filter).Add(themes.Warning,
			"   all are shown: "+problem).Fit(m.s.Width - 1)
	}
	if _, finding := m.page().(*palette); finding {
		return paint.Line{paint.Blank(1)}.Add(themes.Accent, ": ").Add(themes.Input, l.Filter).
			Add(themes.Muted, "   "+format.Count(l.Table.Len(), "match")+
				"   enter chooses, ↓ goes down, esc goes back")
	}
	return paint.Line{paint.Blank(1)}.Add(themes.Accent, "/ ").Add(themes.Input, l.Filter).
		Add(themes.Muted, "   "+format.Number(l.Table.Len())+" of "+format.Number(l.Total)+
			"   enter keeps, esc shows all, ! ~ -l")
}

// findLine is the line in which a text of the page is looked for.
func (m renderer) findLine() paint.Line {
	scroll := m.page().(frame.Scroller).Scroll()
	l := paint.Line{paint.Blank(1)}.Add(themes.Accent, "/ ").Add(themes.Input, scroll.Find)
	if problem := scroll.Match().Problem; problem != "" {
		return l.Add(themes.Warning, "   nothing is found: "+problem).Fit(m.s.Width - 1)
	}
	return l.Add(themes.Muted, "   "+format.Count(search(m).count(), "line")+
		"   enter keeps, n finds the next, esc ends")
}

// hints are what the keys do now, as many as have room; what stands before
// them are the facts that must not be forgotten.
func (m renderer) hints() paint.Line {
	line := paint.Line{paint.Blank(1)}
	if l := m.list(); l != nil && l.Filter != "" {
		line = line.Add(themes.Accent, "/"+paint.Truncate(l.Filter, 16)).
			Add(themes.Muted, " "+format.Number(l.Table.Len())+" of "+format.Number(l.Total)+"   ")
	}
	if p, ok := m.page().(frame.Scroller); ok && p.Scroll().Find != "" {
		line = line.Add(themes.Accent, "/"+paint.Truncate(p.Scroll().Find, 16)).Add(themes.Text, "   ")
	}
	if p, ok := m.page().(frame.Hinter); ok {
		line = append(line, p.Hints()...)
	}
	if m.s.Starting {
		line = line.Add(themes.Busy, "starting the run"+paint.Ellipsis+"   ")
	}
	kept := []string{"help"} // which always have room
	if len(m.path.back) == 0 {
		kept = append(kept, "quit")
	}
	reserve := len(kept) * len("? help   ")
	for _, a := range m.offered() {
		if a.Title == "" || a.Writes && m.d.ReadOnly {
			continue
		}
		if a.Enabled != nil {
			if ok, _ := a.Enabled(); !ok {
				continue
			}
		}
		title := a.Title
		if a.TitleNow != nil {
			if title = a.TitleNow(); title == "" {
				continue
			}
		}
		hint := paint.L(themes.Key, hintKey(a.Keys)).Add(themes.Muted, " "+title)
		room := m.s.Width
		if at := slices.Index(kept, a.ID); at >= 0 {
			reserve = (len(kept) - 1 - at) * len("? help   ")
		}
		room -= reserve
		if line.Width()+hint.Width() > room {
			continue
		}
		line = append(append(line, hint...), paint.Blank(3))
	}
	return line
}

// offered are the actions of the page: first the way to an active run, in a replay those that lead on and that move it.
func (m renderer) offered() []*keys.Action {
	all := slices.Clone(m.keys.On(m.path.page))
	slices.SortStableFunc(all, func(a, b *keys.Action) int { return cmp.Compare(m.rank(a), m.rank(b)) })
	return all
}

func (m renderer) rank(a *keys.Action) int {
	switch {
	case a.ID == "watch" && (m.s.Live() || m.s.Rolling()), m.position != nil && slices.Contains(a.Keys, "enter"):
		return 0
	case m.position != nil && a.Group == replayGroup:
		return 1
	}
	return 2
}

// hintKey is the first key of an action.
func hintKey(all []string) string { return keys.Label(all[0]) }
