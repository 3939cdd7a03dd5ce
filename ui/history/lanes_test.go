package history

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
)

// A lane continues behind the end of its pod until the replacement is Ready.
func TestLanesUpToTheReplacement(t *testing.T) {
	start := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }
	for name, c := range map[string]struct {
		replacement *report.Replacement
		want        string
	}{
		"not followed":          {nil, "◐████✔              "},
		"Ready":                 {&report.Replacement{Facts: replacement.Facts{State: replacement.Ready}, ReadyAt: at(9)}, "◐████✔···●          "},
		"Ready at the end":      {&report.Replacement{Facts: replacement.Facts{State: replacement.Ready}, ReadyAt: at(20)}, "◐████✔·············●"},
		"Ready before it ended": {&report.Replacement{Facts: replacement.Facts{State: replacement.Ready}, ReadyAt: at(3)}, "◐████✔              "},
		"Pending":               {&report.Replacement{Facts: replacement.Facts{State: replacement.Pending, Reason: "Unschedulable"}}, "◐████✔··············"},
		"not wanted":            {&report.Replacement{Facts: replacement.Facts{State: replacement.NotWanted}}, "◐████✔              "},
	} {
		t.Run(name, func(t *testing.T) {
			l := lane{replacement: c.replacement, spans: []report.Span{
				{State: eviction.Requested, From: at(0)}, {State: eviction.Terminating, From: at(1)}, {State: eviction.Gone, From: at(5)}}}
			if got := l.draw(axis{from: start, to: at(20), width: 20}).String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
