package drain

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestBudgetWait(t *testing.T) {
	sick := crashing(4 * time.Minute)
	table := []struct {
		name    string
		objects []runtime.Object
		want    WaitFor
		never   bool
		budgets []string
		sibling bool
	}{
		{"sick sibling", append(cart(well, sick, well), givenBudget("shop/cart", 2, 2, 0, 3)), WaitForBudget, false, nil, true},
		{"never", append(cart(well, well, well), givenBudget("shop/cart", 3, 3, 0, 3)), WaitForBudget, true, nil, false},
		{"not observed", append(cart(well, well, well), givenBudget("shop/cart", 2, 3, 1, 3, unobserved)), WaitForObserved, false, nil, false},
		{"several", append(cart(well, well, well), givenBudget("shop/cart", 2, 3, 1, 3), givenBudget("shop/all", 2, 3, 1, 3, selectsAll)), WaitForOneBudget, false, []string{"all", "cart"}, false},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kube.SnapshotOf(givenNow, row.objects...)
			w := budgetWait(newLedger(s, givenNow), s.PodNamed("shop", "cart-1"))
			if w == nil || w.For != row.want || w.Never != row.never || !slices.Equal(w.Budgets, row.budgets) || (w.Sibling != nil) != row.sibling {
				t.Fatalf("wait %+v", w)
			}
			if row.budgets == nil && (w.Budget == nil || w.Budget.Name != "cart" || w.Budget.Expected != 3) {
				t.Errorf("budget %+v", w.Budget)
			}
		})
	}

	for _, sync := range []kube.SyncState{{Phase: kube.Denied, Reason: "forbidden"}, {Phase: kube.NotSynced}} {
		store := kube.StoreOf(givenNow, givenPod("shop/cart-1"))
		store.SetSync(kube.KindBudgets, sync)
		s := store.Snapshot()
		if w := budgetWait(newLedger(s, givenNow), s.PodNamed("shop", "cart-1")); w != nil {
			t.Errorf("%v: wait %+v", sync.Phase, w)
		}
	}
}
