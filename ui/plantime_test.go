package ui

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The time of a plan is estimated when the plan changes: not with each key, and
// not more often than every two seconds however much changes.
func TestThePlansTimeIsEstimatedWhenItChanges(t *testing.T) {
	asked := 0
	w := company()
	d := drive(t, w, 120, 40, usual, func(d *Deps) {
		d.Forecast = func(s *kube.Snapshot, plan plan.Plan, now time.Time) plan.Estimate {
			asked++
			return forecast.Of(s, plan, now)
		}
	})
	d.m.nodes.list.table.Select("worker-a1")
	d.keys("D")
	d.shows("time about ", "(estimate)")
	expect := func(n int, after string) {
		t.Helper()
		if asked != n {
			t.Errorf("%s: estimated %d times, want %d", after, asked, n)
		}
	}
	expect(1, "the plan is open")
	d.keys("j", "k", ">", "j")
	expect(1, "keys")
	d.refresh()
	expect(1, "a cluster as it was")

	for i := range 5 {
		w.pod("worker-a1", "web", "late-"+string(rune('a'+i)), "front")
		d.refresh()
	}
	expect(1, "changes right after the first")
	d.now = d.now.Add(forecastEvery)
	d.send(tickMsg{d.m.tickTurn})
	expect(2, "two seconds later")
	if d.m.timeOwed() {
		t.Error("an estimate is owed though nothing changed")
	}

	d.keys("o", "space")
	d.keys("o")
	expect(3, "other options")
}

// While the estimate is being made, nothing else is shown in its place; and what
// comes in for a plan that was left is not shown with another.
func TestAnEstimateBelongsToItsPlan(t *testing.T) {
	d := drive(t, company(), 120, 40, usual)
	d.m.nodes.list.table.Select("worker-a1")
	d.keys("D")
	old := forecastMsg{key: d.m.plan.time.known, estimate: plan.Estimate{Total: time.Hour, Waves: []int{1}}}
	d.send(old)
	d.shows("time about 10 s")
	d.m.plan.time = planTime{key: 1}
	d.shows("time being estimated")
}
