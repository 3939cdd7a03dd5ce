package rolls

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/metrics"
	"github.com/kdrain-tui/kdrain-tui/drain/notice"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// tellOf has a roll told, where that was asked for, from the state before this process on; the runs of its
// batches are told by themselves.
func tellOf(runs *app.Runs, r *Roll, before *roll.State) {
	runs.Tell(app.Told{
		Name: "roll " + r.State().Facts.Run.ID, Followed: live.Followed{Changed: r.Changed, Done: r.Done()},
		Watch: func(time.Duration) func(time.Time) ([]notice.Notice, time.Time) {
			watch := notice.NewRollWatch(before)
			return func(now time.Time) ([]notice.Notice, time.Time) { return watch.See(r.State(), now) }
		},
		Show:   func(s *metrics.Shown) { s.Roll = r.State() },
		Warn:   func(text string) { r.Send(roll.Warned{Text: text}) },
		Warned: func(text string) bool { return slices.Contains(r.State().Warnings, text) },
	})
}
