package landing

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// large is a cluster of 5,000 nodes and 150,000 pods of 15,000 owners; every
// third owner keeps its pods apart, every third spreads them over zones.
func large(b *testing.B) (*kube.Snapshot, []string, []*kube.Pod) {
	b.Helper()
	store := kubetest.StoreOf(time.Unix(1000, 0))
	for i := range 5000 {
		w := &world{}
		w.node(fmt.Sprintf("n%04d", i), fmt.Sprint("zone-", i%3))
		store.Put(convert.Node(w.objects[0].(*corev1.Node)))
	}
	for i := range 150_000 {
		w, owner := &world{}, i/10
		w.pod(fmt.Sprintf("p%06d", i), fmt.Sprintf("n%04d", i*7%5000), func(p *corev1.Pod) {
			app := fmt.Sprint("app-", owner)
			p.UID, p.Namespace = types.UID(p.Name), fmt.Sprint("team-", owner%500)
			p.Labels["app"] = app
			p.Spec.Containers[0].Resources.Requests = amounts(fmt.Sprintf("%dm", 50+owner%7*10), "100Mi")
			own := web()
			own.MatchLabels["app"] = app
			switch owner % 3 {
			case 0:
				apart(corev1.LabelHostname, own)(p)
			case 1:
				spreadOver(corev1.LabelTopologyZone, func(s *corev1.TopologySpreadConstraint) { s.LabelSelector, s.MaxSkew = own, 5 })(p)
			}
		})
		store.Put(convert.Pod(w.objects[0].(*corev1.Pod)))
	}
	s := store.Snapshot()
	nodes := []string{"n0000", "n0001", "n0002", "n0003"}
	var pods []*kube.Pod
	for _, n := range nodes {
		pods = append(pods, s.PodsOn(n)...)
	}
	return s, nodes, pods[:110]
}

func BenchmarkNew(b *testing.B) {
	s, nodes, _ := large(b)
	b.ReportAllocs()
	for b.Loop() {
		New(s, nodes)
	}
}

// BenchmarkAlone110 is the first look at a plan of 110 pods, all of them of
// different owners.
func BenchmarkAlone110(b *testing.B) {
	s, nodes, pods := large(b)
	b.ReportAllocs()
	for b.Loop() {
		c := New(s, nodes)
		for _, p := range pods {
			if c.Alone(p).Answer != Fits {
				b.Fatal(c.Alone(p))
			}
		}
	}
}

func BenchmarkTogether110(b *testing.B) {
	s, nodes, pods := large(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range New(s, nodes).Together(pods).Verdicts {
			if v.Answer != Fits {
				b.Fatal(v)
			}
		}
	}
}
