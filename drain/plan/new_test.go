package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/selection"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func mustPlan(t *testing.T, s *kube.Snapshot, o Options, nodes ...string) Plan {
	t.Helper()
	plan, err := New(s, nodes, o, kubetest.Now)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// lines shows a plan as "node namespace/pod action verdict wave".
func lines(p Plan) []string {
	var all []string
	for _, n := range p.Nodes {
		for _, pod := range n.Pods {
			verdict := budget.Verdict("-")
			if pod.Budget != nil {
				verdict = pod.Budget.Verdict
			}
			all = append(all, fmt.Sprintf("%s %s/%s %s %s %d", n.Name, pod.Namespace, pod.Name, pod.Action, verdict, pod.Wave))
		}
	}
	return all
}

// The waves account for a budget over all nodes of the plan.
func TestPlanWaves(t *testing.T) {
	nodes := []runtime.Object{kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w3")}
	sick := kubetest.Pod("shop/api-7", kubetest.ByDeployment("api"), kubetest.On("w3"), kubetest.Crashing(time.Hour))
	table := []struct {
		name    string
		objects []runtime.Object
		waves   []int // api-1 to api-6
	}{
		{"no budget: all at once", nil, []int{1, 1, 1, 1, 1, 1}},
		{"two at a time", []runtime.Object{kubetest.Budget("shop/api", 4, 6, 2, 6)}, []int{1, 1, 2, 2, 3, 3}},
		{"more than there are", []runtime.Object{kubetest.Budget("shop/api", 0, 6, 6, 6)}, []int{1, 1, 1, 1, 1, 1}},
		{"none now, two once all are healthy", []runtime.Object{kubetest.Budget("shop/api", 4, 4, 0, 6), sick}, []int{2, 2, 3, 3, 4, 4}},
		{"not observed yet", []runtime.Object{kubetest.Budget("shop/api", 5, 6, 1, 6, kubetest.Unobserved)}, []int{2, 3, 4, 5, 6, 7}},
		{"never", []runtime.Object{kubetest.Budget("shop/api", 6, 6, 0, 6)}, []int{0, 0, 0, 0, 0, 0}},
		{"two budgets", []runtime.Object{kubetest.Budget("shop/api", 4, 6, 2, 6), kubetest.Budget("shop/all", 4, 6, 2, 6, kubetest.SelectsAll)}, []int{0, 0, 0, 0, 0, 0}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, slices.Concat(nodes, kubetest.API(), row.objects)...)
			var waves []int
			for _, n := range mustPlan(t, s, flags(), "w1", "w2").Nodes {
				for _, p := range n.Pods {
					waves = append(waves, p.Wave)
				}
			}
			if !slices.Equal(waves, row.waves) {
				t.Errorf("waves %v, want %v", waves, row.waves)
			}
		})
	}
}

// Pods that cost the budget nothing take no turn of it.
func TestPlanWavesPassFreePods(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.Budget("shop/api", 1, 2, 1, 4),
		kubetest.Pod("shop/api-1"), kubetest.Pod("shop/api-2", kubetest.Crashing(time.Hour)), kubetest.Pod("shop/api-3", kubetest.Deleted(0)), kubetest.Pod("shop/api-4"))
	want := []string{
		"w1 shop/api-1 evict Evictable 1", "w1 shop/api-2 evict Evictable 1",
		"w1 shop/api-3 evict Evictable 1", "w1 shop/api-4 evict Evictable 2",
	}
	plan := mustPlan(t, s, flags(force), "w1")
	if got := lines(plan); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if why := plan.Nodes[0].Pods[3].BudgetWhy(); !strings.HasSuffix(why, "its turn is in wave 2") {
		t.Errorf("why: %s", why)
	}
}

// The nodes come in the order given, each once, their pods by namespace and
// name, with what the faces show of them.
func TestPlanOrderAndFields(t *testing.T) {
	grace := int64(45)
	claimed := kubetest.Pod("a/db-0", kubetest.OwnedBy("apps/v1", "StatefulSet", "db"), func(p *corev1.Pod) {
		p.Spec.TerminationGracePeriodSeconds = &grace
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
		}}}
	})
	s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.Node("w2", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
		kubetest.Pod("b/z-1"), kubetest.Pod("b/a-1"), claimed, kubetest.Pod("b/q-1", kubetest.On("w2"), kubetest.Mirrored))
	plan := mustPlan(t, s, flags(force), "w2", "w1", "w2")
	want := []string{"w2 b/q-1 skip - 0", "w1 a/db-0 evict Evictable 1", "w1 b/a-1 evict Evictable 1", "w1 b/z-1 evict Evictable 1"}
	if got := lines(plan); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if n := plan.Nodes[0]; !n.Ready || !n.Unschedulable || n.UID != "Node/w2" {
		t.Errorf("node %+v", n)
	}
	if p := plan.Nodes[1].Pods[0]; p.Owner != "StatefulSet/db" || !p.Volumes || p.Grace != 45*time.Second || p.UID != claimed.UID || p.Node != "w1" {
		t.Errorf("pod %+v", p)
	}
	short := mustPlan(t, s, flags(force, func(o *Options) { o.GracePeriodSeconds = 5 }), "w1")
	if got := short.Nodes[0].Pods[0].Grace; got != 5*time.Second {
		t.Errorf("grace %v", got)
	}
}

func TestPlanUnknownNodes(t *testing.T) {
	_, err := New(kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1")), []string{"x", "w1", "y", "x"}, flags(), kubetest.Now)
	var unknown *selection.UnknownNodesError
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Names, []string{"x", "y"}) {
		t.Fatalf("error %v", err)
	}
	if err.Error() != `nodes "x" not found, nodes "y" not found` {
		t.Error(err)
	}
	if empty := NewPreviews(kubetest.SnapshotOf(kubetest.Now), kubetest.Now).node("x", flags()); len(empty.Pods) != 0 || empty.Name != "x" {
		t.Errorf("preview %+v", empty)
	}
}
