package runs

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

type (
	shownMsg struct {
		run  live.Run
		roll live.Roll
		err  error
	}
	resumedMsg struct{ shownMsg }
	reportMsg  struct {
		of       live.Brief
		markdown string
		err      error
	}
	// plannedMsg has what a rollback would do; its run is held until the question is answered.
	plannedMsg struct {
		of      live.Brief
		planned live.Rollback
		err     error
	}
	undoneMsg struct {
		done int
		err  error
	}
)

// Actions lead to the runs, and do with them what commands do.
func (m *Page) Actions() []keys.Action {
	const group = "Runs"
	return []keys.Action{
		{ID: "showrun", Keys: []string{"enter"}, Title: "show", Group: group, Enabled: m.canShow, Do: m.show,
			Help: "the run: watched where another process works on it, else its result"},
		{ID: "resumerun", Keys: []string{"R"}, Title: "resume", Group: group, Writes: true, Enabled: m.canResume,
			Do: m.askToResume, Help: "go on with a run that has not ended, in this program"},
		{ID: "undorun", Keys: []string{"U"}, Title: "roll back", Group: group, Writes: true, Enabled: m.canRollBack,
			Do: m.planRollback, Help: "undo what a run did to nodes and budgets, and only that; lists it first"},
		{ID: "runreport", Keys: []string{"y"}, Title: "copy report", Group: group, Enabled: m.hasRun, Do: m.report,
			Help: "copy the report of the run as markdown, for a ticket"},
		{ID: "replayrun", Keys: []string{"p"}, Title: "replay command", Group: group, Enabled: m.hasRun, Do: m.replay,
			Help: "copy the command that plays the run, and show it"},
	}
}

func (m *Page) selected() live.Brief { return m.rows[m.list.Table.Cursor()] }

func (m *Page) hasRun() (bool, string) {
	switch b := m.selected(); {
	case b.ID == "":
		return false, "there is no run to act on"
	case b.Damaged:
		return false, "its journal cannot be read"
	case m.busy:
		return false, "wait for what was asked for before"
	}
	return true, ""
}

// canShow refuses what would hide a run that leaving the program ends.
func (m *Page) canShow() (bool, string) {
	if ok, why := m.hasRun(); !ok {
		return ok, why
	}
	b := m.selected()
	switch {
	case m.s.Run != nil && m.s.State.Run.ID == b.ID || m.s.Roll != nil && m.s.RollState.Facts.Run.ID == b.ID:
	case b.Elsewhere:
		return false, "it was on another cluster: p shows the command that plays it"
	case m.ours():
		return false, "a run is active in this program: w shows it"
	}
	return true, ""
}

// ours reports whether a run or roll is active that leaving the program ends.
func (m *Page) ours() bool {
	return m.s.Starting || m.s.Live() && !m.s.Foreign || m.s.Rolling() && !m.s.RollForeign
}

func (m *Page) canResume() (bool, string) {
	b := m.selected()
	switch ok, why := m.canShow(); {
	case !ok:
		return ok, why
	case b.Live:
		return false, "a process works on it: enter watches it"
	case !b.Ended.IsZero():
		return false, "it has ended: " + b.State()
	}
	return true, ""
}

func (m *Page) canRollBack() (bool, string) {
	b := m.selected()
	switch ok, why := m.hasRun(); {
	case !ok:
		return ok, why
	case b.Elsewhere:
		return false, "it was on another cluster than this one"
	case b.Live:
		return false, "a process works on it: abort it first"
	case b.Roll:
		return false, m.s.Target().Line("kdrain-tui rollback "+b.ID) + " rolls a roll back"
	}
	return true, ""
}

// show goes to the run; the one that is on the screen already is not opened twice.
func (m *Page) show() {
	b, runs := m.selected(), m.s.Runs
	switch {
	case m.s.Roll != nil && m.s.RollState.Facts.Run.ID == b.ID:
		m.shell.Open(frame.Ref{Page: frame.Roll})
	case m.s.Run != nil && m.s.State.Run.ID == b.ID: // also the run of a batch: its roll stays on the screen
		m.shell.Open(frame.Ref{Page: frame.Run})
	default:
		m.busy = true
		m.shell.Go("run "+b.ID, func(context.Context) tea.Msg {
			run, roll, err := runs.Show(b)
			return shownMsg{run, roll, err}
		})
	}
}

func (m *Page) onShown(msg shownMsg) {
	m.busy = false
	switch {
	case msg.err != nil:
		m.shell.Fail("Not shown: " + wording.Clean(msg.err.Error()))
	case m.ours():
		m.shell.Fail("Not shown: a run was started here meanwhile; w shows it")
	default:
		m.shell.Show(msg.run, msg.roll)
	}
}

