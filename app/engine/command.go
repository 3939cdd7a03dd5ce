package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Command hands the run a command and waits until the run took it: the event is
// in the state and handed to the journal. It returns the number of that event,
// or why the control changed nothing.
func (e *Engine) Command(ctx context.Context, c drain.Command) (seq uint64, err error) {
	answer := make(chan drain.CommandResult, 1)
	e.mu.Lock()
	e.commandID++
	c.ID = e.commandID
	e.commands[c.ID] = answer
	e.mu.Unlock()
	e.Send(c)
	select {
	case t := <-answer:
		return t.Seq, t.Err
	case <-ctx.Done():
		return 0, fmt.Errorf("the run has not answered yet: %w", context.Cause(ctx))
	case <-e.done:
	}
	select {
	case t := <-answer: // it was the last thing that the run took
		return t.Seq, t.Err
	default:
	}
	if s := e.State(); s.Outcome == "" {
		return 0, errors.New("the run was suspended")
	}
	return 0, e.State().Objection(c)
}

// Remedies are the remedies for a pod of the run as they are at this moment.
func (e *Engine) Remedies(pod kube.UID) []remedy.Remedy {
	return drain.Remedies(e.State(), e.config.Source.Snapshot(), pod, e.config.Now())
}

// answerCommands tells those who wait for their control what became of it.
func (e *Engine) answerCommands(out drain.Output) {
	for _, event := range out.Events {
		e.answerCommand(event.Input, drain.CommandResult{Seq: event.Seq})
	}
	for id, why := range out.Refused {
		e.answerCommand(id, drain.CommandResult{Err: why})
	}
}

func (e *Engine) answerCommand(id uint64, what drain.CommandResult) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if who := e.commands[id]; who != nil {
		who <- what
		delete(e.commands, id)
	}
}

// suspended reports whether the run is to stop without an end, and no request is in
// flight whose answer it should know; or its time for that is over.
func (e *Engine) suspended(since time.Time) bool {
	s := e.State()
	return s.Suspended && (!s.InFlight() || e.config.Now().Sub(since) >= lastAnswers)
}
