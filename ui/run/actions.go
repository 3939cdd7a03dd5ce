package run

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Actions are what keys do on the page of a run.
func (m *Page) Actions() []keys.Action {
	const group = "Run"
	return []keys.Action{
		{ID: "answer", Keys: []string{"enter"}, Title: "pod", TitleNow: m.answerOrPod,
			Help: "answer the run's question; else the pod in full: conditions, events, logs, YAML", Group: group, Do: m.runEnter},
		{ID: "pause", Keys: []string{"P"}, Title: "pause", Help: "pause or continue the run; nothing new is sent while it is paused", Group: group,
			Writes: true, Enabled: m.canPause, Do: m.askToPause, TitleNow: m.pauseOrContinue},
		{ID: "retry", Keys: []string{"R"}, Title: "retry", Help: "try the pod again now instead of at its time", Group: group,
			Writes: true, Enabled: m.can(drain.CommandRetry, true), Do: m.askToRetry},
		{ID: "skip", Keys: []string{"S"}, Title: "skip", Help: "leave the pod where it is and go on with the others", Group: group,
			Writes: true, Enabled: m.can(drain.CommandSkip, true), Do: m.askToSkip},
		{ID: "putlast", Keys: []string{"L"}, Title: "last", Help: "evict all other pods of the run before this one", Group: group,
			Writes: true, Enabled: m.can(drain.CommandLast, true), Do: m.askToPutLast},
		{ID: "remedies", Keys: []string{"E"}, Title: "remedies", Help: "the remedies for a blocked or stuck pod, each with its request and its risk", Group: group,
			Writes: true, Enabled: m.canRemedies, Do: m.openRemedies},
		{ID: "leave", Keys: []string{"N"}, Help: "leave the node of the selected pod: nothing more is evicted there", Group: group,
			Writes: true, Enabled: m.can(drain.CommandLeave, true), Do: m.askToLeave},
		{ID: "report", Keys: []string{"y"}, Help: "copy the report of the run as markdown, for a ticket", Group: group,
			Enabled: m.canReport, Do: m.copyReport},
		{ID: "abort", Keys: []string{"A"}, Title: "abort", Help: "send nothing more and end the run; the nodes stay cordoned", Group: group,
			Writes: true, Enabled: m.can(drain.CommandAbort, false), Do: m.askToAbort},
	}
}

func (m *Page) pauseOrContinue() string {
	if m.s.State != nil && m.s.State.Paused {
		return "continue"
	}
	return "pause"
}

// can reports whether the run would take a command as it stands; pod says that it is about
// the selected pod or its node.
func (m *Page) can(kind drain.CommandKind, pod bool) func() (bool, string) {
	return func() (bool, string) {
		if !pod {
			return applies(m.s, kind, nil)
		}
		p := m.selectedRunPod()
		if m.s.State != nil && p == nil {
			return false, "no pod is selected"
		}
		return applies(m.s, kind, p)
	}
}

// applies asks the run's own rule.
func applies(s *frame.Session, kind drain.CommandKind, p *drain.PodRun) (bool, string) {
	switch {
	case s.State == nil:
		return false, "there is no run"
	case s.Over && s.State.Outcome == "":
		return false, "the run has ended without a result"
	}
	c := drain.Command{Kind: kind, Word: drain.WordWithoutJournal} // which its dialog asks for
	if p != nil {
		c.Pod, c.Node = p.UID, p.Node
	}
	if err := s.State.Objection(c); err != nil {
		return false, err.Error()
	}
	return true, ""
}

func (m *Page) canPause() (bool, string) {
	if m.s.State != nil && m.s.State.Paused {
		return m.can(drain.CommandContinue, false)()
	}
	return m.can(drain.CommandPause, false)()
}

// chronicled is a run that keeps its events; what is shown of one is State alone.
type chronicled interface {
	Events(after uint64) []drain.Event
}

func (m *Page) canReport() (bool, string) {
	if _, ok := m.s.Run.(chronicled); m.s.State == nil || !ok {
		return false, "there is no run to report on"
	}
	return true, ""
}

// copyReport puts the report of the run as it stands into the clipboard; whether
// a terminal took it is never known, so the way to a file is said as well.
func (m *Page) copyReport() {
	told := report.Of(m.s.Run.(chronicled).Events(0), m.s.Live())
	m.shell.Do(tea.SetClipboard(told.Markdown()))
	m.shell.Say("Report copied, if your terminal allows that. To a file: " +
		m.s.State.Run.Target().Line("kdrain-tui report "+m.s.State.Run.ID+" -o markdown"))
}

// steer sends a command to the run.
func (m *Page) steer(kind drain.CommandKind, pod *drain.PodRun) {
	c := drain.Command{Kind: kind, By: m.s.Identity.User}
	if pod != nil {
		c.Pod = pod.UID
	}
	m.s.Run.Send(c)
}

// askToCommand opens a confirmation that goes away with the run.
func (m *Page) askToCommand(d *dialog.Dialog, kind drain.CommandKind, pod *drain.PodRun) {
	o := m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.steer(kind, pod)
		}
	})
	o.Stale = func() bool { return !m.s.Live() }
}

