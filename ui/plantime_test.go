package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// The time of a plan is estimated when the plan changes: not with each key, and
// not more often than every two seconds however much changes.
func TestThePlansTimeIsEstimatedWhenItChanges(t *testing.T) {
	asked := 0
	w := company()
	d := drive(t, w, 120, 40, usual, func(d *Deps) {
		paper(d).forecast = func(s *kube.Snapshot, plan plan.Plan, now time.Time) plan.Estimate {
			asked++
			return forecast.Of(s, plan, now)
		}
	})
	d.list(frame.Nodes).Table.Select("worker-a1")
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
	d.now = d.now.Add(2 * time.Second)
	d.send(tickMsg{d.m.tickTurn})
	expect(2, "two seconds later")
	if d.m.pageWaits() {
		t.Error("an estimate is owed though nothing changed")
	}

	d.keys("o")
	d.list(frame.Options).Table.Select("force")
	d.keys("space", "o")
	expect(3, "other options")
}

// While the estimate is being made, nothing else is shown in its place; and what
// comes in for a plan that was left is not shown with another.
func TestAnEstimateBelongsToItsPlan(t *testing.T) {
	d := drive(t, company(), 120, 40, usual, func(d *Deps) {
		paper(d).forecast = func(s *kube.Snapshot, planned plan.Plan, now time.Time) plan.Estimate {
			if planned.Nodes[0].Name == "worker-a1" {
				return plan.Estimate{Total: time.Hour, Waves: []int{1}}
			}
			return forecast.Of(s, planned, now)
		}
	})
	d.list(frame.Nodes).Table.Select("worker-a1")
	_, asked := d.m.Update(keyPress("D"))
	var estimate tea.Cmd
	for _, ask := range asked().(tea.BatchMsg) { // the plan, and the rights that it needs
		if _, next := d.m.Update(ask()); next != nil {
			estimate = next
		}
	}
	d.shows("time being estimated")

	d.keys("esc")
	d.list(frame.Nodes).Table.Select("worker-a2")
	d.keys("D")
	before := d.frame()
	d.exec(estimate)
	if after := d.frame(); after != before || !strings.Contains(after, "time about ") {
		t.Errorf("the estimate of a plan that was left is shown:\n%s", after)
	}
}
