package waits

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestBudgetWait(t *testing.T) {
	well := kubetest.Cart(kubetest.Well, kubetest.Well, kubetest.Well)
	under := func(pods []runtime.Object, budgets ...runtime.Object) []runtime.Object {
		return slices.Concat(pods, budgets)
	}
	sick := kubetest.Cart(kubetest.Well, kubetest.Crashing(4*time.Minute), kubetest.Well)
	controlled := kubetest.ControlledBy("example.org/v1", "Cache", "c")
	table := []struct {
		name         string
		objects      []runtime.Object
		want         For
		never        bool
		budgets      []string
		unhealthyPod bool
	}{
		{"unhealthy pod", under(sick, kubetest.Budget("shop/cart", 2, 2, 0, 3)), ForBudget, false, nil, true},
		{"never", under(well, kubetest.Budget("shop/cart", 3, 3, 0, 3)), ForBudget, true, nil, false},
		{"managed", under(well, kubetest.Budget("shop/cart", 3, 3, 0, 3, controlled)), ForBudget, false, nil, false},
		{"not observed", under(well, kubetest.Budget("shop/cart", 2, 3, 1, 3, kubetest.Unobserved)),
			ForObserved, false, nil, false},
		{"several", under(well, kubetest.Budget("shop/cart", 2, 3, 1, 3),
			kubetest.Budget("shop/all", 2, 3, 1, 3, kubetest.SelectsAll)), ForOneBudget, false, []string{"all", "cart"}, false},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.objects...)
			w := UnderBudgets(budget.NewTracker(s, kubetest.Now), s.PodNamed("shop", "cart-1"))
			if w == nil || w.For != row.want || w.Never != row.never || !slices.Equal(w.Budgets, row.budgets) ||
				(w.UnhealthyPod != nil) != row.unhealthyPod {
				t.Fatalf("wait %+v", w)
			}
			managed := ""
			if row.name == "managed" {
				managed = "budget cart is controlled by Cache c; its controller decides when it opens"
			}
			if w.Managed != managed || managed != "" && w.Sentence(kubetest.Now) != managed {
				t.Errorf("managed %q: %s", w.Managed, w.Sentence(kubetest.Now))
			}
			if row.budgets == nil && (w.Budget == nil || w.Budget.Name != "cart" || w.Budget.Expected != 3) {
				t.Errorf("budget %+v", w.Budget)
			}
		})
	}

	for _, sync := range []kube.SyncState{{Phase: kube.Denied, Reason: "forbidden"}, {Phase: kube.NotSynced}} {
		store := kubetest.StoreOf(kubetest.Now, kubetest.Pod("shop/cart-1"))
		store.SetSync(kube.KindBudgets, sync)
		s := store.Snapshot()
		if w := UnderBudgets(budget.NewTracker(s, kubetest.Now), s.PodNamed("shop", "cart-1")); w != nil {
			t.Errorf("%v: wait %+v", sync.Phase, w)
		}
	}
}

// A reader sees from the figures alone why a pod waits.
func TestFiguresOfABudgetThatIsWaitedFor(t *testing.T) {
	for want, n := range map[string]budget.Numbers{
		"budget web needs 7, has 9, allows 0":                  {Name: "web", Needed: 7, Present: 9},
		"budget web needs 7, has 9, minus evictions under way": {Name: "web", Needed: 7, Present: 9, Allowed: 2},
		"budget web needs 7, has 7":                            {Name: "web", Needed: 7, Present: 7},
	} {
		if got := (&Wait{For: ForBudget, Budget: &n}).Sentence(kubetest.Now); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}
