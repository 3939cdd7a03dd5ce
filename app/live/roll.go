package live

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Roll is a rolling maintenance as the faces see it. It is pulled, as a Run is.
type Roll interface {
	// State is the roll at this moment; it is never changed afterwards.
	State() *roll.State
	// Events are the events after the one of that number, in order.
	Events(after uint64) []roll.Event
	// Drain is the run of the batch under way or of the last one, nil before the first.
	Drain() Run
	// Changed is as that of a Run: it tells of changes of the run of the batch too.
	Changed(ctx context.Context) <-chan struct{}
	// Send hands the roll a command or a reply; what became of it shows in the state.
	Send(in roll.Input)
	// Done is closed when the roll has ended, or was suspended, and its journal is closed.
	Done() <-chan struct{}
}

// ForeignRoll is a roll that another process works on, as Foreign.
type ForeignRoll interface {
	Roll
	// Refusals are the commands that it did not take since the last call, in words.
	Refusals() []string
	// Unattended reports whether no process works on it now: it was left before its end.
	Unattended() bool
}
