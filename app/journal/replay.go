package journal

import (
	"context"
	"errors"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Replay plays the events of a journal as a Run. It takes no input.
type Replay struct {
	Playback[drain.Event, drain.State]
}

var playingRun = Playing[drain.Event, drain.State]{
	Fold:    drain.Fold,
	Of:      func(e drain.Event) (uint64, time.Time) { return e.Seq, e.Time },
	Matters: mattering,
}

// NewReplay plays at once, so many times as fast as it was, and can be moved in time; zero
// begins at the end. It is done at the end of the context.
func NewReplay(ctx context.Context, events []drain.Event, speed float64) (*Replay, error) {
	r := &Replay{}
	if err := isRun(events); err != nil {
		return nil, err
	}
	r.Begin(ctx, events, speed, playingRun)
	return r, nil
}

// Ended shows the end of the events, and is done.
func Ended(events []drain.Event) (*Replay, error) {
	r := &Replay{}
	if err := isRun(events); err != nil {
		return nil, err
	}
	r.End(events, playingRun)
	return r, nil
}

func isRun(events []drain.Event) error {
	if len(events) == 0 || events[0].Kind != drain.EventRunStarted {
		return errors.New("the journal does not begin with the start of the run")
	}
	return nil
}

// Send does nothing: what is played has happened.
func (r *Replay) Send(drain.Input) {}
