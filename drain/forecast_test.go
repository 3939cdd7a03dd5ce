package drain

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// came is a pod that was made an hour ago and took that long to be Ready.
func came(took time.Duration) podOption {
	return func(p *corev1.Pod) {
		p.CreationTimestamp = ago(time.Hour)
		ready(corev1.ConditionTrue, time.Hour-took)(p)
	}
}

func grace(d time.Duration) podOption {
	return func(p *corev1.Pod) {
		seconds := int64(d / time.Second)
		p.Spec.TerminationGracePeriodSeconds = &seconds
	}
}

func forecastOf(t *testing.T, change func(*Options), nodes []string, objects ...runtime.Object) Estimate {
	t.Helper()
	for _, n := range nodes {
		objects = append(objects, givenNode(n))
	}
	s := kube.SnapshotOf(givenNow, append(objects, givenNode("spare", roomy))...)
	o := flags(force, ignoreDaemonSets, deleteEmptyDir)
	if change != nil {
		change(&o)
	}
	return Forecast(s, mustPlan(t, s, o, nodes...), givenNow)
}

func ofApp(app string) podOption {
	return func(p *corev1.Pod) { p.Labels = map[string]string{"app": app} }
}

// roomy is a node with room for a thousand pods.
func roomy(n *corev1.Node) {
	n.Status.Allocatable = corev1.ResourceList{
		"cpu": resource.MustParse("1000"), "memory": resource.MustParse("1000Gi"), "pods": resource.MustParse("1000"),
	}
}

func parallelNodes(n int) func(*Options) { return func(o *Options) { o.MaxParallelNodes = n } }

