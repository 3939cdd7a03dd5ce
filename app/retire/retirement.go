package retire

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/hook"
	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Config is what a Retirement works with.
type Config struct {
	Source interface {
		Snapshot() *kube.Snapshot
		Changed(ctx context.Context) <-chan struct{}
	}
	Writer  request.Writer
	Journal *journal.Journal // locked; closed by Close
	Now     func() time.Time
}

// Retirement is the end of the nodes of one run that has ended. It shows itself as a run
// does; what it does is in Do.
type Retirement struct {
	config Config
	ended  chan struct{}
	work   sync.Mutex // one step at a time

	mu       sync.Mutex
	failure  error // of the last step
	state    *drain.State
	events   []drain.Event
	watchers live.Watchers
}

// Begin goes on after the events of a journal. It fails for a run that has not ended.
func Begin(config Config, events []drain.Event) (*Retirement, error) {
	state := drain.Fold(nil, events...)
	if state.Outcome == "" {
		return nil, fmt.Errorf("run %s has not ended: its drain comes first", state.Run.ID)
	}
	return &Retirement{config: config, ended: make(chan struct{}), state: state, events: events}, nil
}

// State is the run at this moment.
func (r *Retirement) State() *drain.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Events are the events after the one of that number, in order.
func (r *Retirement) Events(after uint64) []drain.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[min(after, uint64(len(r.events))):len(r.events):len(r.events)]
}

// Changed is as that of a run.
func (r *Retirement) Changed(ctx context.Context) <-chan struct{} { return r.watchers.Changed(ctx) }

// Send does nothing: a run that has ended is not steered.
func (r *Retirement) Send(drain.Input) {}

// Done is closed by Close.
func (r *Retirement) Done() <-chan struct{} { return r.ended }

// Failure is why the last step was not taken or failed, nil where it succeeded.
func (r *Retirement) Failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// Close waits for the step that is being taken, and gives the journal and its lock back.
func (r *Retirement) Close() error {
	r.work.Lock()
	defer r.work.Unlock()
	defer close(r.ended)
	return r.config.Journal.Close()
}

// record writes an event to the journal and then shows it. sync is for what must be on the
// disk before something is done that nothing takes back.
func (r *Retirement) record(e drain.Event, sync bool) error {
	state := r.State()
	e.Kind, e.Seq, e.Time, e.Outcome = drain.EventRetire, state.Seq+1, r.config.Now(), state.Outcome
	if err := r.config.Journal.Append([]drain.Event{e}, sync); err != nil {
		return err
	}
	next := drain.Fold(state, e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.events = next, append(r.events, e)
	r.watchers.Signal()
	return nil
}

// settleWithin is how long a step waits for the view of the nodes to be live.
const settleWithin = 3 * time.Second

// See is what the cluster shows of a node of the run, as soon as the view of the nodes is live
// or a moment is over. The node must be one of the run.
func (r *Retirement) See(ctx context.Context, node string) retire.Seen {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	changed := r.config.Source.Changed(ctx)
	for {
		seen := r.see(node)
		if seen.Trusted {
			return seen
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return seen
		}
	}
}

func (r *Retirement) see(node string) retire.Seen {
	snap, state := r.config.Source.Snapshot(), r.State()
	n := state.Node(node)
	now := r.config.Now()
	why, known := state.StillDrained(snap, n, now)
	seen := retire.SeenIn(snap, node, n.UID, state.Checklist(snap, n, now), why, known)
	if g := n.Retire.Of(n.Retire.Next()).Process; g != nil {
		seen.Command = hook.Look(*g)
	}
	return seen
}
