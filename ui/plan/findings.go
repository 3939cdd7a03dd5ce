package plan

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

const findingsKey = "f"

// FindingsPage is all findings of a plan, in full and with what would help: the plan
// page has room for a few. It follows the plan from which it was opened.
type FindingsPage struct {
	shell  frame.Shell
	plans  []*Page
	scroll frame.Scroll
}

// NewFindings makes the page of the findings of these plans.
func NewFindings(shell frame.Shell, plans ...*Page) *FindingsPage {
	return &FindingsPage{shell: shell, plans: plans}
}

// behind is the plan from which the page was opened.
func (m *FindingsPage) behind() *Page {
	for _, p := range m.plans {
		if m.shell.OnPath(p.kind) {
			return p
		}
	}
	return m.plans[0]
}

// Opened begins at the top.
func (m *FindingsPage) Opened(frame.Ref) { m.scroll.ToTop() }

// Scroll makes it a page of text.
func (m *FindingsPage) Scroll() *frame.Scroll { return &m.scroll }

// Update has nothing to do: the plan follows the cluster.
func (m *FindingsPage) Update(tea.Msg) {}

// Layout has nothing to prepare.
func (m *FindingsPage) Layout(frame.Layout) {}

// View is the findings.
func (m *FindingsPage) View() frame.View {
	p := m.behind()
	return frame.View{
		Left: paint.L(themes.Title, wording.FirstUpper(format.Count(len(p.plan.Findings), "finding"))).Add(themes.Text,
			"  ").
			Add(themes.Accent, format.List(p.nodes, 2)),
		Text: findingsInFull(p.plan.Findings, m.shell.Session().Width-2),
	}
}

// Actions are the way back.
func (m *FindingsPage) Actions() []keys.Action {
	return []keys.Action{{ID: "findingsdone", Keys: []string{findingsKey}, Title: "back", Help: "back to the plan",
		Group: "Plan", Do: m.shell.Back}}
}

func (m *Page) hasFindings() (bool, string) {
	switch {
	case !m.has || m.part != "":
		return false, "the plan is not ready yet"
	case len(m.plan.Findings) == 0:
		return false, "no risk of the whole plan was found"
	}
	return true, ""
}

func (m *Page) openFindings() { m.shell.Open(frame.Ref{Page: frame.Findings}) }
