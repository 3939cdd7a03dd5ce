package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

func runActions() []action {
	const group = "Run"
	on := []keys.Page{pageRun}
	return []action{
		{ID: "answer", Keys: []string{"enter"}, Title: "pod", TitleNow: answerOrPod,
			Help: "answer the run's question; else the pod in full: conditions, events, logs, YAML", Group: group, Pages: on, Do: (*Model).runEnter},
		{ID: "pause", Keys: []string{"P"}, Title: "pause", Help: "pause the run, or go on with it: nothing new is sent meanwhile", Group: group, Pages: on,
			Writes: true, Enabled: canPause, Do: (*Model).askToPause, TitleNow: pauseOrContinue},
		{ID: "retry", Keys: []string{"R"}, Title: "retry", Help: "try the pod again now instead of at its time", Group: group, Pages: on,
			Writes: true, Enabled: can(drain.ControlRetry, true), Do: (*Model).askToRetry},
		{ID: "skip", Keys: []string{"S"}, Title: "skip", Help: "leave the pod where it is and go on with the others", Group: group, Pages: on,
			Writes: true, Enabled: can(drain.ControlSkip, true), Do: (*Model).askToSkip},
		{ID: "putlast", Keys: []string{"L"}, Title: "last", Help: "let all other pods of the run go before this one", Group: group, Pages: on,
			Writes: true, Enabled: can(drain.ControlLast, true), Do: (*Model).askToPutLast},
		{ID: "ladder", Keys: []string{"E"}, Title: "ladder", Help: "what else could move the pod, rung by rung, each with its request and its risk", Group: group, Pages: on,
			Writes: true, Enabled: canLadder, Do: (*Model).openLadder},
		{ID: "climb", Keys: []string{"enter"}, Title: "take the rung", Help: "take the selected rung of the ladder, by its own word", Group: group, Pages: []keys.Page{pageLadder},
			Enabled: canClimb, Do: (*Model).askToClimb},
		{ID: "rungkubectl", Keys: []string{"y"}, Title: "copy as kubectl", Help: "copy the selected rung as a kubectl command, and show it", Group: group,
			Pages: []keys.Page{pageLadder}, Enabled: hasRungCommand, Do: (*Model).copyRung},
		{ID: "leave", Keys: []string{"N"}, Help: "leave the node of the selected pod: nothing more is evicted there", Group: group, Pages: on,
			Writes: true, Enabled: can(drain.ControlLeave, true), Do: (*Model).askToLeave},
		{ID: "report", Keys: []string{"y"}, Help: "copy the report of the run as markdown, for a ticket", Group: group, Pages: on,
			Enabled: canReport, Do: (*Model).copyReport},
		{ID: "abort", Keys: []string{"A"}, Title: "abort", Help: "send nothing more and end the run; the nodes stay cordoned", Group: group, Pages: on,
			Writes: true, Enabled: can(drain.ControlAbort, false), Do: (*Model).askToAbort},
	}
}

func pauseOrContinue(m *Model) string {
	if m.last != nil && m.last.Paused {
		return "continue"
	}
	return "pause"
}

// can tells whether the run would take a command as it stands, by the run's own rule;
// pod says that the command is about the selected pod or its node.
func can(kind drain.ControlKind, pod bool) func(*Model) (bool, string) {
	return func(m *Model) (bool, string) {
		switch {
		case m.last == nil:
			return false, "there is no run"
		case m.over && m.last.Outcome == "":
			return false, "the run has ended without a result"
		}
		c := drain.Control{Kind: kind, Word: drain.WordWithoutJournal} // which its dialog asks for
		if p := m.selectedRunPod(); pod && p != nil {
			c.Pod, c.Node = p.UID, p.Node
		} else if pod {
			return false, "there is no pod that could be meant"
		}
		if err := m.last.Objection(c); err != nil {
			return false, err.Error()
		}
		return true, ""
	}
}

func canPause(m *Model) (bool, string) {
	if m.last != nil && m.last.Paused {
		return can(drain.ControlContinue, false)(m)
	}
	return can(drain.ControlPause, false)(m)
}

// chronicled is a run that keeps its events; what is shown of one is State alone.
type chronicled interface {
	Events(after uint64) []drain.Event
}

func canReport(m *Model) (bool, string) {
	if _, ok := m.run.(chronicled); m.last == nil || !ok {
		return false, "there is no run to report on"
	}
	return true, ""
}

// copyReport puts the report of the run as it stands into the clipboard; whether
// a terminal took it is never known, so the way to a file is said as well.
func (m *Model) copyReport() {
	told := report.Of(m.run.(chronicled).Events(0), m.live())
	m.queue(tea.SetClipboard(told.Markdown()))
	m.say("Report copied, if your terminal allows that. To a file: " +
		m.last.Run.Target().Line("kdrain-tui report "+m.last.Run.ID+" -o markdown"))
}

func podWord(p *drain.PodRun) string {
	word := page.PodState(p).String()
	for i, r := range word {
		if r == ' ' {
			return word[i+1:]
		}
	}
	return word
}

