package ui

import (
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// rolling is what the frame does about a roll.
type rolling struct{ *model }

// attachRoll watches a roll from now on, and the run of its batch as the run.
func (m rolling) attachRoll(r live.Roll) {
	m.queue(m.arm.roll(r)) // before the first look, so that nothing falls between
	m.s.Roll, m.s.RollState, m.s.RollOver = r, r.State(), false
	_, m.s.RollForeign = r.(live.ForeignRoll)
	m.lastRun, m.lastRoll = nil, r
	m.s.Run, m.s.State = nil, nil
	m.rolled = wording.Badge(m.s.RollState.Facts.Run.Options)
	m.watchDrain()
	m.reach(frame.Roll, m.s.RollState.Facts.Run.ID)
	m.tell(frame.NewRollState{})
}

// watchDrain watches the run of the batch that is under way now. The roll answers its questions.
func (m rolling) watchDrain() {
	run := m.s.Roll.Drain()
	if run == nil || run == m.s.Run {
		return
	}
	m.watch(run)
	m.s.Foreign = true
	m.tell(frame.NewRun{})
}

// onRoll takes news of the roll that is watched.
func (m rolling) onRoll(msg rollMsg) {
	if msg.roll != m.s.Roll {
		return // a roll that was left
	}
	r, foreign := msg.roll.(live.ForeignRoll)
	if _, played := msg.roll.(live.Player); !played || !m.d.Replay {
		m.take(msg.state, msg.over || foreign && r.Unattended())
	}
	if foreign {
		for _, why := range r.Refusals() {
			m.notices.fail(wording.Clean(why), m.now)
		}
	}
	if !msg.over {
		m.queue(m.arm.roll(m.s.Roll))
	}
}

// take makes a state of the roll the newest.
func (m rolling) take(state *roll.State, over bool) {
	wasLive := m.s.Rolling()
	m.warnOf(m.s.RollState.Warnings, state.Warnings)
	m.s.RollState, m.s.RollOver = state, over
	m.watchDrain()
	m.tell(frame.NewRollState{})
	if wasLive && !m.s.Rolling() {
		m.rollEnded()
	}
}

// rollEnded is the moment a roll reached its end: the board comes to the front.
func (m rolling) rollEnded() {
	if m.leaving {
		m.quit(LeftByOperator)
		return
	}
	said := "The roll has ended: " + string(m.s.RollState.Outcome) + "."
	if m.d.Replay {
		m.notices.say("The replay is over; t"+said[1:], m.now)
		return
	}
	if m.s.RollState.Outcome == "" {
		said = "The roll has stopped; " + m.resumeRoll() + " continues it."
	}
	if m.path.page != frame.Roll {
		said += " w shows it."
	}
	m.notices.say(said, m.now)
	if !m.filtering && len(m.dialogs) == 0 { // else keys on their way would land on another page
		m.show(frame.Roll)
	}
}

func (m rolling) resumeRoll() string {
	run := &m.s.RollState.Facts.Run
	return run.Target().Line("kdrain-tui resume " + run.ID)
}

// endsRoll reports whether leaving would end a roll.
func (m rolling) endsRoll() bool {
	return m.s.Rolling() && !m.d.ReadOnly && !m.d.Replay && !m.s.RollForeign
}

// openQuitRoll asks what becomes of the roll; watching on is the answer with the focus.
func (m rolling) openQuitRoll() {
	s := m.s.RollState
	d := &dialog.Dialog{ID: quitDialog, Title: "A roll is active", Body: []paint.Line{
		paint.T(format.Number(s.Count(roll.Done)) + " of " + format.Count(len(s.Nodes), "node") + " are done."),
		paint.T("The roll is part of this program: leaving suspends it, to be resumed, or aborts it."),
		paint.L(themes.Muted, "resume  ").Add(themes.Text, m.resumeRoll()),
		paint.L(themes.Warning, "Nodes under way stay cordoned either way. Commands that run are waited for, or ended by an abort."),
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
			m.steerRoll(drain.CommandAbort)
			m.notices.say("Aborting; kdrain-tui leaves when the roll has ended.", m.now)
		case suspendRun:
			m.steerRoll(drain.CommandSuspend)
			m.notices.say("Suspending; kdrain-tui leaves when commands and answers are in.", m.now)
		default:
			return
		}
		m.leaving = true
	})
	o.Stale = func() bool { return !m.s.Rolling() }
}

func (m rolling) steerRoll(kind drain.CommandKind) {
	m.s.Roll.Send(roll.Command{Kind: kind, By: m.s.Identity.User, Why: "the dashboard was left"})
}

// reach shows the page of a run or a roll from now on, and tells where ctl does not reach it.
func (m rolling) reach(page keys.Page, id string) {
	m.filtering = false
	m.path = path{page: page, back: []keys.Page{frame.Nodes}}
	if m.d.Replay || m.d.Cluster == nil {
		m.path.back = nil
		return
	}
	if _, err := m.s.Cluster.Served(id); err != nil {
		m.notices.warn("ctl does not reach this run: "+wording.Clean(err.Error()), m.now)
	}
}

// home is the page that esc does not leave.
func (m rolling) home() keys.Page {
	switch {
	case !m.d.Replay && m.d.Cluster != nil:
		return frame.Nodes
	case m.s.Roll != nil:
		return frame.Roll
	}
	return frame.Run
}
