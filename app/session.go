package app

import (
	"context"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// Run is a live run of this process: its events tell what happened.
type Run interface {
	live.Run
	// Events are the events after a sequence number, in order.
	Events(after uint64) []drain.Event
}

// Session is one cluster: what is watched of it, who we are there, and
// the runs of this machine. What takes several steps is a type of its own: a Drain
// up to its run, a Resumption, a Rollback, a Handover; what the screen needs is a
// Dashboard. Methods may be called from any goroutine once it watches.
type Session struct {
	Cluster
	View
	Runs    *Runs
	Target  plan.Target // what printed commands are for
	OwnPod  OwnPod      // that we run in, empty outside of a cluster
	Version string      // of the program, for the journal
	// ReadOnly tells that nothing may be written: what only helps to write is not told.
	ReadOnly bool
	// Retires is what is to become of the drained nodes of the runs that are started, nil
	// where they stay in the cluster.
	Retires *retire.Order
	// Launch begins a run, drain.Start where it is nil.
	Launch func(context.Context, engine.EngineConfig, plan.Plan, drain.RunFacts) (Run, error)
}

// Observe watches all objects of the kinds.
func (s *Session) Observe(ctx context.Context, kinds ...kube.Kind) {
	s.Source = s.Watch(ctx, watch.Whole(kinds...))
}

// Select waits for the nodes and returns the names of those that are meant. The error
// is an *Error.
func (s *Session) Select(ctx context.Context, selection Selection) ([]string, error) {
	snapshot, err := s.Synced(ctx, []kube.Kind{kube.KindNodes})
	if err != nil {
		return nil, err
	}
	return selection.Nodes(snapshot, s.Target)
}

// Leftovers are the temporary budgets of runs that do not work on them: see
// tempbudget.Leftovers.
func (s *Session) Leftovers(snapshot *kube.Snapshot, now time.Time) []tempbudget.Leftover {
	return tempbudget.Leftovers(snapshot, s.Runs.Lives(), now)
}
