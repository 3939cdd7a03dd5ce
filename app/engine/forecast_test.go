package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func grace(d time.Duration) kubetest.PodOption {
	return func(p *corev1.Pod) {
		seconds := int64(d / time.Second)
		p.Spec.TerminationGracePeriodSeconds = &seconds
	}
}

func forecastOf(t *testing.T, change func(*plan.Options), nodes []string, objects ...runtime.Object) plan.Estimate {
	t.Helper()
	for _, n := range nodes {
		objects = append(objects, kubetest.Node(n))
	}
	s := kubetest.SnapshotOf(kubetest.Now, append(objects, kubetest.Node("spare", kubetest.Roomy))...)
	o := plantest.Options(plantest.Force, plantest.IgnoreDaemonSets, plantest.DeleteEmptyDir)
	if change != nil {
		change(&o)
	}
	return forecast.Of(s, plantest.New(t, s, o, nodes...), kubetest.Now)
}

func ofApp(app string) kubetest.PodOption {
	return func(p *corev1.Pod) { p.Labels = map[string]string{"app": app} }
}

func parallelNodes(n int) func(*plan.Options) {
	return func(o *plan.Options) { o.MaxParallelNodes = n }
}

func TestForecast(t *testing.T) {
	two, three := []string{"w1", "w2"}, []string{"w1", "w1", "w1"}
	table := []struct {
		name    string
		objects []runtime.Object
		change  func(*plan.Options)
		want    plan.Estimate // without Because
		because string
	}{
		{"nothing moves", nil, nil, plan.Estimate{}, "no pod moves"},
		{"no budget: a third of the grace period", kubetest.Ready("shop/api", 3, 3, three, kubetest.Came(5*time.Second)), nil,
			plan.Estimate{Total: 10 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"no grace", kubetest.Ready("shop/api", 3, 3, three, grace(0)), nil, plan.Estimate{Waves: []int{3}}, "shop/api-2 needs about 0s to end"},
		{"one at a time", append(kubetest.Ready("shop/api", 3, 3, three, kubetest.Came(5*time.Second)), kubetest.Budget("shop/api", 2, 3, 1, 3)), nil,
			plan.Estimate{Total: 20 * time.Second, Waves: []int{1, 1, 1}}, "wave 3 of budget api: its pods take about 5s to be Ready"},
		{"two at a time", append(kubetest.Ready("shop/api", 3, 3, three, kubetest.Came(5*time.Second)), kubetest.Budget("shop/api", 1, 3, 2, 3)), nil,
			plan.Estimate{Total: 15 * time.Second, Waves: []int{2, 1}}, "wave 2 of budget api: its pods take about 5s to be Ready"},
		{"a StatefulSet recreates a pod when the old one is gone", append(kubetest.StatefulSet("data/db", 2), kubetest.Budget("data/db", 1, 2, 1, 2),
			kubetest.Pod("data/db-0", kubetest.OwnedBy("apps/v1", "StatefulSet", "db"), ofApp("db"), kubetest.Came(5*time.Second)),
			kubetest.Pod("data/db-1", kubetest.OwnedBy("apps/v1", "StatefulSet", "db"), ofApp("db"), kubetest.Came(5*time.Second))), nil,
			plan.Estimate{Total: 25 * time.Second, Waves: []int{1, 1}}, "wave 2 of budget db: its pods take about 5s to be Ready"},
		{"no room for what would be Ready", append(kubetest.Ready("shop/api", 2, 2, two, kubetest.Came(5*time.Second), kubetest.Asking("2000")), kubetest.Budget("shop/api", 1, 2, 1, 2)), nil,
			plan.Estimate{Total: 10 * time.Second, Waves: []int{1}, Held: 1}, "shop/api-0 needs about 10s to end"},
		{"never", append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 3, 3, 0, 3)), nil, plan.Estimate{Held: 3}, "no pod can be evicted as the cluster is"},
		{"a sick pod goes, those that it holds do not", append(append(kubetest.Ready("shop/cart", 3, 2, three[:2]), kubetest.Pod("shop/cart-9", kubetest.ByDeployment("cart"), kubetest.Crashing(time.Hour))),
			kubetest.Budget("shop/cart", 2, 2, 0, 3)), nil, plan.Estimate{Total: 10 * time.Second, Waves: []int{1}, Held: 2}, "shop/cart-9 needs about 10s to end"},
		{"two budgets", append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 1, 3, 2, 3), kubetest.Budget("shop/z", 1, 3, 2, 3, kubetest.Selecting("api"))), nil,
			plan.Estimate{Held: 3}, "no pod can be evicted as the cluster is"},
		{"a budget that is about to be observed", append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 0, 3, 3, 3, kubetest.Unobserved)), nil,
			plan.Estimate{Total: 11 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"a long grace period", append(kubetest.StatefulSet("data/kafka", 1, "w1"), kubetest.Pod("data/kafka-2", kubetest.OwnedBy("apps/v1", "StatefulSet", "kafka"), grace(time.Hour))), nil,
			plan.Estimate{Total: time.Hour, LowerBound: time.Hour, Waves: []int{2}}, "data/kafka-2 has a grace period of 1h"},
		{"already terminating", []runtime.Object{kubetest.Pod("shop/x", kubetest.Deleted(-20*time.Minute))}, nil,
			plan.Estimate{Total: 20 * time.Minute, LowerBound: 20 * time.Minute, Waves: []int{1}}, "shop/x may take 20m to end"},
		{"held by a finalizer", []runtime.Object{kubetest.Pod("shop/x", kubetest.Deleted(time.Minute), func(p *corev1.Pod) { p.Finalizers = []string{"a/b"} })}, nil,
			plan.Estimate{Held: 1}, "no pod can be evicted as the cluster is"},
		{"a finalizer on a pod that runs, as those of Jobs have", []runtime.Object{kubetest.Pod("shop/x", func(p *corev1.Pod) { p.Finalizers = []string{"a/b"} })}, nil,
			plan.Estimate{Total: 10 * time.Second, Waves: []int{1}}, "shop/x needs about 10s to end"},
		{"refused", []runtime.Object{kubetest.Pod("shop/x"), kubetest.Pod("shop/y", kubetest.OwnedBy("apps/v1", "DaemonSet", "gone"))},
			func(o *plan.Options) { o.Force = false }, plan.Estimate{}, "no pod moves"},
		{"refused with others on it", append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Pod("shop/x")),
			func(o *plan.Options) { o.Force, o.AllOrNothing = false, true }, plan.Estimate{Held: 3}, "no node can be drained with this plan"},
		{"node after node", kubetest.Ready("shop/api", 2, 2, two), nil, plan.Estimate{Total: 20 * time.Second, Waves: []int{2}}, "shop/api-1 needs about 10s to end"},
		{"nodes together", kubetest.Ready("shop/api", 2, 2, two), parallelNodes(2), plan.Estimate{Total: 10 * time.Second, Waves: []int{2}}, "shop/api-1 needs about 10s to end"},
		{"past the budget", append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 3, 3, 0, 3)), func(o *plan.Options) { o.DisableEviction = true },
			plan.Estimate{Total: 10 * time.Second, Waves: []int{3}}, "shop/api-2 needs about 10s to end"},
		{"another pod that is starting", append(append(kubetest.Ready("shop/api", 3, 2, three[:2], kubetest.Came(20*time.Second)), kubetest.Pod("shop/api-9", kubetest.ByDeployment("api"), kubetest.On("w9"),
			kubetest.NotReady(8*time.Second), func(p *corev1.Pod) { p.CreationTimestamp = kubetest.Ago(8 * time.Second) })), kubetest.Budget("shop/api", 2, 2, 0, 3)), nil,
			plan.Estimate{Total: 42 * time.Second, Waves: []int{1, 1}}, "wave 2 of budget api: its pods take about 20s to be Ready"},
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
			e.Because, e.Longest, e.LongestGrace, e.Wave, e.Nodes, e.Holds = "", "", 0, nil, nil, nil
			if fmt.Sprint(e) != fmt.Sprint(row.want) {
				t.Errorf("%+v, want %+v", e, row.want)
			}
		})
	}
}

