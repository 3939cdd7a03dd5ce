package plan

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// bigCluster has nodes with pods of Deployments of ten, a tenth of whose pods is
// sick; each Deployment has a budget, and a third of them allows nothing. Twenty
// Deployments share a namespace.
func bigCluster(nodes, podsPerNode int) (*kube.Snapshot, []string) {
	const replicas, deployments = 10, 20
	var names []string
	var objects []runtime.Object
	for i := range nodes {
		names = append(names, fmt.Sprintf("node-%04d", i))
		objects = append(objects, kubetest.Node(names[i]), kubetest.Pod("kube-system/proxy-"+names[i], kubetest.On(names[i]), kubetest.OwnedBy("apps/v1", "DaemonSet", "proxy")))
	}
	objects = append(objects, kubetest.DaemonSet("kube-system/proxy"))
	for i := range nodes * podsPerNode {
		owner := i / replicas
		app := fmt.Sprintf("app%d", owner)
		name := fmt.Sprintf("ns-%d/%s", owner/deployments, app)
		if i%replicas == 0 {
			d, rs := kubetest.Deployment(name, replicas)
			var allowed int32
			if owner%3 > 0 {
				allowed = 1
			}
			objects = append(objects, d, rs, kubetest.Budget(name, 8, 8+allowed, allowed, replicas))
		}
		pod := kubetest.Pod(fmt.Sprintf("%s-%d", name, i%replicas), kubetest.ByDeployment(app), kubetest.On(names[(i*7+i/replicas)%nodes]))
		if i%replicas == 3 {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
		}
		objects = append(objects, pod)
	}
	return kubetest.SnapshotOf(kubetest.Now, objects...), names
}

// The design's bar: ten nodes of 110 pods in well under 10 ms.
func BenchmarkNewPlan(b *testing.B) {
	s, nodes := bigCluster(100, 110)
	o := flags(ignoreDaemonSets)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(s, nodes[:10], o, kubetest.Now); err != nil {
			b.Fatal(err)
		}
	}
}

// All rows of the nodes page: 5,000 nodes of 30 pods in less than 300 ms.
func BenchmarkPreviews(b *testing.B) {
	s, nodes := bigCluster(5000, 30)
	o := flags(ignoreDaemonSets)
	b.ReportAllocs()
	for b.Loop() {
		previews := NewPreviews(s, kubetest.Now)
		for _, n := range nodes {
			previews.node(n, o)
		}
	}
}
