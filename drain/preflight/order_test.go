package preflight

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A node that waits for a sick pod of a node later in the plan is told of, since
// the drain as it is ordered never reaches that pod.
func TestPlanNamesNodesOutOfOrder(t *testing.T) {
	deployment, rs := kubetest.Deployment("shop/cart", 3)
	cluster := func(change ...kubetest.PodOption) []runtime.Object {
		return []runtime.Object{
			kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w3"), deployment, rs,
			kubetest.Pod("shop/cart-1", kubetest.ByDeployment("cart"), kubetest.On("w1")),
			kubetest.Pod("shop/cart-2", append([]kubetest.PodOption{kubetest.ByDeployment("cart"), kubetest.On("w3")}, change...)...),
			kubetest.Pod("shop/cart-3", kubetest.ByDeployment("cart"), kubetest.On("w9")),
			kubetest.Budget("shop/cart", 2, 2, 0, 3),
		}
	}
	sickOne := cluster(kubetest.Crashing(0))
	told := []string{"w1 waits for pod shop/cart-2 on w3, which is drained after it; name w3 first, leave --strict-order out, or drain them at the same time: --max-parallel-nodes=3"}
	table := []struct {
		name    string
		objects []runtime.Object
		nodes   []string
		atOnce  int
		free    bool
		want    []string
	}{
		{"later", sickOne, []string{"w1", "w2", "w3"}, 1, false, told},
		{"later than as many as go at once", sickOne, []string{"w1", "w2", "w3"}, 2, false, told},
		{"at the same time", sickOne, []string{"w1", "w2", "w3"}, 3, false, nil},
		{"before", sickOne, []string{"w3", "w2", "w1"}, 1, false, nil},
		{"a node that is held lets the next begin", sickOne, []string{"w1", "w2", "w3"}, 1, true, nil},
		{"not planned", sickOne, []string{"w1", "w2"}, 1, false, nil},
		{"refused, and so left untouched", append(cluster(kubetest.Crashing(0)), kubetest.Pod("shop/scratch", kubetest.On("w3"), kubetest.WithEmptyDir)), []string{"w1", "w2", "w3"}, 1, false, nil},
		{"on its way out, which no turn brings about", cluster(kubetest.Deleted(0)), []string{"w1", "w2", "w3"}, 1, false, nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			options := plantest.Options(plantest.Force, func(o *plan.Options) { o.MaxParallelNodes, o.StrictOrder = row.atOnce, !row.free })
			var got []string
			planned := mustCheck(t, kubetest.StoreOf(kubetest.Now, row.objects...).Snapshot(), options, row.nodes...)
			wantOrder := row.nodes
			if row.want != nil {
				wantOrder = []string{"w3", "w1", "w2"}
			}
			if names, better := Advised(&planned); better != (row.want != nil) || !slices.Equal(names, wantOrder) {
				t.Errorf("advised %q, %v", names, better)
			}
			for _, f := range planned.Findings {
				if f.Code == FindingWaitsForLaterNode {
					got = append(got, f.Message+"; "+f.Advice[0].Text+": "+f.Advice[0].Command)
					if want := []string{"Node/w1", "Node/w3", "Pod/shop/cart-2"}; !slices.Equal(f.Objects, want) {
						t.Errorf("objects %v, want %v", f.Objects, want)
					}
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
