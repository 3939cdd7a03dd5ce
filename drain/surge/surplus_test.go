package surge

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A pod under one budget waits for what a surge is to remove from it; one under two budgets is evicted by neither.
func TestASurplusHoldsPodsOfOneBudget(t *testing.T) {
	for _, others := range []int{0, 1} {
		objects := append(deployed(nil), kubetest.Budget("shop/web", 1, 2, 1, 2))
		if others > 0 {
			objects = append(objects, kubetest.Budget("shop/all", 1, 2, 1, 2, kubetest.SelectsAll))
		}
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		p := s.PodNamed("shop", "web-1")
		until := kubetest.Now.Add(time.Second)
		surplus := &Surplus{counts: map[kube.UID]counted{s.BudgetNamed("shop", "web").UID: {1, until}}}
		held := surplus.Holds(s, p, func(*kube.Budget) int { return 1 })
		if len(s.BudgetsOf(p)) != 1+others || (held != nil) != (others == 0) || held != nil && !held.Equal(until) {
			t.Errorf("beside %d others: held until %v", others, held)
		}
	}
}
