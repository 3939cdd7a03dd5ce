package engine

import (
	"errors"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

// record appends the events to the journal. After a failure nothing more is appended
// until all that is missing can be: an event after a gap would make it unreadable.
func (e *Engine) record(out drain.Output) error {
	events := drain.Lasting(out.Events)
	if e.config.Journal == nil || e.Err() != nil || len(events) == 0 {
		return nil
	}
	if err := e.config.Journal.Append(events, out.Sync); err != nil {
		return err
	}
	e.saved = events[len(events)-1].Seq
	return nil
}

// withhold takes a look back whose events the journal did not take: what came in comes
// in again, after the news.
func (e *Engine) withhold(batch []drain.Input, cause error) {
	e.setErr(cause)
	e.mu.Lock()
	e.inputs = slices.Concat([]drain.Input{drain.JournalNews{Lost: cause.Error()}}, batch, e.inputs)
	e.mu.Unlock()
	live.Signal(e.inbox)
}

// catchUp are the inputs of a batch. Where the journal was lost and the operator
// wants to go on, it is tried first whether there is room for it again: then the
// run goes on with a whole journal. For a batch that was withheld it is not tried again: there
// was room for the missing events, and none for those of the batch.
func (e *Engine) catchUp(batch []drain.Input) []drain.Input {
	goOn, withheld := false, false
	for _, in := range batch {
		switch in := in.(type) {
		case drain.Command:
			goOn = goOn || in.Kind == drain.CommandContinue
		case drain.JournalNews:
			withheld = withheld || in.Lost != ""
		}
	}
	if !goOn || withheld || e.Err() == nil || e.config.Journal.Append(e.Events(e.saved), true) != nil {
		return batch
	}
	e.saved = e.State().Seq
	e.setErr(nil)
	return slices.Insert(slices.Clip(batch), 0, drain.Input(drain.JournalNews{}))
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
