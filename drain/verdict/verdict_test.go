package verdict

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func answer(b *bool) string {
	if b == nil {
		return "unknown"
	}
	return fmt.Sprint(*b)
}

func TestPlanCompletes(t *testing.T) {
	naked := kubetest.Pod("shop/x-1")
	denied := func(s *kube.Store) { s.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied}) }
	table := []struct {
		name    string
		objects []runtime.Object
		change  func(*kube.Store)
		o       plan.Options
		want    string
	}{
		{"empty node", nil, nil, plantest.Options(), "true"},
		{"free pods", kubetest.API(), nil, plantest.Options(), "true"},
		{"a budget that must be waited for", append(kubetest.API(), kubetest.Budget("shop/api", 5, 5, 0, 6)), nil, plantest.Options(), "true"},
		{"refused pod", append(kubetest.API(), naked), nil, plantest.Options(), "false"},
		{"never", append(kubetest.API(), kubetest.Budget("shop/api", 6, 6, 0, 6)), nil, plantest.Options(), "false"},
		{"never, but deleted", append(kubetest.API(), kubetest.Budget("shop/api", 6, 6, 0, 6)), nil, plantest.Options(plantest.DisableEviction), "true"},
		{"budgets unknown", kubetest.API(), denied, plantest.Options(), "unknown"},
		{"budgets unknown and a refused pod", append(kubetest.API(), naked), denied, plantest.Options(), "false"},
		{"budgets unknown, but deleted", kubetest.API(), denied, plantest.Options(plantest.DisableEviction), "true"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			store := kubetest.StoreOf(kubetest.Now, append(row.objects, kubetest.Node("w1"))...)
			if row.change != nil {
				row.change(store)
			}
			planned := plantest.New(t, store.Snapshot(), row.o, "w1")
			if answer(Of(&planned).Completes()) != row.want || answer(OfNode(&planned.Nodes[0]).Completes()) != row.want {
				t.Errorf("plan %s, node %s, want %s", answer(Of(&planned).Completes()), answer(OfNode(&planned.Nodes[0]).Completes()), row.want)
			}
			preview, _ := plan.NewPreviews(store.Snapshot(), kubetest.Now).Assume("w1", row.o)
			if answer(OfNode(&preview).Completes()) != row.want {
				t.Errorf("preview %s, want %s", answer(OfNode(&preview).Completes()), row.want)
			}
		})
	}
}

// What a drain would come to is said in one sentence, and a drain that cannot end is never said to
// complete.
func TestVerdict(t *testing.T) {
	held := kubetest.Pod("shop/old", kubetest.ByDeployment("api"), kubetest.On("w1"), kubetest.Deleted(17*time.Minute))
	held.Finalizers = []string{"example.com/archive"}
	data := append(kubetest.Ready("shop/cache", 1, 1, []string{"w1"}, kubetest.WithEmptyDir), kubetest.Node("w1"), kubetest.Node("w2", kubetest.Roomy))
	for name, c := range map[string]struct {
		objects []runtime.Object
		o       plan.Options
		access  bool
		want    string
	}{
		"complete":  {[]runtime.Object{kubetest.Node("w1")}, plantest.Options(), true, "Complete: A drain would complete"},
		"forbidden": {[]runtime.Object{kubetest.Node("w1")}, plantest.Options(), false, "Forbidden: A drain would not begin: ada may not patch nodes"},
		"finalizer": {[]runtime.Object{kubetest.Node("w1"), held}, plantest.Options(), true, "Never: A drain would not complete by itself: 1 stuck"},
		"silent":    {append(kubetest.API(), kubetest.Node("w1", kubetest.Silent)), plantest.Options(), true, "Never: A drain would not complete by itself: 3 stuck"},
		"silent, no grace": {append(kubetest.API(), kubetest.Node("w1", kubetest.Silent)), plantest.Options(func(o *plan.Options) { o.GracePeriodSeconds = 0 }),
			true, "Waits: A drain would complete once w1 can end its pods: it is not Ready"},
		"left behind": {[]runtime.Object{kubetest.Node("w1"), held}, plantest.Options(func(o *plan.Options) { o.SkipWaitForDelete = time.Second }), true,
			"Complete: A drain would complete"},
		"costs": {data, plantest.Options(plantest.DeleteEmptyDir), true,
			"Costs: A drain would complete at a cost: 1 down until Ready, 1 loses data"},
		"refused": {data, plantest.Options(), true, "Refused: A drain would not complete by itself: 1 refused"},
	} {
		planned := plantest.New(t, kubetest.SnapshotOf(kubetest.Now, c.objects...), c.o, "w1")
		if !c.access {
			planned.Findings = []plan.Finding{{Code: plan.FindingAccess, Message: "ada may not patch nodes"}}
		}
		if v := Of(&planned); fmt.Sprintf("%s: %s%s", v.End, v.Head, v.Tail) != c.want {
			t.Errorf("%s: %+v, want %s", name, v, c.want)
		}
	}
}
