package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestPauseSendsNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 4 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 3)
		e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
		s.Later(1500*time.Millisecond, func() { e.Send(drain.Command{Kind: drain.CommandPause, By: "ada"}) })
		sent := 0
		s.Later(2*time.Second, func() { sent = len(s.Evictions) })
		s.Later(time.Minute, func() {
			if len(s.Evictions) != sent {
				t.Errorf("%d evictions while paused", len(s.Evictions)-sent)
			}
			e.Send(drain.Command{Kind: drain.CommandContinue, By: "ada"})
		})
		confirmAll(t.Context(), s, e)
		if e.State().Outcome != drain.OutcomeDone || sent == 0 || sent == 4 {
			t.Errorf("outcome %q, %d sent before the pause", e.State().Outcome, sent)
		}
	})
}

func TestSkipRetryLastAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddNode("c")
		held := s.AddPod("held", "a")
		s.AddBudget("held", 1)
		first := s.AddPod("web", "a")
		second := s.AddPod("web", "a")
		s.AddPod("other", "b")
		s.AddBudget("web", 1)
		e := begin(t, t.Context(), s, plan.DefaultOptions(), "a", "b")
		e.Send(drain.Command{Kind: drain.CommandLast, Pod: first.UID, By: "ada"})
		s.Later(5*time.Second, func() { e.Send(drain.Command{Kind: drain.CommandRetry, Pod: held.UID, By: "ada"}) })
		s.Later(6*time.Second, func() {
			if p := e.State().Pod(held.UID); p.Attempts != 1 || p.Refusals != 1 {
				t.Errorf("retry now: %d attempts, %d refused", p.Attempts, p.Refusals)
			}
			e.Send(drain.Command{Kind: drain.CommandSkip, Pod: held.UID, By: "ada"})
		})
		confirmAll(t.Context(), s, e)
		if s.Accepted[0] != second.Name {
			t.Errorf("evicted %v: %s was put last", s.Accepted, first.Name)
		}
		state := e.State()
		if state.Pod(held.UID).State != eviction.Skipped || state.Node("a").State != drain.NodeStopped || state.Outcome != drain.OutcomePartly {
			t.Errorf("pod %s, node %s, outcome %s", state.Pod(held.UID).State, state.Node("a").State, state.Outcome)
		}
		if state.Node("b").State != drain.NodeDrained {
			t.Errorf("node b %s", state.Node("b").State)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("held", "a")
		s.AddBudget("held", 1)
		e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
		s.Later(5*time.Second, func() { e.Send(drain.Command{Kind: drain.CommandLeave, Node: "a", By: "ada"}) })
		confirmAll(t.Context(), s, e)
		if n := e.State().Node("a"); n.State != drain.NodeStopped || len(s.Accepted) != 0 {
			t.Errorf("node %s, evicted %v", n.State, s.Accepted)
		}
	})
}
