package rolls

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// Dashboard is a session for a screen that can begin rolls too.
type Dashboard struct{ *app.Dashboard }

// StartRoll begins a roll over the nodes of a plan that was on the screen for a while: the rights are asked
// for once more.
func (d Dashboard) StartRoll(ctx context.Context, planned plan.Plan, o roll.Options) (live.Roll, error) {
	planned.Options = o.Drain(planned.Options)
	if err := d.MayRoll(ctx, planned.Options); err != nil {
		return nil, err
	}
	r, err := Begin(ctx, d.Session, Plan(d.Session, planned, o))
	if err != nil {
		return nil, err // not a Roll that is nil
	}
	return r, nil
}
