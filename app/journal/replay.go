package journal

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// LongestGap is how long a replay shows a state in which nothing happens: hours
// of waiting for a budget are no film.
const LongestGap = 2 * time.Second

// Replay plays the events of a journal as a Run: the State of each moment, in
// order, with no cluster. It takes no input.
type Replay struct {
	speed float64
	done  chan struct{}
	group kube.Group

	mu       sync.Mutex
	played   []drain.Event
	state    *drain.State
	at       time.Time // our clock, when the last event was played
	watchers live.Watchers
}

// NewReplay begins to play at once, so many times as fast as it was; zero shows
// the end. It ends with the events or with the context.
func NewReplay(ctx context.Context, events []drain.Event, speed float64) (*Replay, error) {
	if len(events) == 0 || events[0].Kind != drain.EventRunStarted {
		return nil, errors.New("the journal does not begin with the start of the run")
	}
	first := 1
	if speed <= 0 {
		first = len(events)
	}
	r := &Replay{speed: speed, done: make(chan struct{}), at: time.Now()}
	r.state, r.played = drain.Fold(nil, events[:first]...), events[:first:first]
	r.group.Go("replay of "+r.state.Run.ID, func() {
		defer close(r.done)
		for _, e := range events[first:] {
			if !r.wait(ctx, e) {
				return
			}
			r.play(e)
		}
	})
	return r, nil
}

// wait lets the time until the event pass; false means that the context ended.
func (r *Replay) wait(ctx context.Context, e drain.Event) bool {
	gap := time.Duration(float64(e.Time.Sub(r.State().Updated)) / r.speed)
	timer := time.NewTimer(min(gap, LongestGap))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (r *Replay) play(e drain.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.at, r.played = drain.Fold(r.state, e), time.Now(), append(r.played, e)
	r.watchers.Signal()
}

// State is the run at this moment of the replay.
func (r *Replay) State() *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Events are those of the run after the one of that number, as far as they were played.
func (r *Replay) Events(after uint64) []drain.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := 0
	for from < len(r.played) && r.played[from].Seq <= after {
		from++
	}
	return r.played[from:len(r.played):len(r.played)]
}

// Now is what the clock showed at this moment of the run. It stands still once
// the replay is over, and never runs ahead of the next event.
func (r *Replay) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.done:
		return r.state.Updated
	default:
	}
	return r.state.Updated.Add(min(time.Since(r.at), LongestGap))
}

// Changed is as that of a live run.
func (r *Replay) Changed(ctx context.Context) <-chan struct{} { return r.watchers.Changed(ctx) }

// Send does nothing: what is played has happened.
func (r *Replay) Send(drain.Input) {}

// Done is closed when the last event was played.
func (r *Replay) Done() <-chan struct{} { return r.done }