func (m *Page) askToResume() {
	b := m.selected()
	title := "Go on with run " + b.ID + "?"
	if b.Roll {
		title = "Go on with roll " + b.ID + "?"
	}
	d := dialog.Confirm("resume", title, "resume", true,
		paint.L(themes.Accent, wording.Clean(format.List(b.Nodes, 20))),
		paint.T("Started by "+wording.Clean(b.User)+" "+format.Age(m.s.Now.Sub(b.Started))+
			" ago. It continues with the options that it had."),
		paint.T("What was confirmed stays confirmed; a question that is open is asked here."))
	d.Command = m.s.Target().Line("kdrain-tui resume " + b.ID)
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.resume(b)
		}
	})
}

func (m *Page) resume(b live.Brief) {
	m.busy, m.s.Starting = true, true
	runs := m.s.Runs
	m.shell.Go("the resumption of "+b.ID, func(ctx context.Context) tea.Msg {
		run, roll, err := runs.Resume(ctx, b)
		return resumedMsg{shownMsg{run, roll, err}}
	})
}

func (m *Page) onResumed(msg resumedMsg) {
	m.busy, m.s.Starting = false, false
	switch {
	case msg.err != nil:
		m.shell.Fail("Not resumed: " + wording.Clean(msg.err.Error()))
	case msg.roll != nil:
		m.shell.StartRoll(msg.roll)
	default:
		m.shell.Attach(msg.run)
	}
}

func (m *Page) report() {
	b, runs := m.selected(), m.s.Runs
	m.shell.Go("the report of "+b.ID, func(context.Context) tea.Msg {
		text, err := runs.Report(b)
		return reportMsg{b, text, err}
	})
}

func (m *Page) onReport(msg reportMsg) {
	if msg.err != nil {
		m.shell.Fail("No report: " + wording.Clean(msg.err.Error()))
		return
	}
	m.shell.Do(tea.SetClipboard(msg.markdown))
	m.shell.Say("Report copied, if your terminal allows that. To a file: " +
		m.s.Target().Line("kdrain-tui report "+msg.of.ID+" -o markdown"))
}

func (m *Page) replay() {
	m.shell.ShowCommand(m.s.Target().Line("kdrain-tui replay " + m.selected().ID))
}

func (m *Page) planRollback() {
	m.busy = true
	b, runs := m.selected(), m.s.Runs
	m.shell.Go("the plan of a rollback", func(ctx context.Context) tea.Msg {
		planned, err := runs.Rollback(ctx, b)
		return plannedMsg{b, planned, err}
	})
}

// onPlanned lists what would be undone and what is left, and asks.
func (m *Page) onPlanned(msg plannedMsg) {
	m.busy = false
	if msg.err != nil {
		m.shell.Fail("Nothing was undone: " + wording.Clean(msg.err.Error()))
		return
	}
	var todo []rollback.Undo
	var body, left []paint.Line
	for _, u := range msg.planned.Undos() {
		if u.Left != "" {
			left = append(left, paint.L(themes.Muted, wording.Clean(u.What+": "+u.Left)))
			continue
		}
		todo = append(todo, u)
		body = append(body, paint.L(themes.Accent, wording.Clean(u.What)))
	}
	if len(left) > 0 {
		body = append(append(body, nil, paint.L(themes.Muted, "Left as it is:")), left...)
	}
	if len(todo) == 0 {
		m.close(msg.planned)
		m.shell.Ask(&dialog.Dialog{ID: "rollback", Title: "There is nothing to undo for run " + msg.of.ID, Body: body,
			Buttons: []dialog.Button{{Label: "Close", Value: dialog.Cancel, Key: "n"}}}, func(dialog.Answer) {})
		return
	}
	body = append(body, nil, paint.T("Pods that were evicted are not brought back."))
	d := dialog.Confirm("rollback", "Roll back run "+msg.of.ID+"?", "roll back", true, body...)
	d.Command = m.s.Target().Line("kdrain-tui rollback " + msg.of.ID)
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			m.close(msg.planned)
			return
		}
		m.undo(msg.planned, todo)
	})
}

func (m *Page) close(planned live.Rollback) {
	if err := planned.Close(); err != nil {
		m.shell.Fail(wording.Clean(err.Error()))
	}
}

// undo undoes exactly what was listed.
func (m *Page) undo(planned live.Rollback, todo []rollback.Undo) {
	m.busy = true
	m.shell.Go("a rollback", func(ctx context.Context) tea.Msg {
		msg := undoneMsg{}
		for _, u := range todo {
			if ctx.Err() != nil {
				break
			}
			switch err := planned.Undo(ctx, u); {
			case err == nil:
				msg.done++
			case u.Release != nil: // a Lease holds nothing up for long: it expires
			default:
				msg.err = errors.Join(msg.err, fmt.Errorf("%s: %w", u.What, err))
			}
		}
		msg.err = errors.Join(msg.err, planned.Close())
		return msg
	})
}

func (m *Page) onUndone(msg undoneMsg) {
	m.busy, m.asked = false, m.asked.Add(-readEvery)
	if msg.err != nil {
		m.shell.Fail("Not all undone: " + wording.Clean(msg.err.Error()))
		return
	}
	m.shell.Say(format.Plural(msg.done, "change of the run was", "changes of the run were") + " undone.")
}
