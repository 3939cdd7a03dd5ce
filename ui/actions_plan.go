package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func planActions() []action {
	const group = "Plan"
	return []action{
		{ID: "drain", Keys: []string{"D"}, Title: "go on to cordon", Help: "cordon the nodes of the plan; the evictions are asked for separately", Group: group,
			Pages: []keys.Page{pagePlan}, Writes: true, Enabled: canDrain, Do: func(m *Model) { m.goOn(m.plan.plan) }},
		{ID: "findings", Keys: []string{findingsKey}, Title: "findings", Help: "everything that the whole plan puts at risk, in full, and what would help", Group: group,
			Pages: []keys.Page{pagePlan, pagePods}, Enabled: hasFindings, Do: (*Model).openFindings},
		{ID: "findingsdone", Keys: []string{findingsKey}, Title: "back", Help: "back to the plan", Group: group,
			Pages: []keys.Page{pageFindings}, Do: func(m *Model) { m.goBack(); m.rebuild() }},
		{ID: "usual", Keys: []string{"a"}, Title: "accept the usual", Help: "accept --ignore-daemonsets and --delete-emptydir-data, which most drains need", Group: group,
			Pages: []keys.Page{pageNodes, pagePlan, pagePods}, Enabled: canAcceptUsual,
			Do: func(m *Model) {
				m.setOptions(page.WithUsual(m.options))
				m.say("options: " + page.OptionWords(m.options))
			}},
		{ID: "options", Keys: []string{"o"}, Title: "options", Help: "the flags of the drain", Group: group, Pages: []keys.Page{pagePlan},
			Do: func(m *Model) { m.show(pageOptions) }},
		{ID: "nodeoptions", Keys: []string{"O"}, Help: "the flags of the drain", Group: group, Pages: []keys.Page{pageNodes, pagePods},
			Do: func(m *Model) { m.show(pageOptions) }},
		{ID: "kubectl", Keys: []string{"y"}, Title: "copy as kubectl", Help: "copy the plan as a kubectl command, and show it", Group: group,
			Pages: []keys.Page{pagePlan, pagePods, pageOptions}, Do: (*Model).copyKubectl},
		{ID: "nodeskubectl", Keys: []string{"y"}, Help: "copy a drain of the marked nodes, or of the selected one, as a kubectl command, and show it", Group: group,
			Pages: []keys.Page{pageNodes}, Enabled: hasTargets, Do: (*Model).copyKubectl},
		{ID: "change", Keys: []string{"space", "enter"}, Title: "change", Help: "switch the option, or type its value", Group: "Options", Pages: []keys.Page{pageOptions}, Do: (*Model).changeOption},
		{ID: "done", Keys: []string{"o"}, Title: "back", Help: "back to the plan", Group: "Options", Pages: []keys.Page{pageOptions}, Do: func(m *Model) { m.goBack(); m.rebuild() }},
	}
}

// canAcceptUsual offers the two usual flags while one of them is missing, and
// on a plan only where they are all that refuses.
func canAcceptUsual(m *Model) (bool, string) {
	if m.options.IgnoreDaemonSets && m.options.DeleteEmptyDirData {
		return false, "both are accepted already"
	}
	if p := m.planOfPage(); p != nil && p.has && !page.UsualOnly(p.plan.Nodes...) {
		return false, "that is not what stands in the way here: see the options"
	}
	return true, ""
}

func (m *Model) planOfPage() *planPage {
	switch m.page {
	case pagePlan:
		return &m.plan
	case pagePods:
		return &m.pods
	}
	return nil
}

// canDrain tells whether the plan can be gone on with.
func canDrain(m *Model) (bool, string) {
	p := &m.plan
	switch {
	case m.d.StartRun == nil:
		return false, "runs cannot be started here"
	case m.starting:
		return false, "a run is being started"
	case m.live():
		return false, "a run is going on: w watches it"
	case p.err != nil:
		return false, p.err.Error()
	case !p.has:
		return false, "the plan is not there yet"
	case p.part != "":
		return false, "the plan is not whole yet: " + p.part
	}
	if ok, why := m.trusted(); !ok {
		return ok, why
	}
	if ok, why := m.mayDrain(); !ok {
		return ok, why
	}
	open := len(openNodes(p.plan))
	switch {
	case open == 0 && page.UsualOnly(p.plan.Nodes...):
		return false, "every node is refused as the options stand: a accepts the usual ones"
	case open == 0:
		return false, "every node is refused: see the pods with " + paint.Bad + " and the options (o)"
	case m.options.AllOrNothing && open < len(p.plan.Nodes):
		return false, "a node is refused, and --all-or-nothing is on"
	}
	return true, ""
}

// openNodes are the nodes of a plan that are not refused.
func openNodes(p plan.Plan) []string {
	var open []string
	for _, n := range openPart(p).Nodes {
		open = append(open, n.Name)
	}
	return open
}

// openPart is what a run of the plan would touch: all but its refused nodes.
// A question counts these pods and no others.
func openPart(p plan.Plan) plan.Plan {
	p.Nodes = slices.DeleteFunc(slices.Clone(p.Nodes), func(n plan.Node) bool { return n.Counts().Refused > 0 })
	return p
}

// copyKubectl offers the plan as a kubectl command.
func (m *Model) copyKubectl() {
	m.showKubectl(page.Kubectl(m.target(), m.nodesMeant(), m.options))
}

// nodesMeant are the nodes that a drain would be about, from where the operator
// stands: those of the plan or of the pods that are shown, else the targets.
func (m *Model) nodesMeant() []string {
	switch {
	case m.page != pagePods && m.onPath(pagePlan):
		return m.plan.nodes
	case m.onPath(pagePods):
		return m.pods.nodes
	}
	return m.targets()
}

// showKubectl puts a command into the clipboard; whether a terminal took it is
// never known, so it is shown as well.
func (m *Model) showKubectl(command string) {
	m.queue(tea.SetClipboard(command))
	d := &dialog.Dialog{ID: "kubectl", Title: "As kubectl", Body: []paint.Line{
		paint.T(command), nil, paint.L(themes.Muted, "Copied, if your terminal allows that (OSC 52)."),
	}, Buttons: []dialog.Button{{Label: "Close", Value: dialog.Cancel, Key: "y"}}}
	m.open(d, func(dialog.Answer) {})
}