func (m *Page) askToPause() {
	if m.s.State.Paused && m.s.State.JournalLost != "" {
		m.askToGoOnUnrecorded()
		return
	}
	if m.s.State.Paused {
		m.askToCommand(dialog.Confirm("continue", "Continue the run?", "continue", false, paint.T("Evictions are sent again.")), drain.CommandContinue, nil)
		return
	}
	m.askToCommand(dialog.Confirm("pause", "Pause the run?", "pause", false,
		paint.T("Nothing new is sent. Pods whose eviction was accepted still terminate.")), drain.CommandPause, nil)
}

// askToGoOnUnrecorded takes a typed word: what is sent without a journal cannot be
// told, resumed or rolled back. Where there is room again by then, the journal is
// made whole first.
func (m *Page) askToGoOnUnrecorded() {
	o := m.shell.Ask(dialog.Typed("unrecorded", "Continue without a journal?", drain.WordWithoutJournal, "continue",
		paint.L(themes.Bad, "The journal cannot be written: ").Add(themes.Muted, wording.Quote(m.s.State.JournalLost)),
		paint.T("What is sent from here on is unknown to resume, rollback and report."),
		paint.T("If there is space again, what is missing is written first.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.s.Run.Send(drain.Command{Kind: drain.CommandContinue, Word: a.Text, By: m.s.Identity.User})
		}
	})
	o.Stale = func() bool { return !m.s.Live() || m.s.State.JournalLost == "" }
}

func (m *Page) askToRetry() {
	m.list.Touched = true
	p := m.selectedRunPod()
	m.askToCommand(dialog.Confirm("retry", "Retry now?", "retry", false,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name), paint.T("Its eviction is requested again at once. Its budget is respected as before.")), drain.CommandRetry, p)
}

func (m *Page) askToSkip() {
	m.list.Touched = true
	p := m.selectedRunPod()
	text := "It stays where it is, so its node will not be empty."
	if p.State == drain.PodTerminating || p.State == drain.PodStuckTerminating {
		text = "Its end is not waited for. Until it is gone, its node is not safe to power off."
	}
	m.askToCommand(dialog.Confirm("skip", "Skip this pod?", "skip", true,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node), paint.T(text)), drain.CommandSkip, p)
}

func (m *Page) askToPutLast() {
	m.list.Touched = true
	p := m.selectedRunPod()
	m.askToCommand(dialog.Confirm("last", "Put this pod last?", "last", false,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node),
		paint.T("It is evicted after all other pods of the run.")), drain.CommandLast, p)
}

// askToLeave asks about the node of the selected pod.
func (m *Page) askToLeave() {
	node := m.selectedRunPod().Node
	p := m.s.State.Progress(node)
	what := "The run continues with its other nodes."
	if len(nodesAtWork(m.s.State)) == 1 {
		what = "The run has no other node left, and ends."
	}
	o := m.shell.Ask(dialog.Confirm("leave", "Leave "+node+"?", "leave", true,
		paint.T("Nothing more is evicted there: "+wording.Plural(p.Total-p.Left, "pod stays", "pods stay")+". "+what),
		paint.L(themes.Warning, "The node stays cordoned.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.s.Run.Send(drain.Command{Kind: drain.CommandLeave, Node: node, By: m.s.Identity.User})
		}
	})
	o.Stale = func() bool { return !m.s.Live() }
}

func (m *Page) askToAbort() {
	p := m.s.State.Progress("")
	m.askToCommand(dialog.Confirm("abort", "Abort the run?", "abort", true,
		paint.T("Nothing more is sent. "+wording.Plural(p.Total-p.Left, "pod stays where it is, ", "pods stay where they are, ")+
			wording.Number(p.Terminating)+" of them already ending."),
		paint.L(themes.Warning, "The nodes stay cordoned: "+wording.List(wording.NodesTouched(m.s.State), 6)+".")), drain.CommandAbort, nil)
}

// asksNow shows that the run waits for a confirmation, and that enter opens its question.
func (m *Page) asksNow() bool {
	return m.s.State != nil && m.s.State.Question != nil && m.s.Live() && !m.s.Replay && !m.shell.Asking(questionDialog)
}

// answerOrPod is what enter does on the page of a run.
func (m *Page) answerOrPod() string {
	if m.asksNow() {
		return "answer"
	}
	return "pod"
}

// runEnter answers the question of the run, or shows everything on the pod.
func (m *Page) runEnter() {
	if m.asksNow() {
		m.reopenQuestion()
		return
	}
	p := m.selectedRunPod()
	switch {
	case p == nil:
		return
	case m.s.Replay:
		m.shell.Refuse("a replay has no cluster that could tell more of the pod")
		return
	}
	m.list.Touched = true
	m.shell.Open(frame.Ref{Page: frame.Pod, Pod: frame.PodRef{Namespace: p.Namespace, Name: p.Name, UID: p.UID}})
}
