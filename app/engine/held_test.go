package engine

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/forecast"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// heldFirst is a cluster in which a pod of the first node waits for another that
// crashes, and everything else can go.
func heldFirst() *kubetest.Simulation {
	s := kubetest.NewSimulation()
	s.EndAfter, s.ReadyAfter, s.AtOnce = 10*time.Second, 5*time.Second, true
	for _, n := range []string{"w1", "w2", "w3", "spare", "other"} {
		s.AddNode(n)
	}
	ready := func(p *corev1.Pod) {
		p.CreationTimestamp.Time = time.Now().Add(-time.Hour)
		p.Status.Conditions[0].LastTransitionTime.Time = time.Now().Add(5*time.Second - time.Hour)
	}
	for _, app := range []string{"cart", "web"} {
		s.AddReplicaSet(app, map[string]int32{"cart": 2, "web": 3}[app])
	}
	s.AddPod("cart", "w1", ready)
	s.AddPod("cart", "other", ready, kubetest.Crashing(time.Hour))
	s.AddBudget("cart", 1)
	for _, n := range []string{"w1", "w2", "w3"} {
		s.AddPod("web", n, ready)
	}
	s.SetNode("other", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	return s
}

func TestAHeldNodeLetsTheNextBegin(t *testing.T) {
	for _, row := range []struct {
		strict    bool
		started   [3]time.Duration // after the first
		forecast  time.Duration
		held      int
		states    [3]drain.NodeState
		ends, max time.Duration
	}{
		{false, [3]time.Duration{0, 15 * time.Second, 25 * time.Second}, 35 * time.Second, 1, [3]drain.NodeState{drain.NodeFailed, drain.NodeDrained, drain.NodeDrained}, 10 * time.Minute, 0},
		{true, [3]time.Duration{0, 10 * time.Minute, 10*time.Minute + 10*time.Second}, 10 * time.Second, 3, [3]drain.NodeState{drain.NodeFailed, drain.NodeDrained, drain.NodeDrained}, 10*time.Minute + 20*time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := heldFirst()
			nodes := []string{"w1", "w2", "w3"}
			o := plan.DefaultOptions()
			o.Timeout, o.StrictOrder = 10*time.Minute, row.strict
			plan, err := plan.New(s.Snapshot(), nodes, o, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			e := forecast.Of(s.Snapshot(), plan, time.Now())
			if e.Total.Round(time.Second) != row.forecast || e.Held != row.held {
				t.Errorf("strict %v: forecast %s, %d held, want %s and %d", row.strict, e.Total, e.Held, row.forecast, row.held)
			}
			state := drive(t, s, o, nodes...).State()
			first := state.Nodes[0].Started
			for i, n := range state.Nodes {
				if got := n.Started.Sub(first).Round(time.Second); got != row.started[i] || n.State != row.states[i] {
					t.Errorf("strict %v: %s began after %s, want %s; it is %s", row.strict, n.Name, got, row.started[i], n.State)
				}
			}
			if got := state.Ended.Sub(first).Round(time.Second); got != row.ends {
				t.Errorf("strict %v: the run took %s, want %s", row.strict, got, row.ends)
			}
		})
	}
}

// A budget whose pods go one after the other, each waiting for a slow replacement,
// gives no place away: the next node begins when the first is through, as it was planned.
func TestNoPlaceIsGivenAwayBetweenWaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.EndAfter, s.ReadyAfter, s.AtOnce = time.Second, time.Minute, true
		s.AddNode("a")
		s.AddNode("b")
		s.AddNode("spare")
		s.AddReplicaSet("db", 3)
		for range 3 {
			s.AddPod("db", "a")
		}
		s.AddBudget("db", 2)
		s.AddPod("web", "b")
		state := drive(t, s, plan.DefaultOptions(), "a", "b").State()
		if a, b := state.Node("a"), state.Node("b"); a.State != drain.NodeDrained || b.State != drain.NodeDrained || b.Started.Before(a.Ended) {
			t.Errorf("b began at %s, a ended at %s", b.Started, a.Ended)
		}
	})
}
