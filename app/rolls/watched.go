package rolls

import (
	"context"
	"fmt"
	"sync"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Watched is a roll that another process works on: its state is read from the journal that this process
// writes, its commands go to the socket. Its questions are answered where it runs.
type Watched struct {
	control.Foreign
	runs *app.Runs
	id   string
	tail *journal.TailOf[roll.Event]
	done chan struct{}

	mu     sync.Mutex
	state  *roll.State
	events engine.Chronicle[roll.Event]
	drain  *control.Watched
}

var _ live.ForeignRoll = (*Watched)(nil)

// Follow reads and steers a roll of another process of this machine until the roll or the context ends. The error is
// an *app.Error.
func Follow(ctx context.Context, runs *app.Runs, id string) (*Watched, error) {
	w := &Watched{runs: runs, id: id, tail: journal.NewRollTail(journal.RollPath(runs.Dir, id)),
		done: make(chan struct{})}
	if err := w.read(ctx); err != nil {
		return nil, &app.Error{Err: err}
	}
	if w.state == nil {
		return nil, &app.Error{Text: fmt.Sprintf("the journal of roll %s holds no event yet", id)}
	}
	w.Go("watch of roll "+id, func() {
		defer w.Signal() // that it is done
		defer close(w.done)
		if w.State().Outcome == "" {
			w.Tail(ctx, journal.RollPath(runs.Dir, id), func() (bool, error) {
				err := w.read(ctx)
				return w.State().Outcome != "", err
			}, func() {})
		}
	})
	return w, nil
}

// Wait returns when its goroutines have ended, which is after the end of its context.
func (w *Watched) Wait() {
	w.Foreign.Wait()
	if w.drain != nil {
		w.drain.Wait()
	}
}

// read folds what was written since the last look, and watches the run of the batch that is under way.
func (w *Watched) read(ctx context.Context) error {
	events, again, err := w.tail.Next()
	w.mu.Lock()
	if again {
		w.state, w.events = nil, engine.Chronicle[roll.Event]{}
	}
	if len(events) > 0 {
		if events[0].Roll != nil {
			events[0].Roll.Run.Program = w.runs.Program
		}
		w.state = roll.Fold(w.state, events...)
		w.events.Add(events...)
	}
	state, drain := w.state, w.drain
	w.mu.Unlock()
	if state == nil || err != nil {
		return err
	}
	if run := state.Run; run != "" && (drain == nil || drain.State().Run.ID != run) && w.runs.Known(run) == nil {
		if next, err := w.runs.Watch(ctx, run); err == nil { // else it has written nothing yet
			w.mu.Lock()
			w.drain = next
			w.mu.Unlock()
			events = append(events, roll.Event{})
		}
	}
	if len(events) > 0 {
		w.Signal()
	}
	return nil
}

// State is the roll as far as its journal tells.
func (w *Watched) State() *roll.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Events are those after the one of that number.
func (w *Watched) Events(after uint64) []roll.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events.After(after)
}

// Drain is the run of the batch under way or of the last one, nil before the first.
func (w *Watched) Drain() live.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drain == nil {
		return nil
	}
	return w.drain
}

// Done is closed when the roll has ended, or is no longer watched.
func (w *Watched) Done() <-chan struct{} { return w.done }

// Send hands a command to the process of the roll; what it does not take is in Refusals.
func (w *Watched) Send(in roll.Input) {
	c, ok := in.(roll.Command)
	if !ok {
		w.Refuse("the questions of this roll are answered where it runs")
		return
	}
	request := control.Request{Run: w.id}
	for _, v := range control.Verbs {
		if v.Kind == c.Kind {
			request.Verb = v.Name
		}
	}
	w.Hand(w.runs.Dir, request)
}
