package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

const quitDialog = "quit"

// quit ends the program.
func (m *Model) quit(left Left) {
	m.left = left
	m.queue(tea.Quit)
}

// askToQuit leaves, or asks while a run is going on.
func (m *Model) askToQuit() {
	if !m.live() && !m.starting || m.d.Replay {
		m.quit(LeftByOperator)
		return
	}
	m.openQuit()
}

// interrupted is Ctrl+C: the first one asks, the second leaves at once.
func (m *Model) interrupted() {
	if m.interrupt {
		if m.live() && !m.d.ReadOnly {
			m.steer(drain.ControlAbort, nil)
		}
		m.quit(LeftByForce)
		return
	}
	m.interrupt = true
	if !m.isOpen(quitDialog) {
		m.openQuit()
	}
}

func (m *Model) openQuit() {
	if m.live() && !m.d.ReadOnly {
		m.openQuitRun()
		return
	}
	d := dialog.Confirm(quitDialog, "Leave kdrain-tui?", "leave", false, paint.L(themes.Muted, "Ctrl+C again leaves at once."))
	d.Buttons[0].Label = "Stay"
	m.open(d, func(a dialog.Answer) {
		m.interrupt = false
		if a.Value == dialog.Accept {
			m.quit(LeftByOperator)
		}
	})
}

// openQuitRun asks what becomes of the run; watching on is the answer with the
// focus.
func (m *Model) openQuitRun() {
	p := m.last.Progress("")
	d := &dialog.Dialog{ID: quitDialog, Title: "A run is going on", Body: []paint.Line{
		paint.T(page.Number(p.Left) + " of " + page.Count(p.Total, "pod") + " are gone, " + page.Number(p.Terminating) + " are ending."),
		paint.T("The run lives in this program: leaving ends it."),
		paint.L(themes.Warning, "Nodes that it cordoned stay cordoned: "+page.List(m.nodesTouched(), 6)+"."),
		nil, paint.L(themes.Muted, "Ctrl+C again aborts and leaves at once."),
	}, Buttons: []dialog.Button{
		{Label: "Keep watching", Value: dialog.Cancel, Key: "n"},
		{Label: "Abort and leave cordoned", Value: dialog.Accept, Key: "y", Danger: true},
	}}
	o := m.open(d, func(a dialog.Answer) {
		m.interrupt = false
		if a.Value != dialog.Accept {
			return
		}
		m.leaving = true
		m.steer(drain.ControlAbort, nil)
		m.say("Aborting; kdrain-tui leaves when the run has ended.")
	})
	o.stale = func() bool { return !m.live() }
}
