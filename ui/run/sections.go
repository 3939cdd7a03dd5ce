package run

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// The sections after those of the causes, in their order.
const (
	sectionUnready = "unready"
	sectionMoving  = "moving"
	sectionPlanned = "planned"
	sectionSkipped = "skipped"
	sectionLeft    = "left"
	sectionStays   = "stays"
)

// section is a part of the list in the order of trouble: the pods that one cause holds, or
// that are equally far.
type section struct {
	name  string // of a cause, or one of the others
	cause bool
	pods  []*eviction.Record
	since time.Time      // of the pod that is longest in its state
	costs verdict.Counts // of those that have left
}

// add takes a pod in.
func (s *section) add(p *eviction.Record) {
	if len(s.pods) == 0 || p.Since.Before(s.since) {
		s.since = p.Since
	}
	s.costs.AddCosts(report.CostsOf(p))
	s.pods = append(s.pods, p)
}

// sectionOf names the section of a pod that nothing holds.
func sectionOf(p *eviction.Record) string {
	switch {
	case p.Action == plan.ActionSkip || p.Action == plan.ActionRefuse:
		return sectionStays
	case p.State == eviction.Skipped:
		return sectionSkipped
	case p.State == eviction.Planned:
		return sectionPlanned
	case p.State.Left() && p.Replacement.Stuck():
		return sectionUnready
	case p.State.Left():
		if leaving, _ := wording.AttachedTo(p); len(leaving) == 0 {
			return sectionLeft
		}
	}
	return sectionMoving
}

// sectionsOf cuts pods, which are in the order of trouble, into sections.
func sectionsOf(pods []*eviction.Record) []*section {
	var causes []*section
	others := []*section{{name: sectionUnready}, {name: sectionMoving}, {name: sectionPlanned}, {name: sectionSkipped},
		{name: sectionLeft}, {name: sectionStays}}
	find := func(all []*section, name string) *section {
		if i := slices.IndexFunc(all, func(s *section) bool { return s.name == name }); i >= 0 {
			return all[i]
		}
		return nil
	}
	known := map[string]*section{}
	for _, p := range pods {
		s := find(others, sectionOf(p))
		if cause := causeOf(p); cause != "" {
			if s = known[cause]; s == nil {
				s = &section{name: cause, cause: true}
				known[cause], causes = s, append(causes, s)
			}
		}
		s.add(p)
	}
	return slices.DeleteFunc(append(causes, others...), func(s *section) bool { return len(s.pods) == 0 })
}

// problem reports whether the pods of the section need a look.
func (s *section) problem() bool { return s.cause || s.name == sectionUnready }

// foldPrefix begins the key of a row that stands for a folded section.
const foldPrefix = "fold/"

// folds reports whether the section is one row until it is unfolded: pods that are gone or
// stay need no look, and would take the page.
func (s *section) folds(height int) bool {
	return (s.name == sectionLeft || s.name == sectionStays) && len(s.pods) > max(3, height/8)
}

// title is the line above a section, or the row that it is folded into.
func (s *section) title(width int, now time.Time) paint.Line {
	count := format.Count(len(s.pods), "pod")
	if s.cause {
		l := causeText(s.pods[0], width, now)
		for _, tail := range []string{paint.Dot + count + paint.Dot + "for " + format.Clock(now.Sub(s.since)),
			paint.Dot + count} {
			if l.Width()+paint.Width(tail) <= width {
				return l.Add(themes.Muted, tail)
			}
		}
		return l
	}
	switch s.name {
	case sectionUnready:
		return paint.L(themes.Warning, paint.Warn+" gone, and the replacement needs a look").Add(themes.Muted,
			paint.Dot+count)
	case sectionMoving:
		return paint.L(themes.Busy, paint.Play+" on the way").Add(themes.Muted, paint.Dot+count)
	case sectionPlanned:
		return paint.L(themes.Muted, paint.Hollow+" not asked for yet"+paint.Dot+count)
	case sectionSkipped:
		return paint.L(themes.Info, paint.Stay+" skipped, so their nodes will not be empty").Add(themes.Muted,
			paint.Dot+count)
	case sectionLeft:
		return s.leftTitle()
	}
	return paint.L(themes.Muted, paint.Stay+" "+format.Plural(len(s.pods), "pod stays", "pods stay"))
}

