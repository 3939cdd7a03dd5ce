package rolls

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// How often the journal of another process is looked at, and whether that process still holds it.
const (
	tailEvery  = 100 * time.Millisecond
	aliveEvery = 2 * time.Second
)

// Watched is a roll that another process works on: its state is read from the journal that this process
// writes, its commands go to the socket. Its questions are answered where it runs.
type Watched struct {
	runs  *app.Runs
	id    string
	tail  *journal.TailOf[roll.Event]
	done  chan struct{}
	group kube.Group

	mu       sync.Mutex
	state    *roll.State
	events   []roll.Event
	drain    *control.Watched
	refusals []string
	watchers live.Watchers
}

var _ live.ForeignRoll = (*Watched)(nil)

// Follow reads and steers a roll of another process of this machine, until the roll ends, its process does,
// or the context. The error is an *app.Error.
func Follow(ctx context.Context, runs *app.Runs, id string) (*Watched, error) {
	w := &Watched{runs: runs, id: id, tail: journal.NewRollTail(journal.RollPath(runs.Dir, id)),
		done: make(chan struct{})}
	if err := w.read(ctx); err != nil {
		return nil, &app.Error{Err: err}
	}
	if w.state == nil {
		return nil, &app.Error{Text: fmt.Sprintf("the journal of roll %s holds no event yet", id)}
	}
	w.group.Go("watch of roll "+id, func() { w.follow(ctx) })
	return w, nil
}

// Wait returns when its goroutines have ended, which is after the end of its context.
func (w *Watched) Wait() {
	w.group.Wait()
	if w.drain != nil {
		w.drain.Wait()
	}
}

func (w *Watched) follow(ctx context.Context) {
	defer w.watchers.Signal()
	defer close(w.done)
	look, alive := time.NewTicker(tailEvery), time.NewTicker(aliveEvery)
	defer look.Stop()
	defer alive.Stop()
	for w.State().Outcome == "" {
		ended := false
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-alive.C:
			lives, err := journal.Live(journal.RollPath(w.runs.Dir, w.id))
			ended = !lives && err == nil
		}
		if err := w.read(ctx); err != nil { // what it wrote last is read before its end counts
			w.refuse(err.Error())
			return
		}
		if ended {
			return
		}
	}
}

// read folds what was written since the last look, and watches the run of the batch that is under way.
func (w *Watched) read(ctx context.Context) error {
	events, again, err := w.tail.Next()
	w.mu.Lock()
	if again {
		w.state, w.events = nil, nil
	}
	if len(events) > 0 {
		if events[0].Roll != nil {
			events[0].Roll.Run.Program = w.runs.Program
		}
		w.state, w.events = roll.Fold(w.state, events...), append(w.events, events...)
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
		w.watchers.Signal()
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
	return w.events[min(after, uint64(len(w.events))):len(w.events):len(w.events)]
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

// Changed is as that of a roll of this process.
func (w *Watched) Changed(ctx context.Context) <-chan struct{} { return w.watchers.Changed(ctx) }

// Done is closed when the roll or its process has ended.
func (w *Watched) Done() <-chan struct{} { return w.done }

// Send hands a command to the process of the roll; what it does not take is in Refusals.
func (w *Watched) Send(in roll.Input) {
	c, ok := in.(roll.Command)
	if !ok {
		w.refuse("the questions of this roll are answered where it runs")
		return
	}
	request := control.Request{Run: w.id}
	for _, v := range control.Verbs {
		if v.Kind == c.Kind {
			request.Verb = v.Name
		}
	}
	w.group.Go("a command to roll "+w.id, func() {
		switch a, err := control.Ask(w.runs.Dir, request); {
		case err != nil:
			w.refuse(fmt.Sprintf("%s was not taken: %v", request.Verb, err))
		case !a.OK:
			w.refuse(fmt.Sprintf("%s was not taken: %s", request.Verb, a.Error))
		}
	})
}

// Refusals are what the roll did not take since the last call.
func (w *Watched) Refusals() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := w.refusals
	w.refusals = nil
	return said
}

func (w *Watched) refuse(why string) {
	w.mu.Lock()
	w.refusals = append(w.refusals, why)
	w.mu.Unlock()
	w.watchers.Signal()
}
