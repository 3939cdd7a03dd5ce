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

// Replay plays the events of a journal as a roll. It takes no input.
type Replay struct {
	journal.Playback[roll.Event, roll.State]

	ctx   context.Context
	runs  *app.Runs
	done  chan struct{}
	group kube.Group

	mu      sync.Mutex
	batches map[string]*journal.Replay // that were opened, by the ids of their runs
}

var (
	_ live.Roll   = (*Replay)(nil)
	_ live.Player = (*Replay)(nil)

	playingRoll = journal.Playing[roll.Event, roll.State]{
		Fold:    roll.Fold,
		Of:      func(e roll.Event) (uint64, time.Time) { return e.Seq, e.Time },
		Matters: mattering,
	}
)

// mattering are the events of a roll that one wants to skip to: all but the output of commands
// and figures.
func mattering(events []roll.Event) []int {
	var at []int
	for i := range events {
		if k := events[i].Kind; k != roll.EventHookOutput && k != roll.EventBaseline {
			at = append(at, i)
		}
	}
	return at
}

// Play plays the journal of a roll of this machine, and can be moved in time. It is done at
// the end of the context. The error is an *app.Error.
func Play(ctx context.Context, runs *app.Runs, id string, speed float64) (*Replay, error) {
	record, err := Read(runs, id)
	if err != nil {
		return nil, err
	}
	r, err := newReplay(ctx, runs, record.Events, speed)
	if err != nil {
		return nil, &app.Error{Text: "cannot play " + id, Err: err}
	}
	return r, nil
}

// newReplay begins to play at once, so many times as fast as it was; zero begins at the end.
func newReplay(ctx context.Context, runs *app.Runs, events []roll.Event, speed float64) (*Replay, error) {
	if err := isRoll(events); err != nil {
		return nil, err
	}
	r := &Replay{ctx: ctx, runs: runs, done: make(chan struct{}), batches: map[string]*journal.Replay{}}
	r.Begin(ctx, events, speed, playingRoll)
	r.group.Go("replays of batches", func() {
		defer close(r.done)
		<-r.Playback.Done()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, batch := range r.batches {
			<-batch.Done()
		}
	})
	return r, nil
}

func isRoll(events []roll.Event) error {
	if len(events) == 0 || events[0].Kind != roll.EventRollStarted {
		return errors.New("the journal does not begin with the start of the roll")
	}
	return nil
}

// Ended shows the end of a roll of this machine, and is done. The error is an *app.Error.
func Ended(runs *app.Runs, id string) (*Replay, error) {
	record, err := Read(runs, id)
	if err != nil {
		return nil, err
	}
	if err := isRoll(record.Events); err != nil {
		return nil, &app.Error{Text: "cannot show " + id, Err: err}
	}
	r := &Replay{done: make(chan struct{})}
	r.End(record.Events, playingRoll)
	close(r.done)
	return r, nil
}

// Batch is a replay of the run of a batch, paused at its start; the same one each time. It
// fails where the journal of that run is not on this machine.
func (r *Replay) Batch(id string) (live.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if opened := r.batches[id]; opened != nil {
		return opened, nil
	}
	if err := r.runs.Known(id); err != nil { // a journal may name anything
		return nil, err
	}
	record, err := r.runs.Record(id)
	if err != nil {
		return nil, err
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	opened, err := journal.NewReplay(r.ctx, record.Events, 1)
	if err != nil {
		return nil, err
	}
	opened.Pause()
	opened.SkipTo(0)
	r.batches[id] = opened
	return opened, nil
}

// Done is closed when nothing is played any longer: at the end of the context.
func (r *Replay) Done() <-chan struct{} { return r.done }

// Drain is nil: each run has a replay of its own.
func (r *Replay) Drain() live.Run { return nil }

// Send does nothing: what is played has happened.
func (r *Replay) Send(roll.Input) {}
