package drain

import (
	"errors"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// record appends the events to the journal, synced where a write among them must
// be undone by a rollback. After a failure nothing more is appended until all
// that is missing can be: an event after a gap would make it unreadable.
func (e *Engine) record(events []Event, out []Write) error {
	if e.config.Journal == nil || e.Err() != nil || len(events) == 0 {
		return nil
	}
	sync := false
	for _, w := range out {
		sync = sync || w.Verb == VerbCordon || w.Verb == VerbUncordon || w.Verb == VerbGuard || w.Scale != nil || w.Taint != nil
	}
	if err := e.config.Journal.Append(events, sync); err != nil {
		return err
	}
	e.saved = events[len(events)-1].Seq
	return nil
}

// withhold is Step once more for a run whose journal cannot be written: it is
// paused, so that nothing new is sent but what keeps its Leases and, where it is
// aborted, takes its own temporary budgets away.
func (e *Engine) withhold(state *State, inputs []Input, snap *kube.Snapshot, cause error) ([]Event, []Write, time.Time) {
	e.setErr(cause)
	first := []Input{journalNews{cause.Error()}, Control{Kind: ControlPause, By: "engine", Why: cause.Error()}}
	return Step(state, snap, append(first, inputs...), e.config.Now())
}

// catchUp are the inputs of a batch. Where the journal was lost and the operator
// wants to go on, it is tried first whether there is room for it again: then the
// run goes on with a whole journal.
func (e *Engine) catchUp(batch []incoming) []Input {
	inputs := make([]Input, len(batch), len(batch)+1)
	goOn := false
	for n, i := range batch {
		inputs[n] = i.in
		c, isControl := i.in.(Control)
		goOn = goOn || isControl && c.Kind == ControlContinue
	}
	if !goOn || e.Err() == nil || e.config.Journal.Append(e.Events(e.saved), true) != nil {
		return inputs
	}
	e.saved = e.State().Seq
	e.setErr(nil)
	return slices.Insert(inputs, 0, Input(journalNews{}))
}

func (e *Engine) setErr(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}

// closeJournal writes what is missing in the journal, if that is possible by
// now, and gives it back.
func (e *Engine) closeJournal() {
	if e.config.Journal == nil {
		return
	}
	if e.Err() != nil && e.config.Journal.Append(e.Events(e.saved), true) == nil {
		e.setErr(nil)
	}
	if err := e.config.Journal.Close(); err != nil {
		e.setErr(errors.Join(e.Err(), err))
	}
}
