package ui

import (
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// The plan page has room for a few findings; this page has all of them, in full and
// with what would help, and follows the plan.

const findingsKey = "f"

// planBehind is the plan from which the page of findings was opened.
func (m *Model) planBehind() *planPage {
	for i := len(m.back) - 1; i >= 0; i-- {
		switch m.back[i] {
		case pagePlan:
			return &m.plan
		case pagePods:
			return &m.pods
		}
	}
	return &m.plan
}

func hasFindings(m *Model) (bool, string) {
	p := m.planOfPage()
	switch {
	case p == nil || !p.has || p.part != "":
		return false, "the plan is not there yet"
	case len(p.plan.Findings) == 0:
		return false, "nothing was found that the whole plan puts at risk"
	}
	return true, ""
}

func (m *Model) openFindings() {
	m.text.top = 0
	m.show(pageFindings)
}

func (m *Model) findingLines() []paint.Line {
	return page.Findings(m.planBehind().plan.Findings, m.width-2)
}

func (m *Model) findingsTitle() paint.Line {
	p := m.planBehind()
	return paint.L(themes.Title, page.FirstUpper(page.Count(len(p.plan.Findings), "finding"))).Add(themes.Text, "  ").
		Add(themes.Accent, page.List(p.nodes, 2))
}