// Each node has the time from its first eviction until its last pod has left: one after the other,
// or at the same time.
func TestForecastOfEachNode(t *testing.T) {
	objects := slices.Concat(kubetest.Ready("shop/api", 0, 1, []string{"w1", "w2"}), kubetest.Ready("shop/web", 0, 1, []string{"w2"}))
	for parallel, want := range map[int]string{1: "w1 0:00 to ~0:10, w2 0:10 to ~0:20", 2: "w1 0:00 to ~0:10, w2 0:00 to ~0:10"} {
		e := forecastOf(t, parallelNodes(parallel), []string{"w1", "w2", "w3"}, objects...)
		var got []string
		for _, n := range e.Nodes {
			got = append(got, n.Node+" "+n.Words())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d at once: %q, want %q", parallel, got, want)
		}
		if e.SpanOf("w3") != nil {
			t.Error("a node from which no pod leaves has a time")
		}
	}
}

// A silent node: evictions are accepted there, and nothing ends.
func TestForecastOnASilentNode(t *testing.T) {
	objects := append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w2"}), kubetest.Node("w1", kubetest.Silent), kubetest.Node("w2"))
	s := kubetest.SnapshotOf(kubetest.Now, objects...)
	o := plantest.Options()
	o.MaxParallelNodes = 2
	if e := forecast.Of(s, plantest.New(t, s, o, "w1", "w2"), kubetest.Now); e.Held != 1 || !slices.Equal(e.Waves, []int{2}) {
		t.Errorf("%+v", e)
	}
}

