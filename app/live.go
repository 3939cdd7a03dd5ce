package app

import (
	"context"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/app/notify"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/metrics"
	"github.com/kdrain-tui/kdrain-tui/drain/notice"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Owned is a run or a roll in the care of this process.
type Owned struct {
	ID   string
	Done <-chan struct{}
	// Steer aborts or suspends it.
	Steer func(kind drain.CommandKind, why string)
	// Serve opens its socket, nil where it has none.
	Serve func() (*control.Server, error)
}

// own takes a run into this process's care. before is the run when another process had it, nil for a new one.
func (r *Runs) own(run live.Run, before *drain.State, rights control.Rights) {
	state := run.State()
	o := &Owned{ID: state.Run.ID, Done: run.Done(), Steer: func(kind drain.CommandKind, why string) {
		by := state.Run.User
		if kind == drain.CommandSuspend {
			by = "signal"
		}
		run.Send(drain.Command{Kind: kind, By: by, Why: why})
	}}
	if commander, ok := run.(live.Commander); ok {
		o.Serve = func() (*control.Server, error) { return control.Serve(r.Dir, commander, rights) }
	}
	r.Own(o)
	r.tellOf(run, before)
}

// Own takes a run or a roll into this process's care: other processes can steer it, and
// a hangup suspends it. Where its socket cannot be opened it goes on without.
func (r *Runs) Own(o *Owned) {
	r.mu.Lock()
	r.live = append(r.live, o)
	hungUp, aborted := r.hungUp, r.aborted
	r.mu.Unlock()
	if hungUp != "" {
		o.Steer(drain.CommandSuspend, hungUp)
	}
	if aborted != "" {
		o.Steer(drain.CommandAbort, aborted)
	}
	if o.Serve == nil {
		return
	}
	control.Sweep(r.Dir)
	server, err := o.Serve()
	r.mu.Lock()
	r.deaf[o.ID] = err
	r.mu.Unlock()
	r.group.Go("end of run "+o.ID, func() {
		select {
		case <-o.Done:
		case <-r.ended:
		}
		if server != nil {
			server.Close()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.live = slices.DeleteFunc(r.live, func(other *Owned) bool { return other == o })
	})
}

// Watch reads and steers a run that another process of this machine works on, until the
// context ends. The error is an *Error.
func (r *Runs) Watch(ctx context.Context, id string) (*control.Watched, error) {
	run, err := control.Watch(ctx, r.Dir, id, r.Program)
	if err != nil {
		return nil, &Error{Err: err}
	}
	return run, nil
}

// Served reports whether other processes can steer a run of this one, and if not, what
// went wrong, if something did.
func (r *Runs) Served(id string) (served bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err, tried := r.deaf[id]
	return tried && err == nil, err
}

// HangUp suspends every run, those too that are still to begin: the terminal went
// away, and no one watches.
func (r *Runs) HangUp(why string) {
	r.mu.Lock()
	r.hungUp = why
	runs := slices.Clone(r.live)
	r.mu.Unlock()
	for _, run := range runs {
		run.Steer(drain.CommandSuspend, why)
	}
}

// Abort ends every run, those too that are still to begin, unless they are suspended.
// Whoever takes the signal calls it, and not who prints: an output that is not read
// must not hold it up.
func (r *Runs) Abort(why string) {
	r.mu.Lock()
	if r.hungUp != "" {
		r.mu.Unlock()
		return
	}
	r.aborted = why
	runs := slices.Clone(r.live)
	r.mu.Unlock()
	for _, run := range runs {
		run.Steer(drain.CommandAbort, why)
	}
}

// End gives up the care of all runs, and returns when their sockets are closed.
func (r *Runs) End() {
	close(r.ended)
	r.group.Wait()
}

// Told is a run or a roll that notifications and metrics tell of.
type Told struct {
	Name string
	live.Followed
	// Watch begins to see what to tell of it, with how long a pod may be blocked.
	Watch func(blockedAfter time.Duration) (see func(now time.Time) (due []notice.Notice, wake time.Time))
	// Show puts its state among what the metrics show.
	Show func(*metrics.Shown)
	// Warn puts into its journal what failed, Warned reports whether it is there.
	Warn   func(text string)
	Warned func(text string) bool
}

// tellOf has a run told, where that was asked for.
func (r *Runs) tellOf(run live.Run, before *drain.State) {
	r.Tell(Told{
		Name: "run " + run.State().Run.ID, Followed: live.Followed{Changed: run.Changed, Done: run.Done()},
		Watch: func(blockedAfter time.Duration) func(time.Time) ([]notice.Notice, time.Time) {
			watch := notice.NewWatch(before, blockedAfter)
			return func(now time.Time) ([]notice.Notice, time.Time) { return watch.See(run.State(), now) }
		},
		Show:   func(s *metrics.Shown) { s.Run = run.State() },
		Warn:   func(text string) { run.Send(drain.Warned{Text: text}) },
		Warned: func(text string) bool { return slices.Contains(run.State().Warnings, text) },
	})
}

// Tell has a run or a roll told, where that was asked for, until it is over or the program ends.
// It never waits.
func (r *Runs) Tell(t Told) {
	if r.Notify == nil && r.Metrics == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	var failures []string
	var told kube.Group
	failed := func(why string) {
		r.mu.Lock()
		failures = append(failures, why)
		r.mu.Unlock()
		t.Warn(why)
	}
	if r.Notify != nil {
		see := t.Watch(r.Notify.BlockedAfter)
		told.Go("notifications of "+t.Name, func() {
			r.Notify.Follow(ctx, notify.Watching{Followed: t.Followed, See: see, Failed: failed})
		})
	}
	if r.Metrics != nil {
		told.Go("metrics of "+t.Name, func() { r.Metrics.Follow(ctx, t.Followed, t.Show, failed) })
	}
	r.group.Go("telling of "+t.Name, func() {
		defer stop()
		select {
		case <-t.Done: // each has its last look
		case <-r.ended:
			if !over(t.Done) {
				stop()
			}
		}
		told.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, why := range failures {
			if !t.Warned(why) { // the run ended before it took it
				r.unsaid = append(r.unsaid, why)
			}
		}
	})
}

// Unsaid is what failed beside the runs of this process and is in no journal, after End.
func (r *Runs) Unsaid() []string { return r.unsaid }

func over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