func TestForecast(t *testing.T) {
	two, three := []string{"w1", "w2"}, []string{"w1", "w1", "w1"}
	table := []struct {
		name    string
		objects []runtime.Object
		change  func(*Options)
		want    Estimate // without Because
		because string
	}{
		{"nothing moves", nil, nil, Estimate{}, "no pod moves"},
		{"no budget: a third of the grace period", givenReady("shop/api", 3, 3, three, came(5*time.Second)), nil,
			Estimate{Total: 10 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"no grace", givenReady("shop/api", 3, 3, three, grace(0)), nil, Estimate{Waves: []int{3}}, "shop/api-2 needs about 0s to end"},
		{"one at a time", append(givenReady("shop/api", 3, 3, three, came(5*time.Second)), givenBudget("shop/api", 2, 3, 1, 3)), nil,
			Estimate{Total: 20 * time.Second, Waves: []int{1, 1, 1}}, "wave 3 of budget api: its pods take about 5s to be Ready"},
		{"two at a time", append(givenReady("shop/api", 3, 3, three, came(5*time.Second)), givenBudget("shop/api", 1, 3, 2, 3)), nil,
			Estimate{Total: 15 * time.Second, Waves: []int{2, 1}}, "wave 2 of budget api: its pods take about 5s to be Ready"},
		{"a StatefulSet makes a pod anew when the old one is gone", append(givenStatefulSet("data/db", 2), givenBudget("data/db", 1, 2, 1, 2),
			givenPod("data/db-0", ownedBy("apps/v1", "StatefulSet", "db"), ofApp("db"), came(5*time.Second)),
			givenPod("data/db-1", ownedBy("apps/v1", "StatefulSet", "db"), ofApp("db"), came(5*time.Second))), nil,
			Estimate{Total: 25 * time.Second, Waves: []int{1, 1}}, "wave 2 of budget db: its pods take about 5s to be Ready"},
		{"no room for what would be Ready", append(givenReady("shop/api", 2, 2, two, came(5*time.Second), asking("2000")), givenBudget("shop/api", 1, 2, 1, 2)), nil,
			Estimate{Total: 10 * time.Second, Waves: []int{1}, Held: 1}, "shop/api-0 needs about 10s to end"},
		{"never", append(givenReady("shop/api", 3, 3, three), givenBudget("shop/api", 3, 3, 0, 3)), nil, Estimate{Held: 3}, "nothing goes as the cluster is"},
		{"a sick pod goes, those that it holds do not", append(append(givenReady("shop/cart", 3, 2, three[:2]), givenPod("shop/cart-9", byDeployment("cart"), crashing(time.Hour))),
			givenBudget("shop/cart", 2, 2, 0, 3)), nil, Estimate{Total: 10 * time.Second, Waves: []int{1}, Held: 2}, "shop/cart-9 needs about 10s to end"},
		{"two budgets", append(givenReady("shop/api", 3, 3, three), givenBudget("shop/api", 1, 3, 2, 3), givenBudget("shop/z", 1, 3, 2, 3, selecting("api"))), nil,
			Estimate{Held: 3}, "nothing goes as the cluster is"},
		{"a budget that is about to be observed", append(givenReady("shop/api", 3, 3, three), givenBudget("shop/api", 0, 3, 3, 3, unobserved)), nil,
			Estimate{Total: 11 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"a long grace period", append(givenStatefulSet("data/kafka", 1, "w1"), givenPod("data/kafka-2", ownedBy("apps/v1", "StatefulSet", "kafka"), grace(time.Hour))), nil,
			Estimate{Total: time.Hour, LowerBound: time.Hour, Waves: []int{2}}, "data/kafka-2 has a grace period of 60m"},
		{"already terminating", []runtime.Object{givenPod("shop/x", deleted(-20*time.Minute))}, nil,
			Estimate{Total: 20 * time.Minute, LowerBound: 20 * time.Minute, Waves: []int{1}}, "shop/x may take 20m to end"},
		{"held by a finalizer", []runtime.Object{givenPod("shop/x", deleted(time.Minute), func(p *corev1.Pod) { p.Finalizers = []string{"a/b"} })}, nil,
			Estimate{Held: 1}, "nothing goes as the cluster is"},
		{"a finalizer on a pod that runs, as those of Jobs have", []runtime.Object{givenPod("shop/x", func(p *corev1.Pod) { p.Finalizers = []string{"a/b"} })}, nil,
			Estimate{Total: 10 * time.Second, Waves: []int{1}}, "shop/x needs about 10s to end"},
		{"refused", []runtime.Object{givenPod("shop/x"), givenPod("shop/y", ownedBy("apps/v1", "DaemonSet", "gone"))},
			func(o *Options) { o.Force = false }, Estimate{}, "no pod moves"},
		{"refused with others on it", append(givenReady("shop/api", 3, 3, three), givenPod("shop/x")),
			func(o *Options) { o.Force, o.AllOrNothing = false, true }, Estimate{Held: 3}, "no node can be drained as the plan stands"},
		{"node after node", givenReady("shop/api", 2, 2, two), nil, Estimate{Total: 20 * time.Second, Waves: []int{2}}, "shop/api-1 needs about 10s to end"},
		{"nodes together", givenReady("shop/api", 2, 2, two), parallelNodes(2), Estimate{Total: 10 * time.Second, Waves: []int{2}}, "shop/api-1 needs about 10s to end"},
		{"past the budget", append(givenReady("shop/api", 3, 3, three), givenBudget("shop/api", 3, 3, 0, 3)), func(o *Options) { o.DisableEviction = true },
			Estimate{Total: 10 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"a sibling that is coming up", append(append(givenReady("shop/api", 3, 2, three[:2], came(20*time.Second)), givenPod("shop/api-9", byDeployment("api"), on("w9"),
			notReady(8*time.Second), func(p *corev1.Pod) { p.CreationTimestamp = ago(8 * time.Second) })), givenBudget("shop/api", 2, 2, 0, 3)), nil,
			Estimate{Total: 42 * time.Second, Waves: []int{1, 1}}, "wave 2 of budget api: its pods take about 20s to be Ready"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			e := forecastOf(t, row.change, two, row.objects...)
			e.Total = e.Total.Round(time.Second)
			if e.Because != row.because {
				t.Errorf("because %q, want %q", e.Because, row.because)
			}
			if (e.LowerBound > 0) != (e.Longest != "") {
				t.Errorf("a lower bound of %s comes from %q", e.LowerBound, e.Longest)
			}
			e.Because, e.Longest, e.LongestGrace = "", "", 0
			if fmt.Sprint(e) != fmt.Sprint(row.want) {
				t.Errorf("%+v, want %+v", e, row.want)
			}
		})
	}
}

// A silent node: evictions are accepted there, and nothing ends.
func TestForecastOnASilentNode(t *testing.T) {
	objects := append(givenReady("shop/api", 3, 3, []string{"w1", "w2", "w2"}), givenNode("w1", silent), givenNode("w2"))
	s := kube.SnapshotOf(givenNow, objects...)
	o := flags()
	o.MaxParallelNodes = 2
	if e := Forecast(s, mustPlan(t, s, o, "w1", "w2"), givenNow); e.Held != 1 || !slices.Equal(e.Waves, []int{2}) {
		t.Errorf("%+v", e)
	}
}

func TestStarts(t *testing.T) {
	objects := []runtime.Object{}
	for i, o := range []podOption{came(2 * time.Second), came(4 * time.Second), came(9 * time.Second), came(50 * time.Minute), notReady(time.Minute)} {
		objects = append(objects, givenPod(fmt.Sprintf("shop/a-%d", i), ownedBy("apps/v1", "ReplicaSet", "a"), o))
	}
	s := kube.SnapshotOf(givenNow, objects...)
	if got := starts(s, "ReplicaSet/shop/a"); got != 4*time.Second {
		t.Errorf("%s: the median of 2, 4 and 9; later than a start can take does not count", got)
	}
	if got := starts(s, "unknown"); got != ordinaryStart {
		t.Errorf("%s", got)
	}
}

// demoLike fills a simulation with workloads as those of the demo scene on three
// nodes to be drained and one that takes all.
func demoLike(s *simulation, starts time.Duration) []string {
	nodes := []string{"a", "b", "c"}
	for _, n := range append(slices.Clone(nodes), "spare") {
		s.addNode(n)
	}
	history := func(p *corev1.Pod) {
		p.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
		p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(starts - time.Hour))
	}
	for app, n := range map[string]int{"web": 9, "api": 6, "search": 6, "orders": 5, "login": 4, "ledger": 2, "db": 3} {
		set := givenReplicaSet("default/"+app, int32(n))
		set.UID = types.UID("rs-" + app)
		s.store.Put(kube.ReplicaSetRecord(set))
		for i := range n {
			s.addPod(app, nodes[i%3], history)
		}
	}
	for app, least := range map[string]int{"web": 7, "api": 4, "orders": 4, "login": 2, "ledger": 2, "db": 2} {
		s.addBudget(app, least)
	}
	return nodes
}

// On a scene like the demo's the waves of the forecast are those of the plan and
// of the run, and the estimate is within a factor of two of it.
func TestForecastIsTheRun(t *testing.T) {
	for _, times := range []struct {
		ends, starts time.Duration
		guard        Guard // over search and the other workloads without a budget
	}{
		{10 * time.Second, 2 * time.Second, ""}, {6 * time.Second, 2 * time.Second, ""}, {15 * time.Second, 30 * time.Second, ""},
		{10 * time.Second, 5 * time.Minute, ""}, {15 * time.Second, 30 * time.Second, "25%"}, {10 * time.Second, 2 * time.Second, "1"},
	} {
		t.Run(fmt.Sprintf("%s and %s, guard %q", times.ends, times.starts, times.guard), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.endAfter, s.readyAfter, s.atOnce = times.ends, times.starts, true
				nodes := demoLike(s, times.starts)
				o := DefaultOptions()
				o.MaxParallelNodes, o.Timeout, o.Guard = len(nodes), time.Hour, times.guard
				plan, err := NewPlan(s.Snapshot(), nodes, o, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				e := Forecast(s.Snapshot(), plan, time.Now())
				state := drive(t, s, o, nodes...).State()
				var took time.Duration
				var began time.Time
				for _, n := range state.Nodes {
					if began.IsZero() || n.Started.Before(began) {
						began = n.Started
					}
				}
				ran := Estimate{}
				for _, p := range state.Pods {
					if p.State.Left() {
						took = max(took, p.Ended.Sub(began))
						ran.count(1 + int(p.Accepted.Sub(began)/times.starts))
					} else {
						ran.Held++
					}
				}
				var planned Estimate
				eachMove(plan, func(p *PodPlan) {
					if p.Wave > 0 {
						planned.count(p.Wave)
					}
				})
				t.Logf("forecast %s, run %s, waves %v: %s", e.Total, took, e.Waves, e.Because)
				if e.Total > 2*took || took > 2*e.Total {
					t.Errorf("forecast %s, the run took %s", e.Total, took)
				}
				if !slices.Equal(e.Waves, planned.Waves) || !slices.Equal(e.Waves, ran.Waves) || e.Held != ran.Held || e.Held != 2 {
					t.Errorf("waves: forecast %v and %d held, plan %v, run %v and %d held", e.Waves, e.Held, planned.Waves, ran.Waves, ran.Held)
				}
			})
		})
	}
}

// The bar of the architect: ten nodes and 300 pods in less than 20 ms.
func BenchmarkForecast(b *testing.B) {
	nodes := []string{}
	objects := []runtime.Object{}
	for i := range 10 {
		nodes = append(nodes, fmt.Sprintf("w%d", i))
		objects = append(objects, givenNode(nodes[i]))
	}
	for app := range 6 {
		var on []string
		for i := range 50 {
			on = append(on, nodes[i%10])
		}
		name := fmt.Sprintf("shop/app%d", app)
		objects = append(objects, givenReady(name, 50, 50, on, came(5*time.Second))...)
		objects = append(objects, givenBudget(name, 45, 50, 5, 50, minAvailable("90%")))
	}
	s := kube.SnapshotOf(givenNow, append(objects, givenNode("spare", roomy))...)
	o := flags()
	o.MaxParallelNodes = 10
	plan, err := NewPlan(s, nodes, o, givenNow)
	if err != nil {
		b.Fatal(err)
	}
	var e Estimate
	for b.Loop() {
		e = Forecast(s, plan, givenNow)
	}
	if e.Rough || len(e.Waves) != 10 {
		b.Errorf("%+v", e)
	}
}
