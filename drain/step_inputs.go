package drain

import (
	"cmp"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// inputStep takes what came in: answers, confirmations, commands.
type inputStep struct{ *stepper }

func (st *stepper) inputs() inputStep { return inputStep{st} }

// take takes one input into account.
func (st inputStep) take(in Input) {
	switch in := in.(type) {
	case Answered:
		st.answers().onAnswer(in)
		st.onWaiting()
	case Confirm:
		q := st.s.Question
		if q == nil || q.Phase != in.Phase || q.Word != in.Word {
			return // a confirmation of another question, or a wrong one, confirms nothing
		}
		st.emit(Event{Kind: EventConfirmed, Phase: in.Phase, Word: in.Word, By: in.By})
	case Command:
		st.onCommand(in)
	case JournalNews:
		st.onJournalNews(in)
	case Warned:
		st.emit(Event{Kind: EventWarning, Message: in.Text})
	}
}

// onJournalNews pauses a run whose journal cannot be written, so that nothing new is
// sent but what keeps its Leases and, where it is aborted, takes its own temporary
// budgets away.
func (st inputStep) onJournalNews(in JournalNews) {
	if st.s.JournalLost != in.Lost {
		st.emit(Event{Kind: EventJournal, Message: in.Lost})
	}
	if in.Lost != "" {
		st.onCommand(Command{Kind: CommandPause, By: "engine", Why: in.Lost})
	}
}

// onWaiting takes the controls that waited for an answer which is here now.
func (st inputStep) onWaiting() {
	waiting := st.s.waiting
	if !slices.ContainsFunc(waiting, func(c Command) bool { return !st.s.awaitsAnswer(c) }) {
		return
	}
	st.emit(Event{Kind: eventWaiting, passing: true})
	for _, c := range waiting {
		st.onCommand(c)
	}
}

// refuse notes why a control changes nothing, for whoever waits for what became of it.
func (st inputStep) refuse(in Command, why error) {
	if in.ID == 0 {
		return
	}
	if st.out.Refused == nil {
		st.out.Refused = map[uint64]error{}
	}
	st.out.Refused[in.ID] = why
}

func (st inputStep) onCommand(in Command) {
	if in.ID == 0 && st.s.awaitsAnswer(in) {
		st.emit(Event{Kind: eventWaiting, waiting: append(slices.Clip(st.s.waiting), in), passing: true})
		return
	}
	left := func(p *kube.Pod) bool {
		return in.Kind == CommandSkip && p.UID == in.Pod || in.Kind == CommandLeave && p.Node == in.Node
	}
	if why := cmp.Or(st.s.Objection(in), st.s.Surges.MayLeave(st.snap, left)); why != nil {
		st.refuse(in, why)
		return
	}
	e := Event{Kind: EventControl, Command: in.Kind, Node: in.Node, By: in.By, Message: in.Why, Input: in.ID}
	switch in.Kind {
	case CommandRemedy:
		st.remedies().remediate(in)
		return
	case CommandRetry, CommandSkip, CommandLast:
		p := st.s.Pod(in.Pod)
		e.Node, e.Namespace, e.Pod, e.UID = p.Node, p.Namespace, p.Name, p.UID
	}
	st.emit(e)
	switch in.Kind {
	case CommandSkip:
		p, words := st.s.Pod(in.Pod), "left where it is, as the operator asked"
		if p.State.Ends() {
			words = "still terminating: not waited for, as the operator asked"
		}
		st.setPod(p, eviction.Change{State: eviction.Skipped, Message: words})
	case CommandLeave:
		st.setNode(st.s.Node(in.Node), NodeStopped, "left as it is, as the operator asked")
	}
}
