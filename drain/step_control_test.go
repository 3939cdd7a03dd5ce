package drain

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPauseSendsNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 4 {
			s.addPod("web", "a")
		}
		s.addBudget("web", 3)
		e := begin(t, t.Context(), s, DefaultOptions(), "a")
		s.later(1500*time.Millisecond, func() { e.Send(Control{Kind: ControlPause, By: "ada"}) })
		sent := 0
		s.later(2*time.Second, func() { sent = len(s.evictions) })
		s.later(time.Minute, func() {
			if len(s.evictions) != sent {
				t.Errorf("%d evictions while paused", len(s.evictions)-sent)
			}
			e.Send(Control{Kind: ControlContinue, By: "ada"})
		})
		confirmAll(t.Context(), s, e)
		if e.State().Outcome != OutcomeDone || sent == 0 || sent == 4 {
			t.Errorf("outcome %q, %d sent before the pause", e.State().Outcome, sent)
		}
	})
}

func TestSkipRetryLastAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addNode("c")
		held := s.addPod("held", "a")
		s.addBudget("held", 1)
		first := s.addPod("web", "a")
		second := s.addPod("web", "a")
		s.addPod("other", "b")
		s.addBudget("web", 1)
		e := begin(t, t.Context(), s, DefaultOptions(), "a", "b")
		e.Send(Control{Kind: ControlLast, Pod: first.UID, By: "ada"})
		s.later(5*time.Second, func() { e.Send(Control{Kind: ControlRetry, Pod: held.UID, By: "ada"}) })
		s.later(6*time.Second, func() {
			if p := e.State().Pod(held.UID); p.Attempts != 1 || p.Refusals != 1 {
				t.Errorf("retry now: %d attempts, %d refused", p.Attempts, p.Refusals)
			}
			e.Send(Control{Kind: ControlSkip, Pod: held.UID, By: "ada"})
		})
		confirmAll(t.Context(), s, e)
		if s.accepted[0] != second.Name {
			t.Errorf("evicted %v: %s was put last", s.accepted, first.Name)
		}
		state := e.State()
		if state.Pod(held.UID).State != PodSkipped || state.Node("a").State != NodeStopped || state.Outcome != OutcomePartly {
			t.Errorf("pod %s, node %s, outcome %s", state.Pod(held.UID).State, state.Node("a").State, state.Outcome)
		}
		if state.Node("b").State != NodeDrained {
			t.Errorf("node b %s", state.Node("b").State)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addPod("held", "a")
		s.addBudget("held", 1)
		e := begin(t, t.Context(), s, DefaultOptions(), "a")
		s.later(5*time.Second, func() { e.Send(Control{Kind: ControlLeave, Node: "a", By: "ada"}) })
		confirmAll(t.Context(), s, e)
		if n := e.State().Node("a"); n.State != NodeStopped || len(s.accepted) != 0 {
			t.Errorf("node %s, evicted %v", n.State, s.accepted)
		}
	})
}
