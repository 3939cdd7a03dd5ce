package surge

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A pod under one budget waits for what a surge is to remove from it; one under two budgets is evicted by neither.
func TestASurplusHoldsPodsOfOneBudget(t *testing.T) {
	for _, others := range []int{0, 1} {
		objects := append(deployed(nil), kubetest.Budget("shop/web", 1, 2, 1, 2))
		if others > 0 {
			objects = append(objects, kubetest.Budget("shop/all", 1, 2, 1, 2, kubetest.SelectsAll))
		}
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		p := s.PodNamed("shop", "web-1")
		until := kubetest.Now.Add(time.Second)
		surplus := &Surplus{counts: map[kube.UID]counted{s.BudgetNamed("shop", "web").UID: {pods: 1, until: until}}}
		held := surplus.Holds(s, p, func(*kube.Budget) int { return 1 })
		if len(s.BudgetsOf(p)) != 1+others || (held != nil) != (others == 0) || held != nil && !held.Equal(until) {
			t.Errorf("beside %d others: held until %v", others, held)
		}
	}
}

// The status of a budget counts a replacement that the watch of the pods does not show Ready yet: it is removed for
// another pod at the end of the surge all the same.
func TestASurplusCountsWhatOnlyTheBudgetShows(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts int32 // healthy pods, by the budget
		out    bool  // web-2 was evicted, and the status shows it before the pod does
		want   int
	}{
		{"the status is as the pods are", 2, false, 0},
		{"it counts one more", 3, false, 1},
		{"it counts more than the surge has made: pods that are no longer Ready", 9, false, 7},
		{"it no longer counts the pod that goes", 2, true, 1},
	} {
		web := kubetest.Pod("shop/web-2", kubetest.ByDeployment("web"), kubetest.On("w1"))
		objects := append(deployed(func(d *appsv1.Deployment) {
			*d.Spec.Replicas, d.Annotations = 4, map[string]string{kube.SurgeAnnotation: raisedMark}
		}), web, kubetest.Budget("shop/web", 1, c.counts, 1, c.counts))
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		v := View{Run: "r1", Snap: s, Now: kubetest.Now, Out: func(_ *kube.Budget, uid kube.UID) bool {
			return c.out && uid == kube.UID(web.UID)
		}}
		all := Records{raised(s)}.Surplus(v)
		if got := all.counts[s.BudgetNamed("shop", "web").UID].pods; got != c.want {
			t.Errorf("%s: %d pods too many, want %d", c.name, got, c.want)
		}
	}
}
