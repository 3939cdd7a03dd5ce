package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestManyNodesStayCheap drains ten nodes with 300 pods under six budgets; with
// -cpuprofile it shows where an engine's time goes.
func TestManyNodesStayCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		for i := range 11 {
			s.AddNode(fmt.Sprintf("n%d", i))
		}
		var nodes []string
		for i := range 10 {
			nodes = append(nodes, fmt.Sprintf("n%d", i))
		}
		for i := range 300 {
			s.AddPod(fmt.Sprintf("app%d", i%6), nodes[i%10])
		}
		for app := range 6 {
			s.AddBudget(fmt.Sprintf("app%d", app), 45)
		}
		o := plan.DefaultOptions()
		o.MaxParallelNodes = 10
		e := drive(t, s, o, nodes...)
		if e.State().Outcome != drain.OutcomeDone || len(s.Evictions) != 300 {
			t.Errorf("outcome %q, %d evictions", e.State().Outcome, len(s.Evictions))
		}
		// What is told of a blocked pod is bounded by time, not by the changes of
		// its budget: ten seconds of waiting for 300 pods.
		if n := len(e.Events(0)); n > 12000 {
			t.Errorf("%d events", n)
		}
		t.Logf("%d events", len(e.Events(0)))
	})
}

// Looks that take long do not take a core: they are fewer, up to the longest that a change may wait.
func TestPauseBoundsTheShareOfLooks(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: lookEvery, 300 * time.Microsecond: lookEvery, 3 * time.Millisecond: 48 * time.Millisecond,
		20 * time.Millisecond: 320 * time.Millisecond, time.Second: lookAtLeast,
	} {
		if got := pause(took); got != want {
			t.Errorf("%s after the start of a look of %s, want %s", got, took, want)
		}
	}
}
