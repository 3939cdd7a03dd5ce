package kube_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func largeStore(tb testing.TB, pods int) *kube.Store {
	tb.Helper()
	s := kube.NewStore(time.Now)
	for i := range 500 {
		if i%5 == 0 {
			most := intstr.FromInt32(1)
			s.Put(convert.Budget(&policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%d", i), Name: "budget", UID: types.UID(fmt.Sprintf("pdb-%d", i))},
				Spec: policyv1.PodDisruptionBudgetSpec{
					MaxUnavailable: &most, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": fmt.Sprintf("team-%d", i)}},
				},
			}))
		}
	}
	for i := range pods {
		s.Put(convert.Pod(kubetest.LargePod(i)))
	}
	return s
}

// BenchmarkChangeAndSnapshot is one pod changing in a cluster of 150,000, and
// a snapshot after it: what the engine does at every change.
func BenchmarkChangeAndSnapshot(b *testing.B) {
	s := largeStore(b, 150_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		pod := *s.Snapshot().Pod(kube.UID(fmt.Sprintf("%08x-1111-4222-8333-%012x", i*7919%150_000, i*7919%150_000)))
		pod.Ready = !pod.Ready
		s.Put(&pod)
		if s.Snapshot().Sync(kube.KindPods).Count != 150_000 {
			b.Fatal("a pod got lost")
		}
	}
}

// BenchmarkTenThousandChanges is the same for 10,000 changes, as one operation.
func BenchmarkTenThousandChanges(b *testing.B) {
	s := largeStore(b, 150_000)
	b.ReportAllocs()
	for b.Loop() {
		for i := range 10_000 {
			pod := *s.Snapshot().Pod(kube.UID(fmt.Sprintf("%08x-1111-4222-8333-%012x", i*13, i*13)))
			pod.Ready = !pod.Ready
			s.Put(&pod)
			s.Snapshot()
		}
	}
}

func BenchmarkPodRecord(b *testing.B) {
	pod := kubetest.LargePod(1)
	b.ReportAllocs()
	for b.Loop() {
		convert.Pod(pod)
	}
}

func BenchmarkPodsOn(b *testing.B) {
	snapshot := largeStore(b, 150_000).Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		if len(snapshot.PodsOn("node-7")) != 30 {
			b.Fatal("wrong pods")
		}
	}
}

// BenchmarkMemoryPerPod reports what a pod costs in the store, its share of
// indexes and interned values included.
func BenchmarkMemoryPerPod(b *testing.B) {
	const pods = 150_000
	for b.Loop() {
		before := heap()
		s := largeStore(b, pods)
		b.ReportMetric(float64(heap()-before)/pods, "B/pod")
		runtime.KeepAlive(s)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkManyBudgets fills a store with 5,000 budgets and 15,000 pods of one
// namespace, three pods under each, and asks for the budgets of each pod.
func BenchmarkManyBudgets(b *testing.B) {
	most := intstr.FromInt32(1)
	labels := func(i int) map[string]string {
		return map[string]string{"app": fmt.Sprintf("service-%d", i/3), "team": "shop"}
	}
	b.Run("sync", func(b *testing.B) {
		for b.Loop() {
			s := kube.NewStore(time.Now)
			for i := 0; i < 15_000; i += 3 {
				s.Put(convert.Budget(&policyv1.PodDisruptionBudget{
					ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("b-%d", i), UID: types.UID(fmt.Sprintf("b-%d", i))},
					Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &most, Selector: &metav1.LabelSelector{MatchLabels: labels(i)}},
				}))
			}
			for i := range 15_000 {
				pod := kubetest.LargePod(i)
				pod.Namespace, pod.Labels = "shop", labels(i)
				s.Put(convert.Pod(pod))
			}
			b.StopTimer()
			snapshot := s.Snapshot()
			b.StartTimer()
			for _, p := range snapshot.Pods() {
				if len(snapshot.BudgetsOf(p)) != 1 {
					b.Fatal("wrong budgets")
				}
			}
		}
	})
}