// demoLike fills a simulation with workloads as those of the demo scene on three
// nodes to be drained and one that takes all.
func demoLike(s *kubetest.Simulation, starts time.Duration) []string {
	nodes := []string{"a", "b", "c"}
	for _, n := range append(slices.Clone(nodes), "spare") {
		s.AddNode(n)
	}
	history := func(p *corev1.Pod) {
		p.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
		p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(starts - time.Hour))
	}
	for app, n := range map[string]int{"web": 9, "api": 6, "search": 6, "orders": 5, "login": 4, "ledger": 2, "db": 3} {
		set := kubetest.ReplicaSet("default/"+app, int32(n))
		set.UID = types.UID("rs-" + app)
		s.Store.Put(convert.ReplicaSet(set))
		for i := range n {
			s.AddPod(app, nodes[i%3], history)
		}
	}
	for app, least := range map[string]int{"web": 7, "api": 4, "orders": 4, "login": 2, "ledger": 2, "db": 2} {
		s.AddBudget(app, least)
	}
	return nodes
}

// On a scene like the demo's the waves of the forecast are those of the plan and
// of the run, and the estimate is within a factor of two of it.
func TestForecastIsTheRun(t *testing.T) {
	for _, times := range []struct {
		ends, starts time.Duration
		guard        budget.Guard // over search and the other workloads without a budget
	}{
		{10 * time.Second, 2 * time.Second, ""}, {6 * time.Second, 2 * time.Second, ""}, {15 * time.Second, 30 * time.Second, ""},
		{10 * time.Second, 5 * time.Minute, ""}, {15 * time.Second, 30 * time.Second, "25%"}, {10 * time.Second, 2 * time.Second, "1"},
	} {
		t.Run(fmt.Sprintf("%s and %s, guard %q", times.ends, times.starts, times.guard), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.EndAfter, s.ReadyAfter, s.AtOnce = times.ends, times.starts, true
				nodes := demoLike(s, times.starts)
				o := plan.DefaultOptions()
				o.MaxParallelNodes, o.Timeout, o.Guard = len(nodes), time.Hour, times.guard
				made, err := plan.New(s.Snapshot(), nodes, o, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				e := forecast.Of(s.Snapshot(), made, time.Now())
				state := drive(t, s, o, nodes...).State()
				var took time.Duration
				var began time.Time
				for _, n := range state.Nodes {
					if began.IsZero() || n.Started.Before(began) {
						began = n.Started
					}
				}
				ran := plan.Estimate{}
				for _, p := range state.Pods {
					if p.State.Left() {
						took = max(took, p.Ended.Sub(began))
						ran.Count(1 + int(p.Accepted.Sub(began)/times.starts))
					} else {
						ran.Held++
					}
				}
				var planned plan.Estimate
				plan.EachMove(made, func(p *plan.Pod) {
					if p.Wave > 0 {
						planned.Count(p.Wave)
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
		objects = append(objects, kubetest.Node(nodes[i]))
	}
	for app := range 6 {
		var on []string
		for i := range 50 {
			on = append(on, nodes[i%10])
		}
		name := fmt.Sprintf("shop/app%d", app)
		objects = append(objects, kubetest.Ready(name, 50, 50, on, kubetest.Came(5*time.Second))...)
		objects = append(objects, kubetest.Budget(name, 45, 50, 5, 50, kubetest.MinAvailable("90%")))
	}
	s := kubetest.SnapshotOf(kubetest.Now, append(objects, kubetest.Node("spare", kubetest.Roomy))...)
	o := plantest.Options()
	o.MaxParallelNodes = 10
	made, err := plan.New(s, nodes, o, kubetest.Now)
	if err != nil {
		b.Fatal(err)
	}
	var e plan.Estimate
	for b.Loop() {
		e = forecast.Of(s, made, kubetest.Now)
	}
	if e.Rough || len(e.Waves) != 10 {
		b.Errorf("%+v", e)
	}
}

// A plan with a forecast has one account of its waves: what is counted of it agrees.
func TestWavesAreThoseOfTheForecast(t *testing.T) {
	three := []string{"w1", "w1", "w2"}
	for name, objects := range map[string][]runtime.Object{
		"one at a time":        append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 2, 3, 1, 3)),
		"about to be observed": append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 0, 3, 3, 3, kubetest.Unobserved)),
		"never":                append(kubetest.Ready("shop/api", 3, 3, three), kubetest.Budget("shop/api", 3, 3, 0, 3)),
		"a sick pod that goes": append(kubetest.Ready("shop/api", 3, 2, three), kubetest.Pod("shop/api-9", kubetest.ByDeployment("api"), kubetest.On("w2"), kubetest.Crashing(time.Hour)),
			kubetest.Budget("shop/api", 2, 2, 0, 3)),
	} {
		t.Run(name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(objects, kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w3"))...)
			plan := plantest.New(t, s, plantest.Options(plantest.Force), "w1", "w2")
			e := forecast.Of(s, plan, kubetest.Now)
			turns := plan.WithEstimate(e).Waves()
			var waves []int
			if turns.Now > 0 {
				waves = append(waves, turns.Now)
			}
			for _, turn := range turns.Later {
				waves = append(waves, turn.Pods)
			}
			if !slices.Equal(waves, e.Waves) || turns.Held+turns.Never+turns.Unknown+turns.Left != e.Held {
				t.Errorf("%+v, but the forecast has %v and %d held", turns, e.Waves, e.Held)
			}
		})
	}
}
