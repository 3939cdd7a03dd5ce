package plan

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A workload whose replacement starts first is not down, now or once what is in the way has passed. One that
// cannot surge is, and its pods say why.
func TestWhatSurgesIsNotDown(t *testing.T) {
	for name, c := range map[string]struct {
		amount  surge.Amount
		edit    func(*appsv1.Deployment)
		surging int
		fate    string
	}{
		"no surge": {"", nil, 0, "down until Ready"},
		"it can":   {"1", nil, 1, "replaced first"},
		"another run surges": {"100%", func(d *appsv1.Deployment) {
			two := int32(2)
			d.Spec.Replicas, d.Status.Replicas, d.Status.UpdatedReplicas = &two, 2, 2
			d.Annotations = map[string]string{kube.SurgeAnnotation: `{"run":"r0","was":1,"to":2}`}
		}, 1, "replaced first"},
		"an operator": {"1", func(d *appsv1.Deployment) {
			d.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: "x/v1", Kind: "Shop", Name: "s", Controller: new(true)}}
		}, 0, "down until Ready, evicted as usual"},
		"a rollout": {"1", func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 0 }, 1, "replaced first"},
	} {
		web, rs := kubetest.Deployment("shop/web", 1)
		web.Status.Replicas, web.Status.UpdatedReplicas, web.Status.ObservedGeneration = 1, 1, web.Generation
		if c.edit != nil {
			c.edit(web)
		}
		s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.Node("w2", kubetest.Roomy), web, rs,
			kubetest.Pod("shop/web-1", kubetest.ByDeployment("web"), kubetest.On("w1")))
		o := DefaultOptions()
		o.Surge = c.amount
		p, err := New(s, []string{"w1"}, o, kubetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Nodes[0].Pods[0].Effects().String(); got != c.fate || len(p.Surging()) != c.surging {
			t.Errorf("%s: %q, surges %+v", name, got, p.Surges)
		}
		refused, why := c.amount != "" && c.surging == 0, p.Nodes[0].Pods[0].NoSurge
		if refused != strings.HasPrefix(why, "Shop s owns Deployment web") {
			t.Errorf("%s: evicted as usual because %q", name, why)
		}
		for _, f := range p.Surging() {
			if f.AtOnce != 1 {
				t.Errorf("%s: %d more at a time", name, f.AtOnce)
			}
		}
	}
}
