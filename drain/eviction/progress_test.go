package eviction

import (
	"slices"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A node makes progress while one pod of it goes or can go, and is held some time
// after the last that did.
func TestWhenANodeIsHeld(t *testing.T) {
	began := kubetest.Noon
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	pod := func(state State, wait *waits.Wait, blockedSince time.Time) *Record {
		return &Record{Facts: Facts{Node: "a"}, State: state, Wait: wait, BlockedSince: blockedSince}
	}
	left := &Record{Facts: Facts{Node: "a"}, State: Gone, Accepted: at(10), Ended: at(40)}
	crashing := &waits.Wait{For: waits.ForBudget, UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Reason: "CrashLoopBackOff"}}
	starting := &waits.Wait{For: waits.ForBudget, UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Reason: budget.ReasonNotReady, Starting: true}}
	held := pod(BudgetBlocked, crashing, at(1))
	for name, c := range map[string]struct {
		pods  []*Record
		acted time.Time
		want  time.Time // zero: it makes progress
	}{
		"one of which nothing is known yet":           {pods: []*Record{held, pod(Planned, nil, time.Time{})}},
		"one that waits for a slot":                   {pods: []*Record{held, pod(Planned, &waits.Wait{For: waits.ForSlot}, time.Time{})}},
		"a request is out":                            {pods: []*Record{held, pod(Requested, &waits.Wait{For: waits.ForAnswer}, time.Time{})}},
		"within its grace":                            {pods: []*Record{held, pod(Terminating, &waits.Wait{For: waits.ForGrace}, time.Time{})}},
		"another pod of the budget crashes":           {pods: []*Record{held}, want: at(1).Add(heldAfter)},
		"a budget never allows it":                    {pods: []*Record{pod(BudgetBlocked, &waits.Wait{For: waits.ForBudget, Never: true}, at(1))}, want: at(1).Add(heldAfter)},
		"a moment after the last has left":            {pods: []*Record{held, left}, want: at(40).Add(heldAfter)},
		"another starts: between two waves":           {pods: []*Record{pod(BudgetBlocked, starting, at(1)), left}, want: at(40).Add(budget.ComesUpIn)},
		"one of two waits ends soon":                  {pods: []*Record{held, pod(BudgetBlocked, starting, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"asked again while it is blocked":             {pods: []*Record{pod(Requested, &waits.Wait{For: waits.ForAnswer}, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"stuck":                                       {pods: []*Record{pod(StuckTerminating, &waits.Wait{For: waits.ForFinalizers}, time.Time{}), left}, want: at(40)},
		"several budgets":                             {pods: []*Record{pod(MultipleBudgets, &waits.Wait{For: waits.ForOneBudget}, at(1))}, want: at(1).Add(heldAfter)},
		"a Job's pod is left to run":                  {pods: []*Record{pod(Planned, &waits.Wait{For: waits.ForCompletion}, time.Time{})}, want: began.Add(heldAfter)},
		"a server that fails":                         {pods: []*Record{pod(Retrying, &waits.Wait{For: waits.ForServer}, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"an outage is no time in which it was held":   {pods: []*Record{held}, acted: at(600), want: at(600).Add(heldAfter)},
		"no pod: the look that closes it is the same": {want: began},
	} {
		t.Run(name, func(t *testing.T) {
			from := began
			if c.acted.After(from) {
				from = c.acted
			}
			if got := HeldFrom(slices.Values(c.pods), from); !got.Equal(c.want) {
				t.Errorf("held from %s, want %s", got, c.want)
			}
		})
	}
}
