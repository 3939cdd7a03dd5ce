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
	mu     sync.Mutex
	runs   []drain.Run
	hungUp bool
	group  kube.Group    // one goroutine for each, until its run or the program ends
	ended  chan struct{} // the program ends
}

// own takes a run into this process's care. Where its socket cannot be opened
// it goes on without ctl, and the operator is told.
func (p *Program) own(run Run, c *Cluster) (served bool) {
	l := &p.live
	l.mu.Lock()
	l.runs = append(l.runs, run)
	hungUp := l.hungUp
	l.mu.Unlock()
	if hungUp {
		suspend(run)
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

func suspend(run drain.Run) {
	run.Send(drain.Control{Kind: drain.ControlSuspend, By: "signal", Why: "suspended by " + nameOfSignal(syscall.SIGHUP)})
}

// hungUp tells whether the first signal said that the terminal went away.
func (p *Program) hungUp() bool {
	sig, ok := p.signalled()
	return ok && sig == os.Signal(syscall.SIGHUP)
}