// steer sends a command to the run.
func (m *Model) steer(kind drain.ControlKind, pod *drain.PodRun) {
	c := drain.Control{Kind: kind, By: m.d.Identity.User}
	if pod != nil {
		c.Pod = pod.UID
	}
	m.run.Send(c)
}

// askToSteer opens a confirmation that goes away with the run.
func (m *Model) askToSteer(d *dialog.Dialog, kind drain.ControlKind, pod *drain.PodRun) {
	o := m.open(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.steer(kind, pod)
		}
	})
	o.stale = func() bool { return !m.live() }
}

func (m *Model) askToPause() {
	if m.last.Paused && m.last.JournalLost != "" {
		m.askToGoOnUnrecorded()
		return
	}
	if m.last.Paused {
		m.askToSteer(dialog.Confirm("continue", "Go on with the run?", "go on", false, paint.T("Evictions are sent again.")), drain.ControlContinue, nil)
		return
	}
	m.askToSteer(dialog.Confirm("pause", "Pause the run?", "pause", false,
		paint.T("Nothing new is sent. Pods whose eviction was accepted go on ending.")), drain.ControlPause, nil)
}

// askToGoOnUnrecorded takes a typed word: what is sent without a journal cannot be
// told, resumed or rolled back. Where there is room again by then, the journal is
// made whole first.
func (m *Model) askToGoOnUnrecorded() {
	o := m.open(dialog.Typed("unrecorded", "Go on without a journal?", drain.WordWithoutJournal, "go on",
		paint.L(themes.Bad, "The journal cannot be written: ").Add(themes.Muted, page.Quote(m.last.JournalLost)),
		paint.T("What is sent from here on is unknown to resume, rollback and report."),
		paint.T("If there is room again by now, what is missing is written first.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.run.Send(drain.Control{Kind: drain.ControlContinue, Word: a.Text, By: m.d.Identity.User})
		}
	})
	o.stale = func() bool { return !m.live() || m.last.JournalLost == "" }
}

func (m *Model) askToRetry() {
	m.runs.list.touched = true
	p := m.selectedRunPod()
	m.askToSteer(dialog.Confirm("retry", "Retry now?", "retry", false,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name), paint.T("Its eviction is asked for again at once. Its budget is respected as before.")), drain.ControlRetry, p)
}

func (m *Model) askToSkip() {
	m.runs.list.touched = true
	p := m.selectedRunPod()
	text := "It stays where it is, so its node will not be empty."
	if p.State == drain.PodTerminating || p.State == drain.PodStuckTerminating {
		text = "Its end is not waited for. Until it is gone, its node is not safe to power off."
	}
	m.askToSteer(dialog.Confirm("skip", "Skip this pod?", "skip", true,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node), paint.T(text)), drain.ControlSkip, p)
}

func (m *Model) askToPutLast() {
	m.runs.list.touched = true
	p := m.selectedRunPod()
	m.askToSteer(dialog.Confirm("last", "Put this pod last?", "last", false,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node),
		paint.T("It is evicted after all other pods of the run.")), drain.ControlLast, p)
}

// askToLeave asks about the node of the selected pod.
func (m *Model) askToLeave() {
	node := m.selectedRunPod().Node
	p := m.last.Progress(node)
	what := "The run goes on with its other nodes."
	if len(m.nodesAtWork()) == 1 {
		what = "The run has no other node left, and ends."
	}
	o := m.open(dialog.Confirm("leave", "Leave "+node+"?", "leave", true,
		paint.T("Nothing more is evicted there: "+plural(p.Total-p.Left, "pod stays", "pods stay")+". "+what),
		paint.L(themes.Warning, "The node stays cordoned.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.run.Send(drain.Control{Kind: drain.ControlLeave, Node: node, By: m.d.Identity.User})
		}
	})
	o.stale = func() bool { return !m.live() }
}

func (m *Model) askToAbort() {
	p := m.last.Progress("")
	m.askToSteer(dialog.Confirm("abort", "Abort the run?", "abort", true,
		paint.T("Nothing more is sent. "+plural(p.Total-p.Left, "pod stays where it is, ", "pods stay where they are, ")+
			page.Number(p.Terminating)+" of them already ending."),
		paint.L(themes.Warning, "The nodes stay cordoned: "+page.List(m.nodesTouched(), 6)+".")), drain.ControlAbort, nil)
}

// asksNow tells that the run waits for a word, and that enter opens its question.
func (m *Model) asksNow() bool {
	return m.last != nil && m.last.Question != nil && m.live() && !m.d.Replay && !m.isOpen(questionDialog)
}

// answerOrPod is what enter does on the page of a run.
func answerOrPod(m *Model) string {
	if m.asksNow() {
		return "answer"
	}
	return "pod"
}

// runEnter answers the question of the run, or shows everything on the pod.
func (m *Model) runEnter() {
	if m.asksNow() {
		m.reopenQuestion()
		return
	}
	p := m.selectedRunPod()
	switch {
	case p == nil:
		return
	case m.d.Replay:
		m.refuse("a replay has no cluster that could tell more of the pod")
		return
	}
	m.runs.list.touched = true
	m.openPod(podRef{p.Namespace, p.Name, p.UID}, nil)
}

func orNobody(owner string) string {
	if owner == "" {
		return "nobody"
	}
	return owner
}
