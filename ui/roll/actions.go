package roll

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Actions are what keys do on the board.
func (m *Page) Actions() []keys.Action {
	const group = "Roll"
	return []keys.Action{
		{ID: "rollenter", Keys: []string{"enter"}, Title: "run of the batch", TitleNow: m.enterTitle,
			Help: "answer the question of the roll; else the run of the batch, with its pods", Group: group, Do: m.enter},
		{ID: "rollpause", Keys: []string{"P"}, Title: "pause", TitleNow: m.pauseOrContinue, Group: group, Writes: true,
			Help:    "pause or continue the roll, at once; no batch and no command begins while it is paused",
			Enabled: m.canPause, Do: m.pause},
		{ID: "rollabort", Keys: []string{"A"}, Title: "abort", Group: group, Writes: true,
			Help:    "begin nothing more, end the commands that run, and end the roll; nodes under way stay cordoned",
			Enabled: m.can(drain.CommandAbort), Do: m.askToAbort},
		{ID: "rollsuspend", Keys: []string{"Z"}, Group: group, Writes: true,
			Help:    "begin nothing more, wait for the commands that run, and end the process of the roll; resume continues it",
			Enabled: m.can(drain.CommandSuspend), Do: m.askToSuspend},
		{ID: "rollreport", Keys: []string{"y"}, Group: group,
			Help:    "copy the report of the roll as markdown, for a ticket",
			Enabled: func() (bool, string) { return m.s.Roll != nil, "there is no roll to report on" }, Do: m.copyReport},
	}
}

// can reports whether a command would change anything.
func (m *Page) can(kind drain.CommandKind) func() (bool, string) {
	return func() (bool, string) {
		switch {
		case m.s.RollState == nil:
			return false, "there is no roll"
		case m.s.Replay:
			return false, "a replay cannot be steered"
		case m.s.RollOver && m.s.RollState.Outcome == "":
			return false, "the process of the roll has ended"
		}
		if err := m.s.RollState.Objection(kind); err != nil {
			return false, err.Error()
		}
		return true, ""
	}
}

// toggle is what P does now.
func (m *Page) toggle() drain.CommandKind {
	if m.s.RollState != nil && m.s.RollState.Paused {
		return drain.CommandContinue
	}
	return drain.CommandPause
}

func (m *Page) pauseOrContinue() string { return string(m.toggle()) }

func (m *Page) canPause() (bool, string) { return m.can(m.toggle())() }

func (m *Page) pause() { m.steer(m.toggle(), "") }

func (m *Page) steer(kind drain.CommandKind, why string) {
	m.s.Roll.Send(roll.Command{Kind: kind, By: m.s.Identity.User, Why: why})
}

// underWayNames are the nodes that an end of the roll leaves as they are.
func (m *Page) underWayNames() (names []string) {
	for i := range m.s.RollState.Nodes {
		if n := &m.s.RollState.Nodes[i]; underWay(n) {
			names = append(names, n.Name)
		}
	}
	return names
}

func (m *Page) askToAbort() {
	body := []paint.Line{paint.T("No further batch begins. The run of the batch is aborted, and commands that run " +
		"are ended.")}
	if names := m.underWayNames(); len(names) > 0 {
		body = append(body, paint.L(themes.Warning,
			"These nodes are left as they are, cordoned once their drain began: "+format.List(names, 6)+"."))
	}
	m.askToSteer(dialog.Confirm("abort", "Abort the roll?", "abort", true, body...), drain.CommandAbort)
}

func (m *Page) askToSuspend() {
	run := &m.s.RollState.Facts.Run
	m.askToSteer(dialog.Confirm("suspend", "Suspend the roll?", "suspend", false,
		paint.T("Nothing more begins. The run of the batch stops, and commands that run are waited for."),
		paint.L(themes.Muted, "resume  ").Add(themes.Text, run.Target().Line("kdrain-tui resume "+run.ID))),
		drain.CommandSuspend)
}

func (m *Page) askToSteer(d *dialog.Dialog, kind drain.CommandKind) {
	o := m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.steer(kind, "")
		}
	})
	o.Stale = func() bool { return !m.s.Rolling() }
}

// reportMsg brings the report of a roll, as markdown.
type reportMsg struct {
	of       *drain.RunFacts
	markdown string
}

