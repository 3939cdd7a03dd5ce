package ending

import (
	"fmt"
	"io"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// patience is how long a run that was told to stop may take to say how it ended,
// after the dashboard was left.
const patience = 30 * time.Second

// Cause is why a dashboard is no longer there.
type Cause struct {
	Failed bool   // no one asked for that: the screen failed
	Signal string // that ended it, "" for none
	HungUp bool   // the signal says that its terminal went away
}

// last is the command that a run gets which is still live by then: it is aborted, and suspended where
// no one asked for its end.
func (c Cause) last() (kind drain.CommandKind, why string) {
	switch {
	case c.HungUp:
		return drain.CommandSuspend, "suspended by " + c.Signal
	case c.Failed:
		return drain.CommandSuspend, "suspended: the dashboard failed"
	case c.Signal != "":
		return drain.CommandAbort, "interrupted by " + c.Signal
	}
	return drain.CommandAbort, "the dashboard was closed"
}

// stopping says what is being done to a run or a roll that gets that command.
func stopping(what string, kind drain.CommandKind) string {
	if kind == drain.CommandSuspend {
		return "the " + what + " is being suspended; accepted evictions finish"
	}
	return "the " + what + " is being stopped; accepted evictions finish"
}

// Run waits for a run that is still live. Where no one asked for its end it is suspended, and can be resumed.
func Run(run live.Run, cause Cause, program string, out io.Writer) *drain.State {
	select {
	case <-run.Done():
	default:
		kind, why := cause.last()
		run.Send(drain.Command{Kind: kind, By: "kdrain-tui", Why: why})
		fmt.Fprintln(out, stopping("run", kind))
		select {
		case <-run.Done():
		case <-time.After(patience):
			fmt.Fprintln(out, "some answers are outstanding; the journal shows what was sent")
		}
	}
	state := run.State()
	if state.Suspended {
		fmt.Fprintln(out, Suspended(state, program))
	}
	events, journal := Gaps(run)
	if events != "" {
		fmt.Fprintln(out, kube.Clean(events))
	}
	if journal != "" {
		fmt.Fprintln(out, "error: "+kube.Clean(journal))
	}
	return state
}

// Suspended is what a run is that can go on, and which surges stand until it does.
func Suspended(s *drain.State, program string) string {
	target := s.Run.Target()
	target.Program = program
	text := fmt.Sprintf("run %s is suspended, not ended: %s continues it", s.Run.ID,
		target.Line("kdrain-tui resume "+s.Run.ID))
	for _, r := range s.Surges {
		if left := r.LeftOver(); left != "" {
			text += "; until then " + kube.Clean(left)
		}
	}
	return text
}

// Gaps are what went wrong beside a run that has ended: that its nodes have no Events, and what is not in its
// journal; "" for nothing.
func Gaps(run live.Run) (events, journal string) {
	if e, ok := run.(interface{ Silent() string }); ok && e.Silent() != "" {
		events = "the nodes have no Events of this run: " + e.Silent()
	}
	if e, ok := run.(interface{ Err() error }); ok && e.Err() != nil {
		journal = "the journal of this run is not complete: " + e.Err().Error()
	}
	return events, journal
}
