package drain

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// confirmUntil confirms every question of the run until its state holds something.
func confirmUntil(t *testing.T, e *Engine, what string, holds func(*State) bool) *State {
	t.Helper()
	changed := e.Changed(t.Context())
	patience := time.NewTimer(time.Hour)
	defer patience.Stop()
	for {
		state := e.State()
		if holds(state) {
			return state
		}
		if q := state.Question; q != nil {
			e.Send(Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
		}
		select {
		case <-changed:
		case <-patience.C:
			t.Fatalf("the run does not come to where %s: %s", what, standing(e))
		}
	}
}

func ended(s *State) bool { return s.Outcome != "" }

// climb takes a rung as an operator does who reads it on a screen.
func climb(t *testing.T, e *Engine, kind RungKind, pod kube.UID) {
	t.Helper()
	for _, r := range Ladder(e.State(), e.config.Source.Snapshot(), pod, time.Now()) {
		if r.Kind == kind {
			if r.Off != "" {
				t.Fatalf("%s is off: %s", kind, r.Off)
			}
			e.Send(Control{Kind: ControlClimb, Pod: pod, Rung: r.RungFacts, Word: r.Word, By: "ada", OnScreen: true})
		}
	}
}

// blockedBySize is a drain of node a whose one pod a budget holds that needs both
// replicas; it comes back with the run once the pod is blocked.
func blockedBySize(t *testing.T, w func(*simulation) kube.Writer) (*simulation, *Engine, *corev1.Pod) {
	t.Helper()
	s := newSimulation()
	s.addNode("a")
	s.addNode("b")
	p := s.addPod("web", "a")
	s.addPod("web", "b")
	s.replicas["web"] = 2
	s.putReplicaSet("web", false)
	s.addBudget("web", 2)
	e := beginWith(t, t.Context(), s, w(s), DefaultOptions(), "a")
	confirmUntil(t, e, "the pod is blocked", func(state *State) bool { return state.Pods[0].State == PodBudgetBlocked })
	return s, e, p
}

func itself(s *simulation) kube.Writer { return s }

func (s *simulation) has(app string) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replicas[app]
}

func (s *simulation) somebodyScales(app string, to int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scaleTo(app, to, false)
}

func TestOneMoreReplicaLetsThePodGoAndIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, p := blockedBySize(t, itself)
		climb(t, e, RungScale, p.UID)
		state := confirmUntil(t, e, "it has ended", ended)
		<-e.Done()
		s.halt()
		if state.Outcome != OutcomeDone || state.Rungs[0].State != RungUndone || s.has("web") != 2 || len(s.scaled) != 2 {
			t.Errorf("%s, %+v, %d replicas, %+v", state.Outcome, state.Rungs[0], s.has("web"), s.scaled)
		}
		if r := state.Rungs[0]; r.For != "default/web-1" || r.What() != "ReplicaSet default/web from 2 to 3 replicas" {
			t.Errorf("a rung for %s: %s", r.For, r.What())
		}
	})
}

func TestReplicasAfterAnAbort(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*simulation)
		replicas  int32
		state     RungState
		requests  int
	}{
		"ours are taken back":                       {func(*simulation) {}, 2, RungUndone, 2},
		"changed by somebody: left alone":           {func(s *simulation) { s.somebodyScales("web", 5) }, 5, RungKept, 1},
		"set to the same by somebody: left alone":   {func(s *simulation) { s.somebodyScales("web", 3) }, 3, RungKept, 1},
		"taken back by somebody already: no matter": {func(s *simulation) { s.somebodyScales("web", 2) }, 2, RungKept, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, e, p := blockedBySize(t, itself)
				s.readyAfter = time.Hour
				climb(t, e, RungScale, p.UID)
				confirmUntil(t, e, "the rung is done", func(state *State) bool { return len(state.Rungs) == 1 && state.Rungs[0].State == RungDone })
				c.meanwhile(s)
				e.Send(Control{Kind: ControlAbort, By: "ada"})
				state := confirmUntil(t, e, "it has ended", ended)
				<-e.Done()
				s.halt()
				if s.has("web") != c.replicas || state.Rungs[0].State != c.state || len(s.scaled) != c.requests {
					t.Errorf("%d replicas, %+v, %+v", s.has("web"), state.Rungs[0], s.scaled)
				}
			})
		})
	}
}

