package roll

import (
	"cmp"
	"slices"
	"time"

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
			s.Wait = &Wait{Kind: e.Wait, Since: e.Time, Until: e.Until, Message: e.Message}
		}
	case EventBatchStarted:
		s.Batch, s.Under, s.Wait = e.Batch-1, true, nil
		s.becomeAll(Waiting, Draining, "", e.Time)
	case EventDrainStarted:
		s.Run, s.drained, s.drainOver = e.Run, e.Nodes, false
	case EventDrainEnded:
		s.drainOver, s.left = true, s.left || e.Left
		if e.neverBegan() {
			s.becomeAll(Draining, Failed, "not drained: "+e.Message, e.Time)
		}
	case EventBatchEnded:
		s.Under, s.Run, s.drained, s.Wait, s.batchEnded = false, "", nil, nil, e.Time
	case EventControl:
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
	if s.Wait != nil && s.Wait.Kind == WaitRun {
		s.Wait = nil
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if !n.State.final() && n.State != Waiting {
			n.Since = e.Time
		}
		if !n.Away.IsZero() {
			n.Away = e.Time
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

// keptOutput is how many of the latest lines of a command are in the state.
const keptOutput = 40

// applyToNode takes the events that are about one node. The end of a command and the operator's answer fail the node
// themselves: the journal may end between them and the Node event that says so.
func (s *State) applyToNode(e *Event) {
	n := s.node(e.Node)
	if n == nil {
		return
	}
	switch e.Kind {
	case EventNode:
		s.become(n, e.State, e.Message, e.Time)
		n.retryAt, n.BootID = e.Until, cmp.Or(e.BootID, n.BootID)
		switch {
		case !e.Away:
			n.Away = time.Time{}
		case n.Away.IsZero():
			n.Away = e.Time
		}
	case EventHookStarted:
		*n.hook(e.Hook), n.Output, n.Command = hookRuns, nil, nil
	case EventHookProcess:
		n.Command = &HookCommand{e.Hook, *e.Process}
	case EventHookOutput:
		n.Output = append(slices.Clone(n.Output[max(0, len(n.Output)-keptOutput+1):]), e.Text)
	case EventHookEnded:
		*n.hook(e.Hook), n.Command = hookDone, nil
		if why := e.hookFailure(); why != "" {
			s.become(n, Failed, why, e.Time)
		}
	case EventQuestion:
		s.Question = &Question{Kind: e.Question, Node: e.Node, Hook: e.Hook, Since: e.Time, Message: e.Message}
	case EventReply:
		s.Question = nil
		if e.Question == AskAgain && e.Answer == AnswerAgain {
			*n.hook(e.Hook) = ""
			return
		}
		*n.hook(e.Hook) = hookDone
		if e.Answer == AnswerFailed {
			s.become(n, Failed, e.replyFailure(), e.Time)
		}
	}
}

// become takes a node into a state. Nobody is asked about one that is through.
func (s *State) become(n *Node, state NodeState, message string, at time.Time) {
	if n.State != state {
		n.Since = at
	}
	if n.State == Waiting {
		n.Began = at
	}
	if state.final() {
		n.Ended = at
		if s.Question != nil && s.Question.Node == n.Name {
			s.Question = nil
		}
	}
	n.State, n.Message = state, message
}

// becomeAll takes the nodes of the batch that are in one state into another.
func (s *State) becomeAll(from, to NodeState, message string, at time.Time) {
	for _, n := range s.inBatch() {
		if n.State == from {
			s.become(n, to, message, at)
		}
	}
}
