package drain

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A node that waits for a sick pod of a node later in the plan is told of, since
// the drain as it is ordered never reaches that pod.
func TestPlanNamesNodesOutOfOrder(t *testing.T) {
	deployment, rs := givenDeployment("shop/cart", 3)
	cluster := func(change ...podOption) []runtime.Object {
		return []runtime.Object{
			givenNode("w1"), givenNode("w2"), givenNode("w3"), deployment, rs,
			givenPod("shop/cart-1", byDeployment("cart"), on("w1")),
			givenPod("shop/cart-2", append([]podOption{byDeployment("cart"), on("w3")}, change...)...),
			givenPod("shop/cart-3", byDeployment("cart"), on("w9")),
			givenBudget("shop/cart", 2, 2, 0, 3),
		}
	}
	sickOne := cluster(crashing(0))
	told := []string{"w1 waits for pod shop/cart-2 on w3, whose turn comes after it; name w3 first, leave --strict-order out, or drain them at the same time: --max-parallel-nodes=3"}
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
		{"refused, and so left untouched", append(cluster(crashing(0)), givenPod("shop/scratch", on("w3"), withEmptyDir)), []string{"w1", "w2", "w3"}, 1, false, nil},
		{"on its way out, which no turn brings about", cluster(deleted(0)), []string{"w1", "w2", "w3"}, 1, false, nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			options := flags(force, func(o *Options) { o.MaxParallelNodes, o.StrictOrder = row.atOnce, !row.free })
			var got []string
			for _, f := range mustCheck(t, kube.StoreOf(givenNow, row.objects...).Snapshot(), options, row.nodes...).Findings {
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
