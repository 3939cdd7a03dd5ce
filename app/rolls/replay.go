package rolls

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Replay plays the events of a journal as a roll: the State of each moment, in order, with no cluster. It
// takes no input, and has no runs: each of them has a replay of its own.
type Replay struct {
	speed float64
	all   []roll.Event
	done  chan struct{}
	group kube.Group

	mu       sync.Mutex
	played   int
	state    *roll.State
	at       time.Time // our clock, when the last event was played
	watchers live.Watchers
}

var _ live.Roll = (*Replay)(nil)

// Play plays the journal of a roll of this machine. The error is an *app.Error.
func Play(ctx context.Context, runs *app.Runs, id string, speed float64) (*Replay, error) {
	record, err := Read(runs, id)
	if err != nil {
		return nil, err
	}
	r, err := newReplay(ctx, record.Events, speed)
	if err != nil {
		return nil, &app.Error{Text: "cannot play " + id, Err: err}
	}
	return r, nil
}

// newReplay begins to play at once, so many times as fast as it was; zero shows the end. It ends with the
// events or with the context.
func newReplay(ctx context.Context, events []roll.Event, speed float64) (*Replay, error) {
	if len(events) == 0 || events[0].Kind != roll.EventRollStarted {
		return nil, errors.New("the journal does not begin with the start of the roll")
	}
	r := &Replay{speed: speed, all: events, done: make(chan struct{}), at: time.Now(), played: 1}
	if speed <= 0 {
		r.played = len(events)
	}
	r.state = roll.Fold(nil, events[:r.played]...)
	rest := events[r.played:]
	r.group.Go("replay of "+r.state.Facts.Run.ID, func() {
		defer close(r.done)
		for _, e := range rest {
			if !r.wait(ctx, e) {
				return
			}
			r.play(e)
		}
	})
	return r, nil
}

// wait lets the time until the event pass; false means that the context ended.
func (r *Replay) wait(ctx context.Context, e roll.Event) bool {
	gap := time.Duration(float64(e.Time.Sub(r.State().Updated)) / r.speed)
	timer := time.NewTimer(min(gap, journal.LongestGap))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (r *Replay) play(e roll.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.at, r.played = roll.Fold(r.state, e), time.Now(), r.played+1
	r.watchers.Signal()
}

// State is the roll at this moment of the replay.
func (r *Replay) State() *roll.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Events are those of the roll after the one of that number, as far as they were played.
func (r *Replay) Events(after uint64) []roll.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[min(after, uint64(r.played)):r.played:r.played]
}

// Now is what the clock showed at this moment of the roll. It stands still once the replay is over, and
// never runs ahead of the next event.
func (r *Replay) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.done:
		return r.state.Updated
	default:
	}
	return r.state.Updated.Add(min(time.Since(r.at), journal.LongestGap))
}

// Changed is as that of a live roll.
func (r *Replay) Changed(ctx context.Context) <-chan struct{} { return r.watchers.Changed(ctx) }

// Drain is nil: a replay of a roll has no runs.
func (r *Replay) Drain() live.Run { return nil }

// Send does nothing: what is played has happened.
func (r *Replay) Send(roll.Input) {}

// Done is closed when the last event was played.
func (r *Replay) Done() <-chan struct{} { return r.done }
