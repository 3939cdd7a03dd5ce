package forecast

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// crosswise are two workloads of two pods, of which one serves, that fit on no node but w1 and w2:
// there the one that serves of each stands beside the other one of the other.
func crosswise() []runtime.Object {
	pool := func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"pool": "db"} }
	inPool := func(n *corev1.Node) { n.Labels["pool"] = "db" }
	sick := kubetest.Crashing(10 * time.Minute)
	pod := func(name, app, node string, options ...kubetest.PodOption) *corev1.Pod {
		return kubetest.Pod("shop/"+name, append(options, kubetest.ByDeployment(app), kubetest.On(node), pool)...)
	}
	objects := []runtime.Object{kubetest.Node("w1", kubetest.Roomy, inPool), kubetest.Node("w2", kubetest.Roomy, inPool), kubetest.Node("w3", kubetest.Roomy),
		pod("a-1", "a", "w1"), pod("a-2", "a", "w2", sick), pod("b-1", "b", "w2"), pod("b-2", "b", "w1", sick)}
	for _, app := range []string{"a", "b"} {
		d, rs := kubetest.Deployment("shop/"+app, 2)
		objects = append(objects, d, rs, kubetest.Budget("shop/"+app, 1, 1, 0, 2))
	}
	return objects
}

// What never leaves, as what was to make up for it finds no node, is known before the drain.
func TestPodsThatTheDrainItselfHolds(t *testing.T) {
	s := kubetest.SnapshotOf(kubetest.Now, crosswise()...)
	planned := plantest.New(t, s, plantest.Options(), "w1", "w2")
	planned = planned.WithEstimate(Of(s, planned, kubetest.Now))
	held := map[string]string{}
	plan.EachMove(planned, func(p *plan.Pod) {
		if e := p.Effects(); e.Has(plan.Blocked) {
			held[p.Name] = e.Why()
		}
	})
	if len(held) != 2 || !strings.Contains(held["a-1"], "a-2") || !strings.Contains(held["b-1"], "b-2") || verdict.Of(&planned).End != verdict.EndNever {
		t.Errorf("%v, %+v", held, verdict.Of(&planned))
	}
}
