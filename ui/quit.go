package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

const quitDialog = "quit"

// suspendRun is the answer that leaves the run to be resumed.
const suspendRun = "suspend"

// quit ends the program.
func (m *model) quit(left Left) {
	m.left = left
	m.queue(tea.Quit)
}

// askToQuit leaves, or asks while a run is active.
func (m *model) askToQuit() {
	if (rolling{m}).endsRoll() {
		rolling{m}.openQuitRoll()
		return
	}
	if !m.s.Live() && !m.s.Starting || m.d.Replay || m.s.Foreign {
		m.quit(LeftByOperator)
		return
	}
	m.openQuit()
}

// interrupted is Ctrl+C: the first one asks, the second leaves at once.
func (m *model) interrupted() {
	if m.interrupt {
		if (rolling{m}).endsRoll() {
			rolling{m}.steerRoll(drain.CommandAbort)
		} else if m.endsRun() {
			m.end(drain.CommandAbort, "")
		}
		m.quit(LeftByForce)
		return
	}
	m.interrupt = true
	if !m.dialogs.has(quitDialog) {
		m.openQuit()
	}
}

// endsRun reports whether leaving would end a run.
func (m *model) endsRun() bool { return m.s.Live() && !m.d.ReadOnly && !m.s.Foreign }

func (m *model) openQuit() {
	if (rolling{m}).endsRoll() {
		rolling{m}.openQuitRoll()
		return
	}
	if m.endsRun() {
		m.openQuitRun()
		return
	}
	d := dialog.Confirm(quitDialog, "Leave kdrain-tui?", "leave", false,
		paint.L(themes.Muted, "Ctrl+C again leaves at once."))
	d.Buttons[0].Label = "Stay"
	m.dialogs.open(d, m.now, func(a dialog.Answer) {
		m.interrupt = false
		if a.Value == dialog.Accept {
			m.quit(LeftByOperator)
		}
	})
}

// openQuitRun asks what becomes of the run; watching on is the answer with the
// focus.
func (m *model) openQuitRun() {
	p := m.s.State.Progress("")
	d := &dialog.Dialog{ID: quitDialog, Title: "A run is active", Body: []paint.Line{
		paint.T(format.Number(p.Left) + " of " + format.Count(p.Total, "pod") + " gone, " + format.Number(p.Terminating) + " terminating."),
		paint.T("The run is part of this program: leaving suspends it, to be resumed, or aborts it."),
		paint.L(themes.Muted, "resume  ").Add(themes.Text, m.s.State.Run.Target().Line("kdrain-tui resume "+m.s.State.Run.ID)),
		paint.L(themes.Warning, "Nodes that it cordoned stay cordoned either way: "+format.List(wording.NodesTouched(m.s.State), 6)+"."),
		nil, paint.L(themes.Muted, "Ctrl+C again aborts and leaves at once."),
	}, Buttons: []dialog.Button{
		{Label: "Keep watching", Value: dialog.Cancel, Key: "n"},
		{Label: "Suspend", Value: suspendRun, Key: "s"},
		{Label: "Abort", Value: dialog.Accept, Key: "y", Danger: true},
	}}
	o := m.dialogs.open(d, m.now, func(a dialog.Answer) {
		m.interrupt = false
		switch a.Value {
		case dialog.Accept:
			m.end(drain.CommandAbort, "")
			m.notices.say("Aborting; kdrain-tui leaves when the run has ended.", m.now)
		case suspendRun:
			m.end(drain.CommandSuspend, "suspended by its operator")
			m.notices.say("Suspending; kdrain-tui leaves when the outstanding answers are in.", m.now)
		default:
			return
		}
		m.leaving = true
	})
	o.Stale = func() bool { return !m.s.Live() }
}

// end aborts or suspends the run.
func (m *model) end(kind drain.CommandKind, why string) {
	m.s.Run.Send(drain.Command{Kind: kind, By: m.s.Identity.User, Why: why})
}
