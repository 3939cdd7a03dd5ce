package drain

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A node makes progress while one pod of it goes or can go, and is held some time
// after the last that did.
func TestWhenANodeIsHeld(t *testing.T) {
	began := markNoon
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	pod := func(state PodState, wait *Wait, blockedSince time.Time) *PodRun {
		return &PodRun{PodFacts: PodFacts{Node: "a"}, State: state, Wait: wait, blockedSince: blockedSince}
	}
	left := &PodRun{PodFacts: PodFacts{Node: "a"}, State: PodGone, Accepted: at(10), Ended: at(40)}
	crashing := &Wait{For: WaitForBudget, Sibling: &Sibling{Name: "web-2", Reason: "CrashLoopBackOff"}}
	starting := &Wait{For: WaitForBudget, Sibling: &Sibling{Name: "web-2", Reason: reasonNotReady, Starting: true}}
	held := pod(PodBudgetBlocked, crashing, at(1))
	for name, c := range map[string]struct {
		pods  []*PodRun
		acted time.Time
		want  time.Time // zero: it makes progress
	}{
		"one to be looked at":                         {pods: []*PodRun{held, pod(PodPlanned, nil, time.Time{})}},
		"one that waits for a slot":                   {pods: []*PodRun{held, pod(PodPlanned, &Wait{For: WaitForTurn}, time.Time{})}},
		"a request is out":                            {pods: []*PodRun{held, pod(PodRequested, &Wait{For: WaitForAnswer}, time.Time{})}},
		"within its grace":                            {pods: []*PodRun{held, pod(PodTerminating, &Wait{For: WaitForGrace}, time.Time{})}},
		"a sibling crashes":                           {pods: []*PodRun{held}, want: at(1).Add(heldAfter)},
		"a budget never allows it":                    {pods: []*PodRun{pod(PodBudgetBlocked, &Wait{For: WaitForBudget, Never: true}, at(1))}, want: at(1).Add(heldAfter)},
		"a moment after the last has left":            {pods: []*PodRun{held, left}, want: at(40).Add(heldAfter)},
		"a sibling starts: between two waves":         {pods: []*PodRun{pod(PodBudgetBlocked, starting, at(1)), left}, want: at(40).Add(comesUpIn)},
		"one of two waits ends soon":                  {pods: []*PodRun{held, pod(PodBudgetBlocked, starting, at(1))}, want: at(1).Add(comesUpIn)},
		"asked again while it is blocked":             {pods: []*PodRun{pod(PodRequested, &Wait{For: WaitForAnswer}, at(1))}, want: at(1).Add(comesUpIn)},
		"stuck":                                       {pods: []*PodRun{pod(PodStuckTerminating, &Wait{For: WaitForFinalizers}, time.Time{}), left}, want: at(40)},
		"several budgets":                             {pods: []*PodRun{pod(PodMultipleBudgets, &Wait{For: WaitForOneBudget}, at(1))}, want: at(1).Add(heldAfter)},
		"a Job's pod is left to run":                  {pods: []*PodRun{pod(PodPlanned, &Wait{For: WaitForCompletion}, time.Time{})}, want: began.Add(heldAfter)},
		"a server that fails":                         {pods: []*PodRun{pod(PodRetrying, &Wait{For: WaitForServer}, at(1))}, want: at(1).Add(comesUpIn)},
		"an outage is no time in which it was held":   {pods: []*PodRun{held}, acted: at(600), want: at(600).Add(heldAfter)},
		"no pod: the look that closes it is the same": {want: began},
	} {
		t.Run(name, func(t *testing.T) {
			s := &State{Pods: c.pods, onNode: map[string][]int{}, acted: c.acted}
			for i := range c.pods {
				s.onNode["a"] = append(s.onNode["a"], i)
			}
			if got := s.heldFrom(&NodeRun{NodeFacts: NodeFacts{Name: "a"}, Started: began}); !got.Equal(c.want) {
				t.Errorf("held from %s, want %s", got, c.want)
			}
		})
	}
}

// heldFirst is a cluster in which a pod of the first node waits for a sibling that
// crashes, and everything else can go.
func heldFirst() *simulation {
	s := newSimulation()
	s.endAfter, s.readyAfter, s.atOnce = 10*time.Second, 5*time.Second, true
	for _, n := range []string{"w1", "w2", "w3", "spare", "other"} {
		s.addNode(n)
	}
	ready := func(p *corev1.Pod) {
		p.CreationTimestamp.Time = time.Now().Add(-time.Hour)
		p.Status.Conditions[0].LastTransitionTime.Time = time.Now().Add(5*time.Second - time.Hour)
	}
	for _, app := range []string{"cart", "web"} {
		s.addReplicaSet(app, map[string]int32{"cart": 2, "web": 3}[app])
	}
	s.addPod("cart", "w1", ready)
	s.addPod("cart", "other", ready, crashing(time.Hour))
	s.addBudget("cart", 1)
	for _, n := range []string{"w1", "w2", "w3"} {
		s.addPod("web", n, ready)
	}
	s.setNode("other", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	return s
}

func TestAHeldNodeLetsTheNextBegin(t *testing.T) {
	for _, row := range []struct {
		strict    bool
		started   [3]time.Duration // after the first
		forecast  time.Duration
		held      int
		states    [3]NodeState
		ends, max time.Duration
	}{
		{false, [3]time.Duration{0, 15 * time.Second, 25 * time.Second}, 35 * time.Second, 1, [3]NodeState{NodeFailed, NodeDrained, NodeDrained}, 10 * time.Minute, 0},
		{true, [3]time.Duration{0, 10 * time.Minute, 10*time.Minute + 10*time.Second}, 10 * time.Second, 3, [3]NodeState{NodeFailed, NodeDrained, NodeDrained}, 10*time.Minute + 20*time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := heldFirst()
			nodes := []string{"w1", "w2", "w3"}
			o := DefaultOptions()
			o.Timeout, o.StrictOrder = 10*time.Minute, row.strict
			plan, err := NewPlan(s.Snapshot(), nodes, o, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			e := Forecast(s.Snapshot(), plan, time.Now())
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
// holds nobody: the next node begins when the first is through, as it was planned.
func TestNoPlaceIsGivenAwayBetweenWaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.endAfter, s.readyAfter, s.atOnce = time.Second, time.Minute, true
		s.addNode("a")
		s.addNode("b")
		s.addNode("spare")
		s.addReplicaSet("db", 3)
		for range 3 {
			s.addPod("db", "a")
		}
		s.addBudget("db", 2)
		s.addPod("web", "b")
		state := drive(t, s, DefaultOptions(), "a", "b").State()
		if a, b := state.Node("a"), state.Node("b"); a.State != NodeDrained || b.State != NodeDrained || b.Started.Before(a.Ended) {
			t.Errorf("b began at %s, a ended at %s", b.Started, a.Ended)
		}
	})
}
