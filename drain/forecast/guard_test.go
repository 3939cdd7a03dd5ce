package forecast

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The run's own guard is counted in the plan's waves and in the forecast: api are
// six on w1 and w2, of which one in four, so two, may be away.
func TestPlanCountsTheGuard(t *testing.T) {
	quarter := func(o *plan.Options) { o.Guard = "25%" }
	nodes := []runtime.Object{kubetest.Node("w1"), kubetest.Node("w2"), kubetest.Node("w3", kubetest.Roomy)}
	six := func(options ...kubetest.PodOption) []runtime.Object {
		return kubetest.API(append(options, kubetest.Came(5*time.Second))...)
	}
	single := append(kubetest.DeploymentOf("shop/one", kubetest.Came(5*time.Second)), nodes...)
	table := []struct {
		name    string
		objects []runtime.Object
		o       plan.Options
		turns   string
		waves   []int // of the forecast
		held    int
	}{
		{"no guard", six(), plantest.Options(), "6 now", []int{6}, 0},
		{"two at a time", six(), plantest.Options(quarter), "2 now, 2 after api is Ready, then 2", []int{2, 2, 2}, 0},
		{"a number", six(), plantest.Options(func(o *plan.Options) { o.Guard = "4" }), "4 now, 2 after api is Ready", []int{4, 2}, 0},
		{"made real for the time of the run", six(), plantest.Options(quarter, func(o *plan.Options) { o.GuardWrite = true }), "2 now, 2 after api is Ready, then 2", []int{2, 2, 2}, 0},
		{"a budget comes first", append(six(), kubetest.Budget("shop/api", 5, 6, 1, 6)), plantest.Options(quarter),
			"1 now, 1 after api is Ready, then 1, then 1, then 1, then 1", []int{1, 1, 1, 1, 1, 1}, 0},
		{"past all budgets there is no guard", six(), plantest.Options(quarter, plantest.DisableEviction), "6 now", []int{6}, 0},
		{"one replica is not guarded", single, plantest.Options(quarter), "1 now", []int{1}, 0},
		{"pods without a controller are not guarded", []runtime.Object{kubetest.Pod("shop/a"), kubetest.Pod("shop/b")}, plantest.Options(quarter, plantest.Force), "2 now", []int{2}, 0},
		{"the sick go past the guard", append(six(), kubetest.Pod("shop/api-7", kubetest.ByDeployment("api"), kubetest.On("w1"), kubetest.Crashing(time.Hour))), plantest.Options(quarter),
			"3 now, 2 after api is Ready, then 2", []int{3, 2, 2}, 0},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			o := row.o
			o.MaxParallelNodes = 2
			s := kubetest.SnapshotOf(kubetest.Now, slices.Concat(row.objects, nodes)...)
			plan := plantest.New(t, s, o, "w1", "w2")
			if got := plan.Waves().String(); got != row.turns {
				t.Errorf("the plan says %q, want %q", got, row.turns)
			}
			e := Of(s, plan, kubetest.Now)
			if !slices.Equal(e.Waves, row.waves) || e.Held != row.held {
				t.Errorf("the forecast has %v and %d held, want %v and %d", e.Waves, e.Held, row.waves, row.held)
			}
		})
	}
}
