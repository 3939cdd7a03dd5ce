package app

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Dashboard is a session for a screen, which plans many times a minute: what a plan
// needs beside what is watched is read once and remembered.
type Dashboard struct {
	*Session
	ctx context.Context // until the screen is left

	ownPod  sync.Once
	self    preflight.Self
	scales  atomic.Bool // being read, with the drain rules
	readers kube.Group  // never waited for: they end with the context

	mu     sync.Mutex
	asked  []request.Permission // the rights that were asked for last
	access preflight.Access
}

// Dashboard is the session for a screen that lives as long as the context.
func (s *Session) Dashboard(ctx context.Context) *Dashboard { return &Dashboard{Session: s, ctx: ctx} }

// NewPlan plans at once from what is known, while the scales of owners that are not
// watched and the drain rules come in; they change the plan when they are there.
func (d *Dashboard) NewPlan(
	snapshot *kube.Snapshot, nodes []string, o plan.Options, now time.Time,
) (plan.Plan, error) {
	planned, err := d.planFor(snapshot, nodes, o, d.env(snapshot, o, now))
	if err == nil && d.scales.CompareAndSwap(false, true) {
		nodes := slices.Clone(nodes)
		d.readers.Go("owners that are not watched and drain rules", func() {
			defer d.scales.Store(false)
			d.ReadScales(d.ctx, d.Source, nodes)
			d.ReadStatuses(d.ctx, d.Source, nodes)
			_ = d.ReadDrainRules(d.ctx, d.Source) // while they are not known, no run that obeys them begins
		})
	}
	return planned, err
}

// env is what the findings of a plan need to know, as far as it is known by now.
func (d *Dashboard) env(snapshot *kube.Snapshot, o plan.Options, now time.Time) preflight.Env {
	d.ownPod.Do(func() { d.self = d.Session.self(d.ctx, true) })
	env := preflight.Env{Now: now, Self: d.self, Leftovers: d.Leftovers(snapshot, now), ReadOnly: d.ReadOnly}
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Equal(d.asked, drainRights(o)) {
		env.Access = d.access
	}
	return env
}

// Again is that of Session, with all that plans of the screen have.
func (d *Dashboard) Again(ctx context.Context, shown plan.Plan, run string) (plan.Plan, error) {
	return d.again(ctx, shown, func(snapshot *kube.Snapshot) preflight.Env {
		env := d.env(snapshot, shown.Options, d.Now())
		env.Run = run
		return env
	})
}

// Access asks the server which of the rights we lack that a drain under the options
// needs. Plans know it from then on.
func (d *Dashboard) Access(ctx context.Context, o plan.Options) (preflight.Access, error) {
	needed := drainRights(o)
	access, err := d.rights().of(ctx, needed)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.asked, d.access = needed, access
	}
	return access, err
}

// Forecast is how long a plan takes.
func (d *Dashboard) Forecast(snapshot *kube.Snapshot, planned plan.Plan, now time.Time) plan.Estimate {
	return forecast.Of(snapshot, planned, now)
}

// StartConfirmed is Start for a plan that was on the screen for a while: the rights are
// asked for once more.
func (d *Dashboard) StartConfirmed(ctx context.Context, planned plan.Plan) (live.Run, error) {
	if err := d.rights().need(ctx, drainRights(planned.Options)); err != nil {
		return nil, err
	}
	run, err := d.Start(ctx, planned)
	if err != nil {
		return nil, err // not a Run that is nil
	}
	return run, nil
}

// Retire begins one step by which a drained node leaves the cluster, and returns at once:
// the run shows what becomes of it, and is done when the step is over.
func (d *Dashboard) Retire(ctx context.Context, run, node string, c retire.Confirmed) (live.Run, error) {
	if err := d.MayRetire(ctx); err != nil {
		return nil, err
	}
	r, err := d.Session.Retire(run)
	if err != nil {
		return nil, err // not a Run that is nil
	}
	d.Runs.group.Go("step of "+node+" out of the cluster", func() {
		_ = r.Do(d.ctx, node, c) // its Failure is read once it is over
		_ = r.Close()            // every event of the step was written before
	})
	return r, nil
}

// RemoveLeftover removes exactly one budget that was left behind. One whose run was
// resumed here meanwhile is in use again.
func (d *Dashboard) RemoveLeftover(ctx context.Context, l tempbudget.Leftover) error {
	if d.Runs.Lives()(l.Run) == tempbudget.RunLive {
		return errLiveAgain
	}
	return removeBudget(ctx, d.Writer(), l.BudgetRef)
}

// Served tells whether other processes can steer a run of this one, and what went
// wrong if they cannot.
func (d *Dashboard) Served(run string) (bool, error) { return d.Runs.Served(run) }