func TestAKilledRunLeavesItsReplicasToResumeAndRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		killed := &atomic.Bool{}
		s, e, p := blockedBySize(t, func(s *simulation) kube.Writer { return mortalWriter{s, killed} })
		s.readyAfter = time.Hour
		climb(t, e, RungScale, p.UID)
		state := confirmUntil(t, e, "the rung is done", func(state *State) bool { return len(state.Rungs) == 1 && state.Rungs[0].State == RungDone })
		killed.Store(true)
		events := e.Events(0)
		e.Send(Control{Kind: ControlAbort, By: "ada"})
		<-e.Done() // it tried, and its requests were lost
		undos := RollbackPlan(state, s.Snapshot(), time.Now())
		if len(undos) != 2 || undos[0].Scale == nil || undos[0].Scale.From != 3 || undos[0].Scale.To != 2 {
			t.Errorf("%+v", undos)
		}
		again, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		again.Send(Control{Kind: ControlAbort, By: "ada"})
		<-again.Done()
		s.halt()
		if s.has("web") != 2 || again.State().Rungs[0].State != RungUndone {
			t.Errorf("%d replicas, %+v", s.has("web"), again.State().Rungs[0])
		}
		left := RollbackPlan(state, s.Snapshot(), time.Now())[0]
		if left.Scale != nil || left.Left != "it has that number already" {
			t.Errorf("%+v", left)
		}
	})
}

// declaredOff is a run whose only pod ends on a node that is declared off. ready
// says whether its kubelet reports.
func declaredOff(t *testing.T) (s *simulation, e *Engine, ready func(corev1.ConditionStatus)) {
	t.Helper()
	s = newSimulation()
	s.endAfter = time.Hour
	s.addNode("a")
	s.addNode("b")
	p := s.addPod("web", "a")
	e = begin(t, t.Context(), s, DefaultOptions(), "a")
	confirmUntil(t, e, "it is ending", func(state *State) bool { return state.Pods[0].State == PodTerminating })
	ready = func(status corev1.ConditionStatus) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.setNode("a", func(n *corev1.Node) { n.Status.Conditions[0].Status = status })
	}
	ready(corev1.ConditionUnknown)
	confirmUntil(t, e, "its kubelet is silent", func(state *State) bool {
		return state.Pods[0].Wait != nil && state.Pods[0].Wait.For == WaitForKubelet
	})
	climb(t, e, RungTaint, p.UID)
	state := confirmUntil(t, e, "the taint is there", func(state *State) bool { return len(state.Rungs) == 1 && state.Rungs[0].State == RungDone })
	if undo := RollbackPlan(state, s.Snapshot(), time.Now())[0]; undo.Taint == nil || len(undo.Taint.Taints) != 0 || undo.Taint.Mark != "" {
		t.Errorf("%+v", undo)
	}
	return s, e, ready
}

func TestTheTaintGoesWhenTheNodeReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, ready := declaredOff(t)
		ready(corev1.ConditionTrue)
		confirmUntil(t, e, "the taint is gone", func(state *State) bool { return state.Rungs[0].State == RungUndone })
		if node := s.Snapshot().Node("a"); node.OutOfService() || node.Annotations[kube.OutOfServiceAnnotation] != "" {
			t.Errorf("%+v", node)
		}
		e.Send(Control{Kind: ControlAbort, By: "ada"})
		<-e.Done()
		s.halt()
	})
}

// A machine that stays off keeps the taint after the end of the run, and the run
// says so, with the command that takes it off.
func TestTheTaintOfAMachineThatStaysOffIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, _ := declaredOff(t)
		e.Send(Control{Kind: ControlAbort, By: "ada"})
		<-e.Done()
		s.halt()
		state := e.State()
		r := state.Rungs[0]
		if want := "its machine has not come back; once it has: kubectl --context=lab taint node a node.kubernetes.io/out-of-service=nodeshutdown:NoExecute-"; r.State != RungLeft || r.Message != want {
			t.Errorf("%s: %q, want %q", r.State, r.Message, want)
		}
		if !s.Snapshot().Node("a").OutOfService() {
			t.Error("the taint is gone")
		}
		if undo := RollbackPlan(state, s.Snapshot(), time.Now())[0]; undo.Taint == nil {
			t.Errorf("a rollback leaves it: %+v", undo)
		}
	})
}
