package app

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/app/control"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
)

// own takes a run into this process's care: other processes can steer it, and a
// hangup suspends it. Where its socket cannot be opened it goes on without.
func (r *Runs) own(run live.Run, rights control.Rights) {
	r.mu.Lock()
	r.live = append(r.live, run)
	hungUp, aborted := r.hungUp, r.aborted
	r.mu.Unlock()
	if hungUp != "" {
		suspend(run, hungUp)
	}
	if aborted != "" {
		abort(run, aborted)
	}
	commander, ok := run.(live.Commander)
	if !ok {
		return
	}
	control.Sweep(r.Dir)
	id := run.State().Run.ID
	server, err := control.Serve(r.Dir, commander, rights)
	r.mu.Lock()
	r.deaf[id] = err
	r.mu.Unlock()
	r.group.Go("end of run "+id, func() {
		select {
		case <-run.Done():
		case <-r.ended:
		}
		if server != nil {
			server.Close()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.live = slices.DeleteFunc(r.live, func(other live.Run) bool { return other == run })
	})
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
		suspend(run, why)
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
		abort(run, why)
	}
}

// End gives up the care of all runs, and returns when their sockets are closed.
func (r *Runs) End() {
	close(r.ended)
	r.group.Wait()
}

func abort(run live.Run, why string) {
	run.Send(drain.Command{Kind: drain.CommandAbort, By: run.State().Run.User, Why: why})
}

func suspend(run live.Run, why string) {
	run.Send(drain.Command{Kind: drain.CommandSuspend, By: "signal", Why: why})
}
