package cli

import (
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/control"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// liveRuns are the runs that this process owns: each takes the words of other
// processes, and a hangup suspends all of them.
type liveRuns struct {
	mu      sync.Mutex
	runs    []drain.Run
	hungUp  bool
	aborted string        // why every run is aborted, "" if none is
	group   kube.Group    // one goroutine for each, until its run or the program ends
	ended   chan struct{} // the program ends
}

// own takes a run into this process's care. Where its socket cannot be opened
// it goes on without ctl, and the operator is told.
func (p *Program) own(run Run, c *Cluster) (served bool) {
	l := &p.live
	l.mu.Lock()
	l.runs = append(l.runs, run)
	hungUp, aborted := l.hungUp, l.aborted
	l.mu.Unlock()
	if hungUp {
		suspend(run)
	}
	if aborted != "" {
		abort(run, aborted)
	}
	steerable, ok := run.(drain.Steerable)
	if !ok {
		return false
	}
	control.Sweep(p.StateDir)
	server, err := control.Serve(p.StateDir, steerable, c.Access)
	if err != nil {
		explain(p.Err, &failure{text: p.display() + " ctl will not reach this run", err: err})
	}
	id := run.State().Run.ID
	l.group.Go("end of run "+id, func() {
		select {
		case <-run.Done():
		case <-l.ended:
		}
		if server != nil {
			server.Close()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.runs = slices.DeleteFunc(l.runs, func(r drain.Run) bool { return r == drain.Run(run) })
	})
	return server != nil
}

// hangUp suspends every run: the terminal went away, and nobody watches.
func (l *liveRuns) hangUp() {
	l.mu.Lock()
	l.hungUp = true
	runs := slices.Clone(l.runs)
	l.mu.Unlock()
	for _, run := range runs {
		suspend(run)
	}
}

// abort ends every run. Whoever takes the signal does it, and not who prints: an
// output that nobody reads must not hold it up.
func (l *liveRuns) abort(why string) {
	l.mu.Lock()
	if l.hungUp {
		l.mu.Unlock()
		return // suspended, which goes before
	}
	l.aborted = why
	runs := slices.Clone(l.runs)
	l.mu.Unlock()
	for _, run := range runs {
		abort(run, why)
	}
}

func abort(run drain.Run, why string) {
	run.Send(drain.Control{Kind: drain.ControlAbort, By: run.State().Run.User, Why: why})
}

func suspend(run drain.Run) {
	run.Send(drain.Control{Kind: drain.ControlSuspend, By: "signal", Why: "suspended by " + nameOfSignal(syscall.SIGHUP)})
}

// hungUp tells whether the first signal said that the terminal went away.
func (p *Program) hungUp() bool {
	sig, ok := p.signalled()
	return ok && sig == os.Signal(syscall.SIGHUP)
}
