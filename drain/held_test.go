package drain

import (
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
	pod := func(state PodState, wait *waits.Wait, blockedSince time.Time) *PodRun {
		return &PodRun{PodFacts: PodFacts{Node: "a"}, State: state, Wait: wait, BlockedSince: blockedSince}
	}
	left := &PodRun{PodFacts: PodFacts{Node: "a"}, State: PodGone, Accepted: at(10), Ended: at(40)}
	crashing := &waits.Wait{For: waits.ForBudget, UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Reason: "CrashLoopBackOff"}}
	starting := &waits.Wait{For: waits.ForBudget, UnhealthyPod: &budget.UnhealthyPod{Name: "web-2", Reason: budget.ReasonNotReady, Starting: true}}
	held := pod(PodBudgetBlocked, crashing, at(1))
	for name, c := range map[string]struct {
		pods  []*PodRun
		acted time.Time
		want  time.Time // zero: it makes progress
	}{
		"one to be looked at":                         {pods: []*PodRun{held, pod(PodPlanned, nil, time.Time{})}},
		"one that waits for a slot":                   {pods: []*PodRun{held, pod(PodPlanned, &waits.Wait{For: waits.ForTurn}, time.Time{})}},
		"a request is out":                            {pods: []*PodRun{held, pod(PodRequested, &waits.Wait{For: waits.ForAnswer}, time.Time{})}},
		"within its grace":                            {pods: []*PodRun{held, pod(PodTerminating, &waits.Wait{For: waits.ForGrace}, time.Time{})}},
		"a sibling crashes":                           {pods: []*PodRun{held}, want: at(1).Add(heldAfter)},
		"a budget never allows it":                    {pods: []*PodRun{pod(PodBudgetBlocked, &waits.Wait{For: waits.ForBudget, Never: true}, at(1))}, want: at(1).Add(heldAfter)},
		"a moment after the last has left":            {pods: []*PodRun{held, left}, want: at(40).Add(heldAfter)},
		"a sibling starts: between two waves":         {pods: []*PodRun{pod(PodBudgetBlocked, starting, at(1)), left}, want: at(40).Add(budget.ComesUpIn)},
		"one of two waits ends soon":                  {pods: []*PodRun{held, pod(PodBudgetBlocked, starting, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"asked again while it is blocked":             {pods: []*PodRun{pod(PodRequested, &waits.Wait{For: waits.ForAnswer}, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"stuck":                                       {pods: []*PodRun{pod(PodStuckTerminating, &waits.Wait{For: waits.ForFinalizers}, time.Time{}), left}, want: at(40)},
		"several budgets":                             {pods: []*PodRun{pod(PodMultipleBudgets, &waits.Wait{For: waits.ForOneBudget}, at(1))}, want: at(1).Add(heldAfter)},
		"a Job's pod is left to run":                  {pods: []*PodRun{pod(PodPlanned, &waits.Wait{For: waits.ForCompletion}, time.Time{})}, want: began.Add(heldAfter)},
		"a server that fails":                         {pods: []*PodRun{pod(PodRetrying, &waits.Wait{For: waits.ForServer}, at(1))}, want: at(1).Add(budget.ComesUpIn)},
		"an outage is no time in which it was held":   {pods: []*PodRun{held}, acted: at(600), want: at(600).Add(heldAfter)},
		"no pod: the look that closes it is the same": {want: began},
	} {
		t.Run(name, func(t *testing.T) {
			s := &State{Pods: c.pods, onNode: map[string][]int{}, acted: c.acted}
			for i := range c.pods {
				s.onNode["a"] = append(s.onNode["a"], i)
			}
			if got := s.heldFrom(&NodeRun{NodeFacts: NodeFacts{Name: "a"}, Started: began}); !got.Equal(c.want) {
				t.Errorf("held from %s, want %s", got, c.want)
			}
		})
	}
}
