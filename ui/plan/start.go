package plan

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// The way from a plan to a run: the operator confirms the plan that the screen
// shows; it is made again from the newest snapshot; if it is still the same, the
// run starts, else the difference is shown and asked about. The run's question
// about the cordon is that same confirmation and is answered with it.

const cordonDialog = "cordon-and-start"

type startedMsg struct {
	plan plan.Plan
	run  live.Run
	err  error
}

// askToCordon asks for the cordon of a plan; changes are told first.
func (m *Page) askToCordon(shown plan.Plan, changes []plan.Change) {
	open := confirm.OpenNodes(shown)
	title := "Cordon " + format.Count(len(open), "node") + " and continue?"
	if len(open) == 1 {
		title = "Cordon " + open[0] + " and continue?"
	}
	body := confirm.DriftLines(changes)
	body = append(body, paint.L(themes.Accent, format.List(open, 60)))
	if id := m.s.Identity; id.Server != "" {
		where := "of " + id.Context + paint.Dot + id.Server
		if id.User != "" {
			where += paint.Dot + "as " + id.User
		}
		body = append(body, paint.L(themes.Muted, where))
	}
	if gone := len(shown.Nodes) - len(open); gone > 0 {
		body = append(body, paint.L(themes.Warning, format.Count(gone, "node")+" refused and left untouched: "+
			format.List(confirm.RefusedNodes(shown), 6)))
	}
	touched := shown.Open()
	body = append(body, nil, wording.PlanSummary(touched))
	body = append(body, confirm.CostLines(touched)...)
	body = append(body, confirm.CordonLines(m.s.Snap, open)...)
	body = append(body, paint.L(themes.Muted, "No pod is evicted yet: evictions are confirmed separately."))
	d := dialog.Confirm(cordonDialog, title, "cordon", false, body...)
	if word := confirm.CordonWord(m.s.Snap, open); word != "" {
		d = dialog.Typed(cordonDialog, title, word, "cordon", body...)
	}
	if grave := confirm.ErrorLines(shown); len(grave) > 0 {
		d = dialog.Typed(cordonDialog, title, graveWord, "cordon", append(grave, body...)...)
	}
	d.Auto = len(changes) > 0
	d.Command = wording.KubectlCordon(m.s.Target(), open, true)
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.s.Starting = true
			confirm.Check(m.shell, confirm.Request{Shown: shown, Confirm: true})
		}
	})
}

// graveWord is typed before a run of a plan with a finding that is an error.
// That is the last control plane, and no other question asks for this word.
const graveWord = "control-plane"

func (m *Page) onChecked(msg confirm.Checked) {
	if msg.Question != nil {
		return // of a run
	}
	switch grave := plan.Grave(msg.Changes); {
	case msg.Err != nil:
		m.s.Starting = false
		m.shell.Fail("Nothing was started: " + msg.Err.Error())
	case len(grave) > 0:
		m.s.Starting = false
		if len(confirm.OpenNodes(msg.Fresh)) == 0 {
			m.shell.Fail("Nothing was started: every node of the plan is refused now")
			return
		}
		m.askToCordon(msg.Fresh, grave)
	default:
		cluster, fresh := m.s.Cluster, msg.Fresh
		m.shell.Go("the start of a run", func(ctx context.Context) tea.Msg {
			run, err := cluster.StartConfirmed(ctx, fresh)
			return startedMsg{fresh, run, err}
		})
	}
}

func (m *Page) onStarted(msg startedMsg) {
	m.s.Starting = false
	if msg.err != nil {
		m.shell.Fail("Nothing was started: " + msg.err.Error())
		return
	}
	m.shell.Start(msg.run, msg.plan)
}
