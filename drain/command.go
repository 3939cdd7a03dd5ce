package drain

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// WordWithoutJournal is what the operator types (or says by a flag) to go on
// with a run whose journal cannot be written.
const WordWithoutJournal = "without journal"

// Objection says why a control would change nothing in the run as it is; nil
// where it takes effect. Step takes no control that has one, and both faces ask
// here, so that a control is offered exactly where it does something.
func (s *State) Objection(c Command) error {
	switch {
	case s.Outcome != "":
		return fmt.Errorf("the run has ended: %s", s.Outcome)
	case s.Suspended:
		return errors.New("the run is being suspended")
	case c.Kind == CommandSuspend: // an abort that is cut short so goes on with resume
		return nil
	case s.Aborting:
		return errors.New("the run is being aborted")
	}
	switch c.Kind {
	case CommandPause:
		if s.Paused {
			return errors.New("the run is already paused")
		}
	case CommandContinue:
		return s.objectionToContinue(c)
	case CommandRetry:
		return s.objectionToPod(c, (*eviction.Record).MayRetry)
	case CommandSkip:
		return s.objectionToPod(c, func(p *eviction.Record) error {
			return cmp.Or(p.MaySkip(), s.Surges.MayStay(p.UID))
		})
	case CommandLast:
		return s.objectionToPod(c, func(p *eviction.Record) error {
			return cmp.Or(p.MayGoLast(), s.Surges.MayGoLast(p.UID))
		})
	case CommandLeave:
		switch n := s.Node(c.Node); {
		case n == nil:
			return fmt.Errorf("node %s is not in the run", c.Node)
		case n.State.Final():
			return fmt.Errorf("nothing more happens on node %s anyway: it is %s", n.Name, n.State)
		case s.anyOn(n.Name, func(p *eviction.Record) bool { return s.Surges.MayStay(p.UID) != nil }):
			return surge.ErrRemoved
		}
	case CommandRemedy:
		if s.Paused && s.JournalLost != "" {
			return fmt.Errorf("the journal cannot be written: %s", s.JournalLost)
		}
		return s.objectionToPod(c, func(*eviction.Record) error { return nil })
	case CommandAbort:
	default:
		return fmt.Errorf("unknown command %q", c.Kind)
	}
	return nil
}

func (s *State) objectionToContinue(c Command) error {
	switch {
	case !s.Paused:
		return errors.New("the run is not paused")
	case s.JournalLost != "" && c.Word != WordWithoutJournal:
		return fmt.Errorf("the journal cannot be written: %s; what is sent without it is unknown to resume, rollback and report", s.JournalLost)
	}
	return nil
}

func (s *State) objectionToPod(c Command, may func(*eviction.Record) error) error {
	if p := s.Pod(c.Pod); p != nil {
		return may(p)
	}
	return errors.New("the pod is not in the run")
}

// awaitsAnswer reports whether the control is about a pod for which a request is out, and
// is not to be decided without its answer. The run tries a blocked pod again now and
// then by itself; what an operator says of it on a screen in just that moment would
// have no effect, and that would not be reported.
func (s *State) awaitsAnswer(c Command) bool {
	if c.Pod == "" || c.Kind == CommandLast {
		return false
	}
	p := s.Pod(c.Pod)
	return p != nil && p.InFlight != 0
}

// CommandResult is what became of a control: the number of its event, or why there is none.
type CommandResult struct {
	Seq uint64
	Err error
}
