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

// Run waits for a run that is still live. Where the screen failed, as when its
// terminal went away, no one asked for its end: it is suspended, and can be resumed.
func Run(run live.Run, failed bool, program string, out io.Writer) *drain.State {
	select {
	case <-run.Done():
	default:
		last := drain.Command{Kind: drain.CommandAbort, By: "kdrain-tui", Why: "the dashboard was closed"}
		if failed {
			last = drain.Command{Kind: drain.CommandSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"}
		}
		run.Send(last)
		fmt.Fprintln(out, "the run is being stopped; accepted evictions finish")
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

// Suspended is what a run is that can go on.
func Suspended(s *drain.State, program string) string {
	target := s.Run.Target()
	target.Program = program
	return fmt.Sprintf("run %s is suspended, not ended: %s continues it", s.Run.ID,
		target.Line("kdrain-tui resume "+s.Run.ID))
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
