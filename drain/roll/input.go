package roll

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// Input is something from outside that Next takes into account.
type Input interface{ input() }

// Command steers the roll: drain.CommandPause, Continue, Abort or Suspend.
type Command struct {
	Kind drain.CommandKind
	By   string
	Why  string
}

// Reply is the operator's answer to the question about a node.
type Reply struct {
	Node   string
	Kind   QuestionKind
	Answer Answer
	By     string
}

// HookBegan tells which processes a command has, before it begins.
type HookBegan struct {
	Node    string
	Hook    Hook
	Process process.Group
}

// HookOutput is a line of the output of a command, without control sequences.
type HookOutput struct {
	Node string
	Hook Hook
	Text string
}

// HookEnded tells how a command ended; Message is why where it was killed or could not be run.
type HookEnded struct {
	Node     string
	Hook     Hook
	ExitCode int
	Message  string
}

// DrainFailed tells why the run of a batch could not be begun now, or, where it has Begun before, not be resumed.
type DrainFailed struct {
	Run, Message string
	Begun        bool
}

// UncordonFailed tells why a node could not be uncordoned now.
type UncordonFailed struct{ Node, Message string }

// Warned tells once of something beside the roll that failed and changes nothing in it.
type Warned struct{ Text string }

func (Command) input()        {}
func (Reply) input()          {}
func (HookBegan) input()      {}
func (HookOutput) input()     {}
func (HookEnded) input()      {}
func (DrainFailed) input()    {}
func (UncordonFailed) input() {}
func (Warned) input()         {}

// Objection is why a command would change nothing, nil if it would.
func (s *State) Objection(kind drain.CommandKind) error {
	switch {
	case s.Outcome != "":
		return fmt.Errorf("the roll has ended: %s", s.Outcome)
	case s.Suspended:
		return errors.New("the roll is suspended")
	case kind == drain.CommandSuspend: // an abort that is cut short so goes on with resume
		return nil
	case s.Aborting:
		return errors.New("the roll is being aborted")
	case kind == drain.CommandPause && s.Paused:
		return errors.New("the roll is paused already")
	case kind == drain.CommandContinue && !s.Paused:
		return errors.New("the roll is not paused")
	case kind != drain.CommandPause && kind != drain.CommandContinue && kind != drain.CommandAbort:
		return fmt.Errorf("%s is for the run of a batch, not for the roll", kind)
	}
	return nil
}

func (st *stepper) take(in Input) {
	if st.s.Outcome != "" {
		return
	}
	switch in := in.(type) {
	case Command:
		if st.s.Objection(in.Kind) == nil {
			st.emit(Event{Kind: EventControl, Command: in.Kind, By: in.By, Message: in.Why})
		}
	case Reply:
		st.reply(in)
	case Warned:
		st.emit(Event{Kind: EventWarning, Message: in.Text})
	case HookBegan:
		st.emit(Event{Kind: EventHookProcess, Node: in.Node, Hook: in.Hook, Process: &in.Process})
	case HookOutput:
		st.emit(Event{Kind: EventHookOutput, Node: in.Node, Hook: in.Hook, Text: in.Text})
	case HookEnded:
		st.hookEnded(in)
	case DrainFailed:
		st.drainFailed(in)
	case LeaseAnswered:
		st.leaseAnswered(in)
	case UncordonFailed:
		if n := st.s.node(in.Node); n != nil && n.State == Returning {
			st.emit(Event{Kind: EventNode, Node: in.Node, State: Returning,
				Message: "unable to uncordon it: " + in.Message,
				Until:   st.v.Now.Add(min(max(retryAfter, st.v.Now.Sub(n.Since)/4), retryMost))})
		}
	}
}

func (st *stepper) reply(r Reply) {
	q := st.s.Question
	if q == nil || q.Node != r.Node || q.Kind != r.Kind || r.Answer == AnswerAgain && r.Kind != AskAgain {
		return
	}
	st.emit(Event{Kind: EventReply, Node: r.Node, Question: r.Kind, Hook: hookOf(q), Answer: r.Answer, By: r.By})
	st.tellFailed(st.s.node(r.Node))
}

// tellFailed tells of a node that the event before has failed.
func (st *stepper) tellFailed(n *Node) {
	if n.State == Failed {
		st.become(n, Failed, "%s", n.Message)
	}
}

// resumeMost is the longest pause between two tries to resume the run of a batch; the first is a second. A roll that is
// being aborted gives up before it would pause for longer than abortMost.
const (
	resumeMost = time.Minute
	abortMost  = 8 * time.Second
)

// drainFailed fails the nodes of a run that was never begun. One that was is tried again after a pause, and so is one
// without which nodes cannot be brought back that it has drained: what is in the way then may pass.
func (st *stepper) drainFailed(in DrainFailed) {
	s := st.s
	open := slices.DeleteFunc(s.inBatch(), func(n *Node) bool { return n.State.final() })
	switch {
	case in.Run != s.Run || s.drainOver && len(open) == 0:
	case in.Begun || slices.ContainsFunc(open, func(n *Node) bool { return n.State != Draining }):
		pause := time.Second
		if s.Wait != nil && s.Wait.Kind == WaitRun {
			pause = min(2*s.Wait.Until.Sub(s.Wait.Since), resumeMost)
		}
		if s.Aborting && pause > abortMost {
			st.emit(Event{Kind: EventWarning, Message: "run " + in.Run + " could not be resumed to end it: " +
				in.Message + "; a rollback of it removes what it left"})
			st.emit(Event{Kind: EventDrainEnded, Run: in.Run, Outcome: drain.OutcomeAborted, Message: in.Message})
			return
		}
		st.emit(Event{Kind: EventWait, Wait: WaitRun, Until: st.v.Now.Add(pause), Message: in.Message})
	default:
		st.emit(Event{Kind: EventDrainEnded, Run: in.Run, Outcome: drain.OutcomeFailed, Message: in.Message})
		for _, n := range open {
			st.tellFailed(n)
		}
	}
}

// hookOf is the command that a question is about; the operator's own work counts as one.
func hookOf(q *Question) Hook {
	if q.Hook == "" {
		return HookWork
	}
	return q.Hook
}

func (st *stepper) hookEnded(in HookEnded) {
	n := st.s.node(in.Node)
	if n == nil || n.Running() != in.Hook {
		return
	}
	st.emit(Event{Kind: EventHookEnded, Node: in.Node, Hook: in.Hook, ExitCode: in.ExitCode, Message: in.Message})
	st.tellFailed(n)
}
