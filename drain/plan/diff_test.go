package plan

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
)

func TestDiff(t *testing.T) {
	planned := func(pods ...Pod) Plan {
		return Plan{Nodes: []Node{{Name: "a", UID: "a", Ready: true, Pods: pods}}}
	}
	pod := func(action Action, verdict budget.Verdict) Pod {
		p := Pod{Namespace: "shop", Name: "cart-1", UID: "1", Action: action}
		if verdict != "" {
			p.Budget = &budget.Judgement{Verdict: verdict, Why: "budget cart needs 3 and has 3"}
		}
		return p
	}
	moves, waits, stays := pod(ActionEvict, budget.VerdictEvictable), pod(ActionEvict, budget.VerdictWait), pod(ActionSkip, "")
	refused := pod(ActionRefuse, "")
	refused.Reasons = []Reason{{Code: ReasonFinished, Level: LevelInfo, Message: "finished"}, {Code: ReasonUnmanaged, Level: LevelError, Message: unmanagedError}}
	lost := moves
	lost.NotRemade = "its ReplicaSet cart is gone"
	cordoned, replaced := planned(), planned()
	cordoned.Nodes[0].Unschedulable, replaced.Nodes[0].UID = true, "b"
	last := planned()
	last.Findings = []Finding{{Code: "LastControlPlane", Level: LevelError, Message: "the last one"}}
	for _, c := range []struct {
		name          string
		before, after Plan
		all, grave    int
		what          string
	}{
		{"nothing", planned(moves), planned(moves), 0, 0, ""},
		{"a pod is gone", planned(moves), planned(), 1, 0, "shop/cart-1 is gone"},
		{"a pod came", planned(), planned(moves), 1, 1, "shop/cart-1 is new: moves"},
		{"a pod that stays came", planned(), planned(stays), 1, 0, "shop/cart-1 is new: stays"},
		{"its budget closed", planned(moves), planned(waits), 1, 1, "shop/cart-1: moves, now waits (budget cart needs 3 and has 3)"},
		{"it is refused", planned(moves), planned(refused), 1, 1, "shop/cart-1: moves, now refused (" + unmanagedError + ")"},
		{"it would not come back", planned(moves), planned(lost), 1, 1, "shop/cart-1: moves, now lost (its ReplicaSet cart is gone)"},
		{"the node is gone", planned(), Plan{}, 1, 1, "node a is gone"},
		{"the node is another of its name", planned(), replaced, 1, 1, "node a was replaced by another of the same name"},
		{"somebody cordoned it", planned(), cordoned, 1, 1, "node a is cordoned now"},
		{"the run cordoned it", planned().CordonedAs(cordoned), cordoned, 0, 0, ""},
		{"an error was found", planned(), last, 1, 1, "the last one"},
		{"an error was known", last, last, 0, 0, ""},
	} {
		changes := c.before.Diff(c.after)
		if len(changes) != c.all || len(Grave(changes)) != c.grave || c.all > 0 && changes[0].What != c.what {
			t.Errorf("%s: %+v", c.name, changes)
		}
	}
}
