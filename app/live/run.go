package live

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Run is a run as the faces see it, live or replayed. Faces pull its state;
// nothing is pushed at them.
type Run interface {
	// State is the run at this moment; it is never changed afterwards.
	State() *drain.State
	// Changed returns a channel of capacity one that says "something changed
	// since you last looked", until the context ends.
	Changed(ctx context.Context) <-chan struct{}
	// Send hands the run a confirmation or a command; what became of it shows
	// in the state.
	Send(in drain.Input)
	// Done is closed when the run has ended and its journal is closed.
	Done() <-chan struct{}
}

// Commander is a run that can be steered by somebody who does not see it.
type Commander interface {
	Run
	// Command hands the run a command and waits until the run took it. It returns
	// the number of the event, or why the control changed nothing.
	Command(ctx context.Context, c drain.Command) (seq uint64, err error)
	// Remedies are the remedies for a pod of the run as they are at this moment; nil
	// for a pod that is not in it.
	Remedies(pod kube.UID) []remedy.Remedy
}

// Foreign is a run that another process works on: leaving it does not end it, and its
// questions are answered there.
type Foreign interface {
	Run
	// Refusals are the commands that it did not take since the last call, in words.
	Refusals() []string
	// Unattended reports whether no process works on it now: it was left before its end.
	Unattended() bool
}
