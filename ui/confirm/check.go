package confirm

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Checked brings a plan made again at the moment of a confirmation.
type Checked struct {
	Request
	Fresh   plan.Plan
	Changes []plan.Change
	Err     error
}

// Request is what is to be checked, and what for.
type Request struct {
	Shown    plan.Plan
	Question *drain.Question // of the run; nil: before a run is started
	Word     string          // what was typed for the question; "" opens its dialog
	Confirm  bool            // it was answered with a yes
}

// Check makes a plan from the cluster as it is now and compares it with what was shown.
// What comes of it is a Checked.
func Check(shell frame.Shell, r Request) {
	s, own := shell.Session(), ""
	if r.Question != nil {
		own = s.State.Run.ID
	}
	cluster := s.Cluster
	shell.Go("the check of the plan", func(ctx context.Context) tea.Msg {
		msg := Checked{Request: r}
		if msg.Fresh, msg.Err = cluster.Again(ctx, r.Shown, own); msg.Err != nil {
			return msg
		}
		base := r.Shown
		if r.Question != nil {
			base = r.Shown.CordonedAs(msg.Fresh)
		}
		msg.Changes = base.Diff(msg.Fresh)
		return msg
	})
}
