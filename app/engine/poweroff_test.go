package engine

import (
	"testing"
	"testing/synctest"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A drain of some pods ends well, and says which pods it left.
func TestADrainBySelectorIsNotSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		api := s.AddPod("api", "a")
		o := plan.DefaultOptions()
		if err := o.Flags().Set("pod-selector", "app=web"); err != nil {
			t.Fatal(err)
		}
		e := begin(t, t.Context(), s, o, "a")
		confirmAll(t.Context(), s, e)
		n := e.State().Nodes[0]
		if n.State != drain.NodeDrained || n.SafeToPowerOff() || n.PowerOff == nil || n.PowerOff.Why[0].Object != "Pod/default/"+api.Name {
			t.Errorf("%s, safe %v, %+v", n.State, n.SafeToPowerOff(), n.PowerOff)
		}
	})
}
