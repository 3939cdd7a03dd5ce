package app

import (
	"context"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
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

// own takes a run into this process's care.
func (r *Runs) own(run live.Run, rights control.Rights) {
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
