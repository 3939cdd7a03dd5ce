package roll

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// canBegin reports whether a roll can be begun with what is on the page.
func (m *Setup) canBegin() (bool, string) {
	switch {
	case m.s.Cluster == nil:
		return false, "rolls cannot be begun here"
	case m.busy || m.s.Starting:
		return false, "it is being begun"
	case m.s.Rolling():
		return false, "a roll is active: w shows it"
	case m.s.Live():
		return false, "a run is active: w shows it"
	case len(m.nodes) == 0:
		return false, "there is no node to act on"
	case !m.s.Snap.Health().Live:
		return false, "the API server is unreachable; the view may be out of date, so nothing can be confirmed"
	}
	return true, ""
}

// plannedMsg brings the plan of all nodes: before the confirmation, or after it.
type plannedMsg struct {
	planned plan.Plan
	options roll.Options
	before  *plan.Plan // that was confirmed
	err     error
}

// begunMsg brings the roll.
type begunMsg struct {
	roll live.Roll
	err  error
}

// plan makes the plan of all nodes, which the operator confirms.
func (m *Setup) plan() { m.makePlan(m.options, nil) }

func (m *Setup) makePlan(o roll.Options, before *plan.Plan) {
	m.busy = true
	cluster, shown := m.s.Cluster, plan.Plan{Options: o.Drain(m.s.Options), InBatches: true}
	for _, name := range m.nodes {
		shown.Nodes = append(shown.Nodes, plan.Node{Name: name})
	}
	if before != nil {
		shown = *before
	}
	m.shell.Go("the plan of the roll", func(ctx context.Context) tea.Msg {
		planned, err := cluster.Again(ctx, shown, "")
		return plannedMsg{planned, o, before, err}
	})
}

// onPlanned puts the confirmation; where it was given already and nothing grave has changed, the roll is
// begun.
func (m *Setup) onPlanned(msg plannedMsg) {
	m.busy = false
	if msg.err != nil {
		m.shell.Fail("The roll does not begin: " + wording.Clean(msg.err.Error()))
		return
	}
	if refused := msg.planned.Refused(); len(refused) > 0 {
		names := make([]string, len(refused))
		for i, r := range refused {
			names[i] = r.Node
		}
		why := "their plans tell why (D on the nodes page)"
		if plan.WantsUsual(msg.planned.Nodes...) {
			why = "a on the nodes page accepts --ignore-daemonsets --delete-emptydir-data"
		}
		m.shell.Fail("The roll does not begin, nothing was changed: refused " + format.List(names, 3) + "; " + why)
		return
	}
	var grave []plan.Change
	if msg.before != nil {
		if grave = plan.Grave(msg.before.Diff(msg.planned)); len(grave) == 0 {
			m.begin(msg.planned, msg.options)
			return
		}
	}
	m.ask(msg.planned, msg.options, grave)
}

// ask asks for the roll. It takes a typed word: the name of the node, of several the name of the context.
func (m *Setup) ask(planned plan.Plan, o roll.Options, grave []plan.Change) {
	word := "roll " + format.Count(len(planned.Nodes), "node")
	switch {
	case len(planned.Nodes) == 1:
		word = planned.Nodes[0].Name
	case m.s.Identity.Context != "":
		word = m.s.Identity.Context
	}
	body := append(confirm.DriftLines(grave), m.batchLines(8)...)
	body = append(body, paint.L(themes.Muted, "context ").Add(themes.Accent, m.s.Identity.Context), nil,
		wording.PlanSummary(planned), paint.L(themes.Muted,
			"Where pods land depends on the batch: its plan is made when it begins."))
	body = append(body, confirm.CostLines(planned)...)
	for _, c := range []struct{ head, command string }{{"before each drain", o.Before}, {"work on each node", o.Work}} {
		if c.command != "" {
			body = append(body, paint.L(themes.Muted, c.head+": ").Add(themes.Danger, wording.Clean(c.command)))
		}
	}
	if o.Work == "" {
		body = append(body, paint.L(themes.Muted, "work on each node: ").
			Add(themes.Text, "yours, it asks when it is done"))
	}
	body = append(body, nil, paint.L(themes.Warning,
		"This stands for all batches: each is drained, worked on and uncordoned in its turn."))
	title := "Drain and maintain " + format.Count(len(planned.Nodes), "node") + ", batch by batch?"
	q := m.shell.Ask(dialog.Typed("roll", title, word, "begin", body...), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.makePlan(o, &planned)
		}
	})
	q.Stale = func() bool {
		return m.s.Live() || m.s.Rolling() || slices.ContainsFunc(planned.Nodes, func(n plan.Node) bool {
			return m.s.Snap.Node(n.Name) == nil
		})
	}
}

func (m *Setup) begin(planned plan.Plan, o roll.Options) {
	m.busy, m.s.Starting = true, true
	cluster := m.s.Cluster
	m.shell.Go("the begin of the roll", func(ctx context.Context) tea.Msg {
		r, err := cluster.StartRoll(ctx, planned, o)
		return begunMsg{r, err}
	})
}

func (m *Setup) onBegun(msg begunMsg) {
	m.busy, m.s.Starting = false, false
	if msg.err != nil {
		m.shell.Fail("The roll was not begun: " + wording.Clean(msg.err.Error()))
		return
	}
	m.shell.StartRoll(msg.roll)
}
