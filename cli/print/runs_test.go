package print

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
)

// A roll took as long as from its start to its end, to now while it is live, else to its last event.
func TestHowLongARollTook(t *testing.T) {
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	events := []roll.Event{
		{Seq: 1, Time: start, Kind: roll.EventRollStarted, Roll: &roll.Facts{Run: drain.RunFacts{ID: "k7f3pm"}}},
		{Seq: 2, Time: start.Add(time.Minute), Kind: roll.EventBaseline},
	}
	ended := append(events[:2:2], roll.Event{Seq: 3, Time: start.Add(3 * time.Minute), Kind: roll.EventRollEnded,
		Outcome: drain.OutcomeDone})
	for _, c := range []struct {
		events []roll.Event
		live   bool
		want   time.Duration
	}{{events, false, time.Minute}, {events, true, time.Hour}, {ended, false, 3 * time.Minute}} {
		run := ProjectRoll(roll.ReportOf(c.events, c.live), roll.Fold(nil, c.events...), start.Add(time.Hour))
		if run.Duration != c.want.Seconds() {
			t.Errorf("%d events, live %t: took %v s, want %s", len(c.events), c.live, run.Duration, c.want)
		}
	}
}
