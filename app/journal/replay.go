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

// NewReplay begins to play at once, so many times as fast as it was; zero shows
// the end. It ends with the events or with the context.
func NewReplay(ctx context.Context, events []drain.Event, speed float64) (*Replay, error) {
	if len(events) == 0 || events[0].Kind != drain.EventRunStarted {
		return nil, errors.New("the journal does not begin with the start of the run")
	}
	r := &Replay{}
	r.Begin(ctx, events, speed, Playing[drain.Event, drain.State]{
		Fold:    drain.Fold,
		Of:      func(e drain.Event) (uint64, time.Time) { return e.Seq, e.Time },
		Updated: func(s *drain.State) time.Time { return s.Updated },
	})
	return r, nil
}

// Send does nothing: what is played has happened.
func (r *Replay) Send(drain.Input) {}
