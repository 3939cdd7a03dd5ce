package app

import (
	"context"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Run is a live run of this process: its events tell what happened.
type Run interface {
	live.Run
	// Events are the events after a sequence number, in order.
	Events(after uint64) []drain.Event
}

// Session is one cluster: what is watched of it, who we are there, and
// the runs of this machine. Its methods may be called from any goroutine once it
// watches.
type Session struct {
	Cluster
	engine.Source // what is watched; nil before one of the Watch methods

	Runs    *Runs
	Target  plan.Target // what printed commands are for
	OwnPod  OwnPod      // that we run in, empty outside of a cluster
	Version string      // of the program, for the journal
	Now     func() time.Time
	// ReadOnly tells that nothing may be written: what only helps to write is not told.
	ReadOnly bool
	// Progress is told what a wait is for, a line at a time; nil where it is not shown.
	Progress func(line string)
	// Launch begins a run, drain.Start where it is nil.
	Launch func(context.Context, engine.EngineConfig, plan.Plan, drain.RunFacts) (Run, error)

	scope  scope // of the command
	screen screenReads
}

func (s *Session) report(line string) {
	if s.Progress != nil {
		s.Progress(line)
	}
}

// User is who the server takes us for.
func (s *Session) User() string { return s.Identity().User }
