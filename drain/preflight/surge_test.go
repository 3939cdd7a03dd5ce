package preflight

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// webOnW1 is a Deployment of two Ready pods, both on node w1.
func webOnW1(edit func(*appsv1.Deployment)) []runtime.Object {
	web := kubetest.DeploymentOf("shop/web", kubetest.Well, kubetest.Well)
	for _, o := range web {
		switch o := o.(type) {
		case *corev1.Pod:
			o.Spec.NodeName = "w1"
		case *appsv1.Deployment:
			o.Status.Replicas, o.Status.UpdatedReplicas, o.Status.ReadyReplicas = 2, 2, 2
			o.Status.ObservedGeneration = o.Generation
			edit(o)
		}
	}
	return web
}

// A workload that --surge leaves out is named with the reason. A StatefulSet never surges, and is not.
func TestWorkloadsThatSurgeLeavesOutAreNamed(t *testing.T) {
	for owner, want := range map[string]string{
		"": "",
		"Shop": "no replacements start first in spite of --surge: Deployment shop/web " +
			"(Shop main owns Deployment web and may set its replicas back (--surge-managed))",
	} {
		web := webOnW1(func(d *appsv1.Deployment) {
			if owner != "" {
				d.OwnerReferences = []metav1.OwnerReference{{
					APIVersion: "example.com/v1", Kind: owner, Name: "main", UID: "shop", Controller: new(true)}}
			}
		})
		o := plantest.Options()
		o.Surge = "100%"
		s := kubetest.SnapshotOf(kubetest.Now, append(web, kubetest.Node("w1"), kubetest.Node("w2", kubetest.Roomy),
			kubetest.Pod("shop/db-0", kubetest.On("w1"), kubetest.OwnedBy("apps/v1", "StatefulSet", "db")))...)
		got := ""
		for _, f := range mustCheck(t, s, o, "w1").Findings {
			if f.Code == FindingNoSurge {
				got = f.Message
			}
		}
		if got != want {
			t.Errorf("owned by %q:\n got %q\nwant %q", owner, got, want)
		}
	}
}

// Workloads whose replacements start first lose neither their last Ready pod nor the last endpoint of their Service.
func TestNothingIsDownThatSurges(t *testing.T) {
	service := &corev1.Service{ObjectMeta: kubetest.Meta("Service", "shop/web")}
	service.Spec.Selector = map[string]string{"app": "web"}
	for amount, want := range map[surge.Amount]bool{"": true, "100%": false} {
		web := webOnW1(func(*appsv1.Deployment) {})
		o := plantest.Options()
		o.Surge = amount
		s := kubetest.SnapshotOf(kubetest.Now, append(web, kubetest.Node("w1"), kubetest.Node("w2", kubetest.Roomy), service)...)
		found := map[string]bool{}
		for _, f := range mustCheck(t, s, o, "w1").Findings {
			found[f.Code] = true
		}
		if found[FindingLastReady] != want || found[FindingLastEndpoint] != want {
			t.Errorf("--surge=%q: %v", amount, found)
		}
	}
}

// A pool that is drained at a time has no room for replacements, and its pods are down. A roll drains it batch by batch.
func TestARollHasRoomInItsOtherBatches(t *testing.T) {
	web := webOnW1(func(*appsv1.Deployment) {})
	for _, o := range web {
		if pod, is := o.(*corev1.Pod); is {
			pod.Spec.NodeSelector = map[string]string{"pool": "a"}
		}
	}
	pool := func(n *corev1.Node) { n.Labels["pool"] = "a" }
	s := kubetest.SnapshotOf(kubetest.Now, append(web, kubetest.Node("w1", pool), kubetest.Node("w2", kubetest.Roomy, pool),
		kubetest.Node("w3", kubetest.Roomy))...)
	o := plantest.Options()
	o.Surge = "100%"
	for inBatches, want := range map[bool]string{
		false: "LastReady NoSurge NoRoom", true: "",
	} {
		p, err := plan.NewFor("", inBatches, s, []string{"w1", "w2"}, o, kubetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Check(s, p, Env{Now: kubetest.Now}).Findings {
			if slices.Contains([]string{FindingLastReady, FindingNoSurge, FindingNoRoom, FindingPreempts}, f.Code) {
				got = append(got, f.Code)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in batches %t: found %q, want %q", inBatches, got, want)
		}
	}
}
