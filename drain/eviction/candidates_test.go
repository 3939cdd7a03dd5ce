package eviction

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What waits for all others of its node holds up none of them: the own pod of this program, and one that goes
// last.
func TestPodsThatWaitForAllHoldUpNone(t *testing.T) {
	record := func(uid string, order int32, change func(*Record)) *Record {
		r := &Record{Facts: Facts{UID: kube.UID(uid), Node: "w1", Order: order}, State: Planned}
		change(r)
		return r
	}
	pods := []*Record{
		record("self", 0, func(r *Record) { r.Self = true }),
		record("agent", 0, func(r *Record) { r.Reasons = []plan.Reason{{Code: plan.ReasonDaemonSetLast}} }),
		record("gone", 0, func(r *Record) { r.State = Gone }),
		record("late", 7, func(*Record) {}),
		record("later", 9, func(*Record) {}),
	}
	v := View{Pods: pods, lowest: lowestOrders(pods)}
	for i, want := range []bool{false, false, false, false, true} {
		if got := v.later(pods[i]); got != want {
			t.Errorf("%s waits for others: %v", pods[i].UID, got)
		}
	}
}
