package ending

import (
	"cmp"
	"fmt"
	"io"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Roll waits for a roll whose dashboard was left, and says so; failed is whether no one asked for that: then
// the roll is suspended. The operator's commands that run are waited for, unless the roll was aborted.
func Roll(r live.Roll, failed bool, program string, out io.Writer) drain.Outcome {
	select {
	case <-r.Done():
	default:
		last := roll.Command{Kind: drain.CommandAbort, By: "kdrain-tui", Why: "the dashboard was closed"}
		if failed {
			last = roll.Command{Kind: drain.CommandSuspend, By: "kdrain-tui", Why: "suspended: the dashboard failed"}
		}
		if s := r.State(); s.Objection(last.Kind) == nil {
			r.Send(last)
		}
		fmt.Fprintln(out, "the roll is being stopped; accepted evictions finish")
		<-r.Done()
	}
	s := r.State()
	if s.Outcome == "" {
		target := s.Facts.Run.Target()
		target.Program = program
		fmt.Fprintf(out, "roll %s is suspended, not ended: %s continues it\n", s.Facts.Run.ID,
			target.Line("kdrain-tui resume "+s.Facts.Run.ID))
	}
	return cmp.Or(s.Outcome, drain.OutcomeAborted)
}
