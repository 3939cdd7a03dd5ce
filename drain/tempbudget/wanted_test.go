package tempbudget

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A workload gets a temporary budget unless a budget covers one of its own pods, whatever
// covers others in its namespace; and finding that out costs no look at those.
func TestWanted(t *testing.T) {
	web := kubetest.DeploymentOf("shop/web", kubetest.Well, kubetest.Well)
	budgetOf := func(app string) runtime.Object {
		return kubetest.Budget("shop/"+app, 1, 2, 1, 2, kubetest.Selecting(app))
	}
	for name, c := range map[string]struct {
		more []runtime.Object
		want int
	}{
		"no budget":                   {nil, 1},
		"its own":                     {[]runtime.Object{budgetOf("web")}, 0},
		"one of the workload besides": {append(kubetest.Cart(kubetest.Well, kubetest.Well), budgetOf("cart")), 1},
	} {
		s := kubetest.SnapshotOf(kubetest.Now, append(c.more, web...)...)
		if got := Wanted(s, "r1", []kube.UID{s.PodNamed("shop", "web-1").UID}); len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}

	cost := func(others int) float64 {
		objects := web
		for i := range others {
			objects = append(objects, kubetest.Pod(fmt.Sprintf("shop/other-%d", i)))
		}
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		uid := []kube.UID{s.PodNamed("shop", "web-1").UID}
		return testing.AllocsPerRun(10, func() { Wanted(s, "r1", uid) })
	}
	// The collector may run meanwhile and empty a pool: a few more say nothing.
	if few, many := cost(1), cost(5000); many > few+5 {
		t.Errorf("%v allocations beside one pod, %v beside 5,000", few, many)
	}
}
