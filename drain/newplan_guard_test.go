package drain

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The run's own guard is counted in the plan's waves and in the forecast: api are
// six on w1 and w2, of which one in four, so two, may be away.
func TestPlanCountsTheGuard(t *testing.T) {
	quarter := func(o *Options) { o.Guard = "25%" }
	nodes := []runtime.Object{givenNode("w1"), givenNode("w2"), givenNode("w3", roomy)}
	six := func(options ...podOption) []runtime.Object { return api(append(options, came(5*time.Second))...) }
	single := append(deploymentOf("shop/one", came(5*time.Second)), nodes...)
	table := []struct {
		name    string
		objects []runtime.Object
		o       Options
		turns   string
		waves   []int // of the forecast
		held    int
	}{
		{"no guard", six(), flags(), "now 6", []int{6}, 0},
		{"two at a time", six(), flags(quarter), "now 2, after api is Ready 2, then 2", []int{2, 2, 2}, 0},
		{"a number", six(), flags(func(o *Options) { o.Guard = "4" }), "now 4, after api is Ready 2", []int{4, 2}, 0},
		{"made real for the time of the run", six(), flags(quarter, func(o *Options) { o.GuardWrite = true }), "now 2, after api is Ready 2, then 2", []int{2, 2, 2}, 0},
		{"a budget comes first", append(six(), givenBudget("shop/api", 5, 6, 1, 6)), flags(quarter),
			"now 1, after api is Ready 1, then 1, then 1, then 1, then 1", []int{1, 1, 1, 1, 1, 1}, 0},
		{"past all budgets there is no guard", six(), flags(quarter, disableEviction), "now 6", []int{6}, 0},
		{"one replica is not guarded", single, flags(quarter), "now 1", []int{1}, 0},
		{"pods without a controller are not guarded", []runtime.Object{givenPod("shop/a"), givenPod("shop/b")}, flags(quarter, force), "now 2", []int{2}, 0},
		{"the sick go past the guard", append(six(), givenPod("shop/api-7", byDeployment("api"), on("w1"), crashing(time.Hour))), flags(quarter),
			"now 3, after api is Ready 2, then 2", []int{3, 2, 2}, 0},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			o := row.o
			o.MaxParallelNodes = 2
			s := kube.SnapshotOf(givenNow, slices.Concat(row.objects, nodes)...)
			plan := mustPlan(t, s, o, "w1", "w2")
			if got := plan.Turns().String(); got != row.turns {
				t.Errorf("the plan says %q, want %q", got, row.turns)
			}
			e := Forecast(s, plan, givenNow)
			if !slices.Equal(e.Waves, row.waves) || e.Held != row.held {
				t.Errorf("the forecast has %v and %d held, want %v and %d", e.Waves, e.Held, row.waves, row.held)
			}
		})
	}
}

// A guard that has nothing to give says so, and whose trouble it is.
func TestPlanNamesWhomTheGuardWaitsFor(t *testing.T) {
	o := flags(func(o *Options) { o.Guard = "1" })
	table := []struct {
		name   string
		third  podOption
		why    string
		turns  string
		advice string
	}{
		{"room", well, "the guard over Deployment/cart needs 2 healthy pods and has 3: it allows 1 now", "now 1", ""},
		{"a crash loop elsewhere", crashing(4 * time.Minute),
			`the guard over Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is not Ready for 4m: "CrashLoopBackOff" (exit code 1)`,
			"once cart-3 is well 1", "kubectl delete pod -n shop cart-3"},
		{"one that goes", deleted(-10 * time.Second), "the guard over Deployment/cart needs 2 healthy pods and has 2; cart-3 on w3 is terminating for 20s",
			"once cart-3 is well 1", ""},
		{"one that was not made", phase(corev1.PodSucceeded), "the guard over Deployment/cart needs 2 healthy pods and has 2; its other pods are not made yet",
			"once the guard over Deployment/cart allows it 1", ""},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, append(cart(well, well, row.third), givenNode("w1"), givenNode("w3"))...)
			plan := mustPlan(t, s, o, "w1")
			pod := plan.Nodes[0].Pods[0]
			if pod.Budget.Why != row.why {
				t.Errorf("why:\n%s, want\n%s", pod.Budget.Why, row.why)
			}
			if got := plan.Turns().String(); got != row.turns {
				t.Errorf("turns %q, want %q", got, row.turns)
			}
			if got := slices.Concat(commands(pod.Advice), []string{""})[0]; got != row.advice {
				t.Errorf("advice %q, want %q", got, row.advice)
			}
			if plan.Drainable == nil || !*plan.Drainable {
				t.Error("a guard makes no node undrainable")
			}
		})
	}
}
