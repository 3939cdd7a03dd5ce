package forecast

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The forecast plays the rule that chosen pods of DaemonSets leave last: their wave is the one after the others', and
// they are held where those are.
func TestPodsThatGoLast(t *testing.T) {
	for _, c := range []struct {
		needs, allowed int32
		waves          string
		wave           int
	}{
		{2, 1, "1 now, 1 after api is Ready, then 1, 1 after all others of their node", 4},
		{3, 0, "1 once they are no longer blocked, 3 blocked", 0},
	} {
		objects := append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w1", "w1"}), kubetest.Budget("shop/api", c.needs, 3, c.allowed, 3),
			kubetest.DaemonSet("shop/agent"), kubetest.Pod("shop/agent-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "agent"), kubetest.On("w1")),
			kubetest.Node("w1", kubetest.Roomy), kubetest.Node("w2", kubetest.Roomy))
		s := kubetest.SnapshotOf(kubetest.Now, objects...)
		o := plantest.Options(func(o *plan.Options) {
			if err := o.Flags().Set("evict-daemonsets", "app=agent"); err != nil {
				t.Fatal(err)
			}
		})
		planned := plantest.New(t, s, o, "w1")
		planned = planned.WithEstimate(Of(s, planned, kubetest.Now))
		if got := planned.Waves().String(); got != c.waves {
			t.Errorf("%q, want %q", got, c.waves)
		}
		plan.EachMove(planned, func(pod *plan.Pod) {
			if pod.GoesLast() && pod.Wave != c.wave {
				t.Errorf("wave %d, want %d", pod.Wave, c.wave)
			}
		})
	}
}
