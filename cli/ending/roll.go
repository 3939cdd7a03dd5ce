package ending

import (
	"cmp"
	"fmt"
	"io"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Roll waits for a roll whose dashboard was left, and says so; where no one asked for its end it is suspended.
// The operator's commands that run are waited for, unless the roll was aborted.
func Roll(r live.Roll, cause Cause, program string, out io.Writer) drain.Outcome {
	select {
	case <-r.Done():
	default:
		kind, why := cause.last()
		if s := r.State(); s.Objection(kind) == nil {
			r.Send(roll.Command{Kind: kind, By: "kdrain-tui", Why: why})
		}
		fmt.Fprintln(out, stopping("roll", kind))
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
