package plan

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A workload is down when all its healthy pods leave at once.
func TestDowntime(t *testing.T) {
	ready := func(name string, wanted, healthy int32, on ...string) []runtime.Object {
		return kubetest.Ready("shop/"+name, wanted, healthy, on)
	}
	with := func(objects []runtime.Object, more ...runtime.Object) []runtime.Object {
		return append(objects, more...)
	}
	parallel := func(o *Options) { o.MaxParallelNodes = 2 }
	for name, c := range map[string]struct {
		objects []runtime.Object
		options []func(*Options)
		down    int
	}{
		"the only pod":                    {ready("db", 1, 1, "w1"), nil, 1},
		"another stays":                   {ready("web", 2, 2, "w1", "w9"), nil, 0},
		"both on one node":                {ready("web", 2, 2, "w1", "w1"), nil, 2},
		"a budget keeps them apart":       {with(ready("web", 2, 2, "w1", "w1"), kubetest.Budget("shop/web", 1, 2, 1, 2)), nil, 0},
		"node after node":                 {ready("web", 2, 2, "w1", "w2"), nil, 0},
		"both nodes at once":              {ready("web", 2, 2, "w1", "w2"), []func(*Options){parallel}, 2},
		"it has no Ready pod already":     {[]runtime.Object{kubetest.Pod("shop/x-1", kubetest.ByDeployment("x"), kubetest.On("w1"), kubetest.Crashing(0))}, nil, 0},
		"without a controller it is lost": {[]runtime.Object{kubetest.Pod("shop/x", kubetest.On("w1"))}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(c.objects, kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w9"))
			change := append([]func(*Options){force}, c.options...)
			plan := mustPlan(t, kubetest.SnapshotOf(kubetest.Now, objects...), flags(change...), "w1", "w2")
			down := 0
			EachMove(plan, func(p *Pod) {
				if p.Down > 0 {
					down++
					why := map[int]string{1: "the only healthy pod of its workload", 2: "all 2 healthy pods of its workload leave at once"}[c.down]
					if !slices.Contains(p.Effects(), Effect{Down, why}) {
						t.Errorf("effects %v", p.Effects())
					}
				}
			})
			if down != c.down {
				t.Errorf("%d down, want %d", down, c.down)
			}
		})
	}
}
