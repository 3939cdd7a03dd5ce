package run

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
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
	return slices.Concat([]keys.Action{
		{ID: "answer", Keys: []string{"enter"}, Title: "pod", TitleNow: outline{m}.enterTitle, Group: group,
			Help:    "answer the run's question; else fold or unfold, or the pod in full: conditions, events, logs, YAML",
			Enabled: outline{m}.canEnter, Do: m.runEnter},
		{ID: "pause", Keys: []string{"P"}, Title: "pause",
			Help: "pause or continue the run, at once; nothing new is sent while it is paused", Group: group,
			Writes: true, Enabled: m.canPause, Do: m.pause, TitleNow: m.pauseOrContinue},
		{ID: "problem", Keys: []string{"n"}, Title: "next problem",
			Help: "go to the next cause that holds pods of the run", Group: group,
			Enabled: outline{m}.hasProblem, Do: outline{m}.nextProblem},
		{ID: "remedies", Keys: []string{"E"}, Title: "remedies",
			Help: "the remedies for a blocked or stuck pod, each with its request and its risk", Group: group,
			Writes: true, Enabled: m.canRemedies, Do: m.openRemedies},
		{ID: "abort", Keys: []string{"A"}, Title: "abort",
			Help: "send nothing more and end the run; the nodes stay cordoned", Group: group,
			Writes: true, Enabled: m.can(drain.CommandAbort, false), Do: m.askToAbort},
		{ID: "retry", Keys: []string{"R"}, Title: "retry",
			Help: "request the eviction of the pod again at once, instead of at its time", Group: group,
			Writes: true, Enabled: m.can(drain.CommandRetry, true), Do: m.retry},
		{ID: "skip", Keys: []string{"S"}, Title: "skip", Help: "leave the pod where it is and go on with the others",
			Group:  group,
			Writes: true, Enabled: m.can(drain.CommandSkip, true), Do: m.askToSkip},
		{ID: "putlast", Keys: []string{"L"}, Title: "last", Help: "evict all other pods of the run before this one",
			Group:  group,
			Writes: true, Enabled: m.can(drain.CommandLast, true), Do: m.askToPutLast},
		{ID: "leave", Keys: []string{"N"}, Title: "leave node",
			Help: "leave the node of the selected pod: nothing more is evicted there", Group: group,
			Writes: true, Enabled: m.can(drain.CommandLeave, true),
			Do: func() { m.askToLeave(m.selectedRunPod().Node) }},
		{ID: "checklist", Keys: []string{"c"}, Title: "checklist",
			Help: "whether each node of the run is safe to power off now, line by line", Group: group,
			Enabled: func() (bool, string) { return canCheck(m.s) },
			Do:      func() { m.shell.Open(frame.Ref{Page: frame.Checks}) }},
		{ID: "report", Keys: []string{"y"}, Title: "copy report",
			TitleNow: func() string { return reportTitle(m.s.State) },
			Help:     "copy the report of the run as markdown, for a ticket", Group: group,
			Enabled: m.canReport, Do: m.copyReport},
		{ID: "suspend", Keys: []string{"Z"},
			Help: "send nothing more and end the process of the run; resume continues it", Group: group,
			Writes: true, Enabled: m.can(drain.CommandSuspend, false), Do: m.askToSuspend},
	}, chooser{m}.choiceActions(group))
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
func applies(s *frame.Session, kind drain.CommandKind, p *eviction.Record) (bool, string) {
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

func canCheck(s *frame.Session) (bool, string) {
	switch {
	case s.State == nil:
		return false, "there is no run"
	}
	return true, ""
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

// reportMsg brings the report of a run, as markdown.
type reportMsg struct {
	of       *drain.RunFacts
	markdown string
}

// copyReport has the report of the run as it stands made: its events may be many, and
// those of a run of another process are read from its journal.
func (m *Page) copyReport() {
	run, live, of := m.s.Run.(chronicled), m.s.Live(), &m.s.State.Run
	events := func() []drain.Event { return run.Events(0) }
	if played, ok := run.(interface{ Whole() []drain.Event }); ok { // also what the replay has not come to
		events, live = played.Whole, false
	}
	snap, now := m.s.Snap, m.s.Now
	m.shell.Go("the report of the run", func(context.Context) tea.Msg {
		all := events()
		told := report.Of(all, live)
		if !live && snap.Health().Live {
			told.Check(drain.Fold(nil, all...), snap, now)
		}
		return reportMsg{of, told.Markdown()}
	})
}

// onReport puts it into the clipboard; whether a terminal took it is never known, so the
// way to a file is said as well.
func (m *Page) onReport(msg reportMsg) {
	m.shell.Do(tea.SetClipboard(msg.markdown))
	m.shell.Say("Report copied, if your terminal allows that. To a file: " +
		msg.of.Target().Line("kdrain-tui report "+msg.of.ID+" -o markdown"))
}

// steer sends a command to the run.
func steer(s *frame.Session, kind drain.CommandKind, pod *eviction.Record) {
	c := drain.Command{Kind: kind, By: s.Identity.User}
	if pod != nil {
		c.Pod = pod.UID
	}
	s.Run.Send(c)
}

// askToCommand opens a confirmation that goes away with the run.
func (m *Page) askToCommand(d *dialog.Dialog, kind drain.CommandKind, pod *eviction.Record) {
	o := m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			steer(m.s, kind, pod)
		}
	})
	o.Stale = func() bool { return !m.s.Live() }
}

// pause acts at once, in both directions: it is the emergency brake, and what it lets
// continue was confirmed before.
func (m *Page) pause() {
	switch {
	case !m.s.State.Paused:
		steer(m.s, drain.CommandPause, nil)
	case m.s.State.JournalLost != "":
		m.askToGoOnUnrecorded()
	default:
		steer(m.s, drain.CommandContinue, nil)
	}
}