func (m *Page) copyReport() {
	r, live, of := m.s.Roll, m.s.Rolling(), &m.s.RollState.Facts.Run
	events := func() []roll.Event { return r.Events(0) }
	if played, ok := r.(interface{ Whole() []roll.Event }); ok { // also what the replay has not come to
		events, live = played.Whole, false
	}
	m.shell.Go("the report of the roll", func(context.Context) tea.Msg {
		report := roll.ReportOf(events(), live)
		return reportMsg{of, report.Markdown()}
	})
}

func (m *Page) onReport(msg reportMsg) {
	m.shell.Do(tea.SetClipboard(msg.markdown))
	m.shell.Say("Report copied, if your terminal allows that. To a file: " +
		msg.of.Target().Line("kdrain-tui report "+msg.of.ID+" -o markdown"))
}

func (m *Page) enterTitle() string {
	switch {
	case m.asksNow():
		return "answer"
	case m.s.OfRoll(), m.s.Replay:
		return "run of the batch"
	}
	return ""
}

func (m *Page) enter() {
	switch {
	case m.asksNow():
		m.openQuestion(m.s.RollState.Question, false)
	case m.s.Replay:
		m.openBatch()
	case m.s.OfRoll():
		m.shell.Open(frame.Ref{Page: frame.Run})
	default:
		m.shell.Refuse("no batch is being drained: there is no run to show")
	}
}

const questionDialog = "roll question"

// mayAnswer reports whether questions of the roll are answered here.
func (m *Page) mayAnswer() bool { return !m.s.ReadOnly && !m.s.Replay && !m.s.RollForeign }

func (m *Page) asksNow() bool {
	return m.s.Rolling() && m.s.RollState.Question != nil && m.mayAnswer() && !m.shell.Asking(questionDialog)
}

// question brings what the roll asks before the operator, once; a question that was put away waits on the
// board.
func (m *Page) question() {
	q := m.s.RollState.Question
	if q == nil || !m.asksNow() || m.asked != nil && sameQuestion(m.asked, q) {
		return
	}
	m.asked = q
	m.openQuestion(q, true)
	m.shell.Open(frame.Ref{Page: frame.Roll})
}

func sameQuestion(a, b *roll.Question) bool {
	return a.Kind == b.Kind && a.Node == b.Node && a.Since.Equal(b.Since)
}

// again and failed are the answers that no button of a usual dialog has.
const (
	again  = "again"
	failed = "failed"
)

func (m *Page) openQuestion(q *roll.Question, auto bool) {
	d := &dialog.Dialog{ID: questionDialog, Auto: auto, Title: "Is the work on " + q.Node + " done?"}
	d.Body = []paint.Line{
		paint.T("It is drained. Done: it is waited for until it is Ready, and uncordoned."),
		paint.L(themes.Warning, "Failed: it stays cordoned, and counts against --max-failed."),
	}
	d.Buttons = []dialog.Button{
		{Label: "Later", Value: dialog.Cancel, Key: "n"}, {Label: "Done", Value: dialog.Accept, Key: "y"},
		{Label: "Failed", Value: failed, Key: "f", Danger: true},
	}
	if q.Kind == roll.AskAgain {
		d.Title = fmt.Sprintf("The --%s command of %s was cut off", q.Hook, q.Node)
		d.Body = []paint.Line{paint.T("How far it came is not known: look at the node."),
			paint.T("Again: it is run once more. Done: it counts as done."),
			paint.L(themes.Warning, "Failed: the node is left as it is.")}
		if q.Message != "" {
			d.Body[0] = paint.L(themes.Warning,
				"It is not known whether it still runs: "+q.Message+". Look at the node.")
		}
		d.Buttons = append(d.Buttons[:1:1], append([]dialog.Button{{Label: "Again", Value: again, Key: "r"}},
			d.Buttons[1:]...)...)
	}
	answers := map[string]roll.Answer{dialog.Accept: roll.AnswerDone, again: roll.AnswerAgain,
		failed: roll.AnswerFailed}
	o := m.shell.Ask(d, func(a dialog.Answer) {
		answer, given := answers[a.Value]
		if !given {
			m.shell.Say("The roll waits. enter asks again, A aborts.")
			return
		}
		m.s.Roll.Send(roll.Reply{Node: q.Node, Kind: q.Kind, Answer: answer, By: m.s.Identity.User})
	})
	o.Stale = func() bool {
		now := m.s.RollState.Question
		return !m.s.Rolling() || now == nil || !sameQuestion(now, q)
	}
}
