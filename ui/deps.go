package ui

import (
	"context"
	"io"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Source is where the dashboard looks at the cluster; kube.Store is one.
type Source interface {
	Snapshot() *kube.Snapshot
	Changed(ctx context.Context) <-chan struct{}
}

// Identity is which cluster this is and who we are there.
type Identity = frame.Identity

// Deps is everything the dashboard needs from outside. It reads the cluster
// through Source and changes it through StartRun and SetCordon alone.
type Deps struct {
	Source   Source
	Identity Identity
	Options  plan.Options // to begin with
	Marked   []string     // nodes that come up marked

	// StartRun begins a run of a plan that the operator confirmed; it is called
	// outside the event loop and may take its time.
	StartRun func(plan.Plan, plan.Options) (live.Run, error)
	// SetCordon makes a node unschedulable, for that reason, or schedulable again.
	SetCordon func(ctx context.Context, node string, unschedulable bool, reason string) error
	// RunLife tells what is known on this machine of a run, and RemoveBudget removes
	// exactly one temporary budget; both are called outside the event loop. Nil
	// where budgets that a run left behind are not looked for.
	RunLife      func(run string) tempbudget.RunLife
	RemoveBudget func(ctx context.Context, ref request.BudgetRef) error
	// DrainAccess asks the server which rights a drain under the options lacks; it
	// is called outside the event loop. Nil where no question is asked.
	DrainAccess func(ctx context.Context, o plan.Options) (preflight.Access, error)
	// PodDetails reads what there is to know about one pod, live; it is called
	// outside the event loop. Nil where there is no cluster to read from.
	PodDetails func(ctx context.Context, namespace, name string, uid kube.UID) (watch.PodDetails, error)
	// Access asks which of the rights we have; it is called outside the event loop. Nil
	// leaves that to the server's answers.
	Access func(ctx context.Context, needs []request.Permission) ([]request.AccessResult, error)
	// Attach is a run to show from the start, live or replayed; nil for none.
	Attach live.Run
	// Replay tells that Attach is played from a journal, with no cluster: its page
	// is the only one, and nothing can be written.
	Replay bool

	// NewPlan and Forecast are drain's own where they are nil, without what a caller knows.
	NewPlan  func(s *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error)
	Forecast func(s *kube.Snapshot, plan plan.Plan, now time.Time) plan.Estimate

	// Protected is what every confirmation is typed as, the name of a protected context,
	// "" where a key is enough.
	Protected string

	Theme    themes.Theme
	NoColor  bool
	ASCII    bool
	ReadOnly bool
	Now      func() time.Time // time.Now where nil

	// Crash takes panics of every goroutine; main makes it and hands its
	// OnPanic to kube.OnPanic. Run makes its own where it is nil.
	Crash *Crash
	// Terminal is told while the dashboard has the terminal, and its Crash is used; nil
	// in tests.
	Terminal *Terminal

	// Input and Output replace the terminal in tests.
	Input  io.Reader
	Output io.Writer
}

func (d Deps) withDefaults() Deps {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.NewPlan == nil {
		d.NewPlan = newPlan
	}
	d.ReadOnly = d.ReadOnly || d.Replay
	if d.Forecast == nil {
		d.Forecast = forecast.Of
	}
	if d.Terminal != nil {
		d.Crash = d.Terminal.Crash
	}
	if d.Crash == nil {
		d.Crash = NewCrash("")
	}
	return d
}

// cluster is what pages may do of it.
func (d Deps) cluster() frame.Cluster {
	return frame.Cluster{
		Snapshot: d.Source.Snapshot, Clock: d.Now, NewPlan: d.NewPlan, Forecast: d.Forecast, StartRun: d.StartRun, SetCordon: d.SetCordon,
		RunLife: d.RunLife, RemoveBudget: d.RemoveBudget, DrainAccess: d.DrainAccess, PodDetails: d.PodDetails, Access: d.Access,
	}
}

// Left is how the dashboard was left.
type Left string

// The ways to leave.
const (
	LeftByOperator Left = "quit"      // q, or the run's end after an abort
	LeftByForce    Left = "forced"    // Ctrl+C twice; a live run got an abort
	LeftByContext  Left = "cancelled" // the context ended: a signal
)

// Result is what main needs to know after the terminal is back.
type Result struct {
	Left Left
	Run  live.Run     // the last run, nil if there was none
	Last *drain.State // its state when the dashboard was left
	text func(*drain.State) string
}

// Text is what to print on the normal screen: the result of the last run as it is
// now, "" if there was none. A run that the leaving told to stop has ended only
// some time after the dashboard.
func (r Result) Text() string {
	if r.text == nil {
		return ""
	}
	return r.text(r.Run.State())
}

func newPlan(s *kube.Snapshot, nodes []string, o plan.Options, now time.Time) (plan.Plan, error) {
	plan, err := plan.New(s, nodes, o, now)
	if err != nil {
		return plan, err
	}
	return preflight.Check(s, plan, preflight.Env{Now: now}), nil
}
