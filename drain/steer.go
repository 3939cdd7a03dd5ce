package drain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// WordWithoutJournal is what the operator types (or says by a flag) to go on
// with a run whose journal cannot be written.
const WordWithoutJournal = "without journal"

// Objection says why a control would change nothing in the run as it is; nil
// where it takes effect. Step takes no control that has one, and both faces ask
// here, so that a control is offered exactly where it does something.
func (s *State) Objection(c Control) error {
	switch {
	case s.Outcome != "":
		return fmt.Errorf("the run has ended: %s", s.Outcome)
	case s.Suspended:
		return errors.New("the run is being suspended")
	case c.Kind == ControlSuspend: // an abort that is cut short so goes on with resume
		return nil
	case s.Aborting:
		return errors.New("the run is being aborted")
	}
	switch c.Kind {
	case ControlPause:
		if s.Paused {
			return errors.New("the run is paused already")
		}
	case ControlContinue:
		return s.objectionToContinue(c)
	case ControlRetry, ControlSkip, ControlLast:
		return s.objectionToPod(c)
	case ControlLeave:
		switch n := s.Node(c.Node); {
		case n == nil:
			return fmt.Errorf("node %s is not in the run", c.Node)
		case n.State.Final():
			return fmt.Errorf("nothing more happens on node %s anyway: it is %s", n.Name, n.State)
		}
	case ControlClimb:
		switch {
		case s.Pod(c.Pod) == nil:
			return errors.New("the pod is not in the run")
		case s.Paused && s.JournalLost != "":
			return fmt.Errorf("the journal cannot be written: %s", s.JournalLost)
		}
	case ControlAbort:
	default:
		return fmt.Errorf("%q is nothing that a run can be told", c.Kind)
	}
	return nil
}

func (s *State) objectionToContinue(c Control) error {
	switch {
	case !s.Paused:
		return errors.New("the run is not paused")
	case s.JournalLost != "" && c.Word != WordWithoutJournal:
		return fmt.Errorf("the journal cannot be written: %s; what is sent without it is unknown to resume, rollback and report", s.JournalLost)
	}
	return nil
}

// objectionToPod: what was accepted cannot be called back, and only a pod that
// waits can be tried again.
func (s *State) objectionToPod(c Control) error {
	p := s.Pod(c.Pod)
	if p == nil {
		return errors.New("the pod is not in the run")
	}
	name := p.Namespace + "/" + p.Name
	switch {
	case p.State.Final():
		return fmt.Errorf("nothing more happens to pod %s: it is %s", name, p.State)
	case c.Kind != ControlSkip && (p.State == PodTerminating || p.State == PodStuckTerminating):
		return fmt.Errorf("the eviction of pod %s was accepted: it cannot be called back", name)
	case p.InFlight != 0 && c.Kind != ControlLast:
		return fmt.Errorf("a request for pod %s is on its way: its answer comes first", name)
	case c.Kind == ControlRetry && !p.State.Blocked():
		return fmt.Errorf("only a pod that waits can be tried again: pod %s is %s", name, p.State)
	case c.Kind == ControlLast && p.last:
		return fmt.Errorf("pod %s is last already", name)
	}
	return nil
}

// awaitsAnswer tells whether the control is about a pod for which a request is out, and
// is not to be decided without its answer. The run tries a blocked pod again now and
// then by itself; what an operator says of it on a screen in just that moment would
// have no effect, and nobody would be told so.
func (s *State) awaitsAnswer(c Control) bool {
	if c.Pod == "" || c.Kind == ControlLast {
		return false
	}
	p := s.Pod(c.Pod)
	return p != nil && p.InFlight != 0
}

// steered is what became of a control: the number of its event, or why there is none.
type steered struct {
	seq uint64
	err error
}

// Steer hands the run a control and waits until the run took it: the event is
// in the state and handed to the journal. It returns the number of that event,
// or why the control changed nothing.
func (e *Engine) Steer(ctx context.Context, c Control) (seq uint64, err error) {
	answer := make(chan steered, 1)
	e.mu.Lock()
	e.steerID++
	c.ID = e.steerID
	e.steers[c.ID] = answer
	e.mu.Unlock()
	e.Send(c)
	select {
	case t := <-answer:
		return t.seq, t.err
	case <-ctx.Done():
		return 0, fmt.Errorf("the run has not answered yet: %w", context.Cause(ctx))
	case <-e.done:
	}
	select {
	case t := <-answer: // it was the last thing that the run took
		return t.seq, t.err
	default:
	}
	if s := e.State(); s.Outcome == "" {
		return 0, errors.New("the run was suspended")
	}
	return 0, e.State().Objection(c)
}

// Ladder are the rungs for a pod of the run as they are at this moment.
func (e *Engine) Ladder(pod kube.UID) []Rung {
	return Ladder(e.State(), e.config.Source.Snapshot(), pod, e.config.Now())
}

// answerSteers tells those who wait for their control what became of it.
func (e *Engine) answerSteers(out Output) {
	for _, event := range out.Events {
		e.answerSteer(event.Input, steered{seq: event.Seq})
	}
	for id, why := range out.Refused {
		e.answerSteer(id, steered{err: why})
	}
}

func (e *Engine) answerSteer(id uint64, what steered) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if who := e.steers[id]; who != nil {
		who <- what
		delete(e.steers, id)
	}
}

// suspended tells whether the run is to stop without an end, and nothing is out
// any more whose answer it should know; or its time for that is over.
func (e *Engine) suspended(since time.Time) bool {
	s := e.State()
	return s.Suspended && (!s.inFlight() || e.config.Now().Sub(since) >= lastAnswers)
}
