package rolls

import (
	"context"
	"errors"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Replay plays the events of a journal as a roll. It takes no input, and has no runs: each of
// them has a replay of its own.
type Replay struct {
	journal.Playback[roll.Event, roll.State]
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

// newReplay begins to play at once, so many times as fast as it was; zero shows the end.
func newReplay(ctx context.Context, events []roll.Event, speed float64) (*Replay, error) {
	if len(events) == 0 || events[0].Kind != roll.EventRollStarted {
		return nil, errors.New("the journal does not begin with the start of the roll")
	}
	r := &Replay{}
	r.Begin(ctx, events, speed, journal.Playing[roll.Event, roll.State]{
		Fold:    roll.Fold,
		Of:      func(e roll.Event) (uint64, time.Time) { return e.Seq, e.Time },
		Updated: func(s *roll.State) time.Time { return s.Updated },
	})
	return r, nil
}

// Drain is nil: a replay of a roll has no runs.
func (r *Replay) Drain() live.Run { return nil }

// Send does nothing: what is played has happened.
func (r *Replay) Send(roll.Input) {}