// askToGoOnUnrecorded takes a typed word: what is sent without a journal cannot be
// told, resumed or rolled back. Where there is room again by then, the journal is
// made whole first.
func (m *Page) askToGoOnUnrecorded() {
	o := m.shell.Ask(dialog.Typed("unrecorded", "Continue without a journal?", drain.WordWithoutJournal, "continue",
		paint.L(themes.Bad, "The journal cannot be written: ").Add(themes.Muted, format.Quote(m.s.State.JournalLost)),
		paint.T("What is sent from here on is unknown to resume, rollback and report."),
		paint.T("If there is space again, what is missing is written first.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.s.Run.Send(drain.Command{Kind: drain.CommandContinue, Word: a.Text, By: m.s.Identity.User})
		}
	})
	o.Stale = func() bool { return !m.s.Live() || m.s.State.JournalLost == "" }
}

// retry acts at once: its budget is respected as before.
func (m *Page) retry() {
	m.list.Touched = true
	p := m.selectedRunPod()
	steer(m.s, drain.CommandRetry, p)
	m.shell.Say("The eviction of " + p.Name + " is requested again.")
}

func (m *Page) askToSkip() {
	m.list.Touched = true
	p := m.selectedRunPod()
	text := "It stays where it is, so its node will not be empty."
	if p.State == eviction.Terminating || p.State == eviction.StuckTerminating {
		text = "Its end is not waited for. Until it is gone, its node is not safe to power off."
	}
	m.askToCommand(dialog.Confirm("skip", "Skip this pod?", "skip", true,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node), paint.T(text)),
		drain.CommandSkip, p)
}

func (m *Page) askToPutLast() {
	m.list.Touched = true
	p := m.selectedRunPod()
	m.askToCommand(dialog.Confirm("last", "Put this pod last?", "last", false,
		paint.L(themes.Accent, p.Namespace+"/"+p.Name).Add(themes.Text, " on "+p.Node),
		paint.T("It is evicted after all other pods of the run.")), drain.CommandLast, p)
}

// askToLeave asks before nothing more is evicted on a node.
func (m *Page) askToLeave(node string) {
	p := m.s.State.Progress(node)
	what := "The run continues with its other nodes."
	if len(nodesAtWork(m.s.State)) == 1 {
		what = "The run has no other node left, and ends."
	}
	o := m.shell.Ask(dialog.Confirm("leave", "Leave "+node+"?", "leave", true,
		paint.T("Nothing more is evicted there: "+format.Plural(p.Total-p.Left, "pod stays", "pods stay")+". "+what),
		paint.L(themes.Warning, "The node stays cordoned.")), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.s.Run.Send(drain.Command{Kind: drain.CommandLeave, Node: node, By: m.s.Identity.User})
		}
	})
	o.Stale = func() bool { return !m.s.Live() }
}

func (m *Page) askToSuspend() {
	m.askToCommand(dialog.Confirm("suspend", "Suspend the run?", "suspend", false,
		paint.T("Nothing more is sent, and its process ends once the outstanding answers are in. The nodes stay cordoned."),
		paint.L(themes.Muted, "resume  ").Add(themes.Text, m.s.State.Run.Target().Line("kdrain-tui resume "+
			m.s.State.Run.ID))), drain.CommandSuspend, nil)
}

func (m *Page) askToAbort() {
	p := m.s.State.Progress("")
	m.askToCommand(dialog.Confirm("abort", "Abort the run?", "abort", true,
		paint.T("Nothing more is sent. "+format.Plural(p.Total-p.Left-p.Terminating, "pod stays where it is",
			"pods stay where they are")+"; "+format.Number(p.Terminating)+" already terminating."),
		paint.L(themes.Warning, "The nodes stay cordoned: "+format.List(wording.NodesTouched(m.s.State), 6)+".")),
		drain.CommandAbort, nil)
}

// asksNow shows that the run waits for a confirmation, and that enter opens its question.
func (m *Page) asksNow() bool {
	return m.s.State != nil && m.s.State.Question != nil && !m.s.State.Aborting && m.s.Live() && !m.s.Replay &&
		!m.s.Foreign && !m.shell.Asking(questionDialog)
}

// enterTitle is what enter does on the page of a run.
func (m outline) enterTitle() string {
	s := m.folded()
	switch {
	case m.asksNow():
		return "answer"
	case s != nil && m.unfolded[s.name]:
		return "fold"
	case s != nil:
		return "unfold"
	}
	return "pod"
}

// canEnter reports whether there is more to see of what is selected.
func (m outline) canEnter() (bool, string) {
	switch {
	case m.asksNow() || m.folded() != nil:
	case m.s.Foreign && m.s.Cluster == nil:
		return false, "the cluster of the run was not reached: there is no more to read of the pod"
	case m.s.Replay:
		return false, "a replay has no cluster that could tell more of the pod"
	}
	return true, ""
}

// runEnter answers the question of the run, or shows everything on the pod.
func (m *Page) runEnter() {
	if m.asksNow() {
		m.reopenQuestion()
		return
	}
	if s := (outline{m}).folded(); s != nil {
		outline{m}.fold(s)
		return
	}
	p := m.selectedRunPod()
	switch {
	case p == nil:
		return
	}
	m.list.Touched = true
	m.shell.Open(frame.Ref{Page: frame.Pod, Pod: frame.PodRef{Namespace: p.Namespace, Name: p.Name, UID: p.UID}})
}

// reportTitle offers the report where there is nothing more to do in the run.
func reportTitle(s *drain.State) string {
	if s == nil || s.Outcome == "" {
		return ""
	}
	return "copy report"
}
