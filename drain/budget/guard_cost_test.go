package budget

import (
	"fmt"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A guard counts the pods of its workload, and reads none of the others in the namespace:
// a run asks for each of its workloads at each look.
func TestAGuardReadsOnlyItsWorkload(t *testing.T) {
	objects := kubetest.DeploymentOf("shop/web", kubetest.Well, kubetest.Well)
	cost := func(others int) float64 {
		all := objects
		for i := range others {
			all = append(all, kubetest.Pod(fmt.Sprintf("shop/other-%d", i)))
		}
		s := kubetest.SnapshotOf(kubetest.Now, all...)
		w := GuardedBy(s, s.PodNamed("shop", "web-1"))
		if book := Guard("1").book(s, w); book.Numbers.Present != 2 || book.Free != 1 {
			t.Fatalf("%+v", book)
		}
		return testing.AllocsPerRun(10, func() { Guard("1").book(s, w) })
	}
	// The collector may run meanwhile and empty a pool: a few more say nothing.
	if few, many := cost(1), cost(5000); many > few+5 {
		t.Errorf("%v allocations beside one pod, %v beside 5,000", few, many)
	}
}
