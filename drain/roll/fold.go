package roll

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Fold is the state of a roll after the events, in order. The state it is given is not changed; nil
// starts a new one.
func Fold(s *State, events ...Event) *State {
	next := State{Batch: -1}
	if s != nil {
		next = *s
		next.Nodes = slices.Clone(s.Nodes)
	}
	for i := range events {
		next.apply(&events[i])
	}
	return &next
}

func (s *State) apply(e *Event) {
	s.Seq, s.Updated = e.Seq, e.Time
	switch e.Kind {
	case EventRollStarted:
		s.start(e)
	case EventResumed:
		s.resume(e)
	case EventBaseline:
		s.Baseline, s.measured = e.Baseline, true
	case EventGate:
		s.Gate = s.Gate.Become(*e.Gate, e.Time)
	case EventWait:
		s.Wait = nil
		if e.Wait != "" {
			s.Wait = &Wait{Kind: e.Wait, Until: e.Until}
		}
	case EventBatchStarted:
		s.Batch, s.Under, s.Wait = e.Batch-1, true, nil
	case EventDrainStarted:
		s.Run, s.drained, s.drainOver = e.Run, e.Nodes, false
	case EventDrainEnded:
		s.drainOver = true
	case EventBatchEnded:
		s.Under, s.Run, s.drained, s.batchEnded = false, "", nil, e.Time
	case EventCommand:
		s.steer(e)
	case EventWarning:
		s.Warnings = append(slices.Clip(s.Warnings), e.Message)
	case EventRollEnded:
		s.Outcome, s.Message, s.Ended = e.Outcome, e.Message, e.Time
		s.Question, s.Wait = nil, nil
	default:
		s.applyToNode(e)
	}
}

func (s *State) start(e *Event) {
	s.Facts, s.Started = *e.Roll, e.Time
	for i, b := range s.Facts.Batches {
		for _, name := range b.Nodes {
			n := Node{Name: name, Batch: i, State: Waiting, Since: e.Time}
			for _, known := range s.Facts.Run.Nodes {
				if known.Name == name {
					n.UID = known.UID
				}
			}
			s.Nodes = append(s.Nodes, n)
		}
	}
}

// resume takes the roll up in another process: what ran in the other one is not known.
func (s *State) resume(e *Event) {
	s.Suspended, s.Question = false, nil
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if !n.State.final() && n.State != Waiting {
			n.Since = e.Time
		}
		if h := n.Running(); h != "" {
			*n.hook(h) = hookCutOff
		}
	}
}

func (s *State) steer(e *Event) {
	switch e.Command {
	case drain.CommandPause:
		s.Paused = true
	case drain.CommandContinue:
		s.Paused = false
	case drain.CommandAbort:
		s.Aborting, s.Message, s.Question = true, e.Message, nil
	case drain.CommandSuspend:
		s.Suspended, s.Question = true, nil
	}
}

// applyToNode takes the events that are about one node.
func (s *State) applyToNode(e *Event) {
	n := s.node(e.Node)
	if n == nil {
		return
	}
	switch e.Kind {
	case EventNode:
		if n.State != e.State {
			n.Since = e.Time
		}
		if n.State == Waiting {
			n.Began = e.Time
		}
		if e.State.final() {
			n.Ended = e.Time
		}
		if e.BootID != "" {
			n.BootID = e.BootID
		}
		n.State, n.Message, n.retryAt = e.State, e.Message, e.Until
		if s.Question != nil && s.Question.Node == e.Node && e.State.final() {
			s.Question = nil
		}
	case EventHookStarted:
		*n.hook(e.Hook), n.Output = hookRuns, ""
	case EventHookOutput:
		n.Output = e.Text
	case EventHookEnded:
		*n.hook(e.Hook) = hookDone
	case EventQuestion:
		s.Question = &Question{Kind: e.Question, Node: e.Node, Hook: e.Hook, Since: e.Time}
	case EventReply:
		s.Question = nil
		if e.Question == AskAgain && e.Answer == AnswerAgain {
			*n.hook(e.Hook) = ""
		} else {
			*n.hook(e.Hook) = hookDone
		}
	}
}