// leftTitle counts the pods that are gone: a green mark never stands next to a loss.
func (s *section) leftTitle() paint.Line {
	text := " " + format.Count(len(s.pods), "pod") + " gone"
	if len(s.costs.Costs()) > 0 {
		return paint.L(themes.Warning, paint.Warn+text)
	}
	return paint.L(themes.Good, paint.Good+text)
}

// outline is the list of a page in sections.
type outline struct{ *Page }

// arrange brings the shown pods into sections, and makes the keys of the rows.
func (m outline) arrange(shown []*eviction.Record) []string {
	m.sections, m.first = sectionsOf(shown), map[string]*section{}
	m.of = make(map[string]*section, len(shown))
	troubled := len(m.sections) > 0 && m.sections[0].problem()
	keys := make([]string, 0, len(shown)+2)
	for _, s := range m.sections {
		for _, p := range s.pods {
			m.of[string(p.UID)] = s
		}
		switch {
		case s.folds(m.s.Height) && m.list.Filter == "":
			fold := foldPrefix + s.name
			m.of[fold] = s
			if keys = append(keys, fold); !m.unfolded[s.name] {
				continue
			}
		case troubled:
			m.first[string(s.pods[0].UID)] = s
		}
		for _, p := range s.pods {
			keys = append(keys, string(p.UID))
		}
	}
	return keys
}

// grouped reports whether the list is in sections: in the order of trouble, while the run
// goes on.
func (m outline) grouped() bool {
	return m.s.State.Outcome == "" && m.list.Sort == "trouble" && !m.list.Reverse
}

// above are the lines over the first row of a section; the section of the cursor has its
// choices there.
func (m outline) above(key string) []paint.Line {
	s := m.first[key]
	if s == nil || !m.grouped() {
		return nil
	}
	width := m.s.Width - 3
	lines := []paint.Line{s.title(width, m.s.Now)}
	if s == m.of[m.list.Table.Cursor()] && !m.tight() {
		lines = append(lines, choiceLines(m.choices, width)...)
	}
	return lines
}

// tight reports whether the choices have no room over the rows: then they take the place of
// the sentence on the selected row.
func (m outline) tight() bool { return m.lay.Rows < 8 }

// foldCell is a cell of the row that a section is folded into.
func (m outline) foldCell(s *section, column string, width int) paint.Line {
	switch column {
	case "pod":
		return s.title(width, m.s.Now)
	case "waits":
		word := "enter shows them"
		if m.unfolded[s.name] {
			word = "enter folds them"
		}
		return paint.Join(paint.S(themes.Muted, paint.Dot), paint.L(themes.Warning, format.List(s.costs.Costs(), 3)),
			paint.L(themes.Muted, word)).Fit(width)
	}
	return nil
}

// folded is the section that the selected row stands for, nil where it is a pod.
func (m outline) folded() *section {
	s := m.of[m.list.Table.Cursor()]
	if s == nil || m.list.Table.Cursor() != foldPrefix+s.name {
		return nil
	}
	return s
}

// fold folds the section of the selected row, or unfolds it.
func (m outline) fold(s *section) {
	m.list.Touched = true
	m.unfolded[s.name] = !m.unfolded[s.name]
	m.Rebuild()
}

// nextProblem goes to the next pod that something holds, the first of each cause.
func (m outline) nextProblem() {
	keys, at := m.list.Table.Keys(), m.list.Table.Index()
	here := m.of[m.list.Table.Cursor()]
	for step := range keys {
		next := m.of[keys[(at+step+1)%len(keys)]]
		if next != nil && next.problem() && next != here {
			m.list.Touched = true
			m.list.Table.Select(string(next.pods[0].UID))
			return
		}
	}
	m.list.Table.Select(string(here.pods[0].UID))
}

func (m outline) hasProblem() (bool, string) {
	switch {
	case m.s.State == nil:
		return false, "there is no run"
	case !m.grouped():
		return false, "problems stand together only while the run is active, in the order of trouble"
	case len(m.sections) == 0 || !m.sections[0].problem():
		return false, "nothing holds a pod of the run, and no replacement needs a look"
	}
	return true, ""
}
