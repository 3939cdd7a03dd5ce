package engine

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// confirmUntil confirms every question of the run until its state holds something.
func confirmUntil(t *testing.T, e *Engine, what string, holds func(*drain.State) bool) *drain.State {
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
			e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
		}
		select {
		case <-changed:
		case <-patience.C:
			t.Fatalf("the run does not come to where %s: %s", what, standing(e))
		}
	}
}

func ended(s *drain.State) bool { return s.Outcome != "" }

// climb applies a remedy as an operator does who reads it on a screen.
func remediate(t *testing.T, e *Engine, kind remedy.Kind, pod kube.UID) {
	t.Helper()
	for _, r := range drain.Remedies(e.State(), e.config.Source.Snapshot(), pod, time.Now()) {
		if r.Kind == kind {
			if r.DisabledReason != "" {
				t.Fatalf("%s is off: %s", kind, r.DisabledReason)
			}
			e.Send(drain.Command{Kind: drain.CommandRemedy, Pod: pod, Remedy: r.Facts, Word: r.Word, By: "ada", OnScreen: true})
		}
	}
}

// blockedBySize is a drain of node a whose one pod a budget holds that needs both
// replicas; it comes back with the run once the pod is blocked.
func blockedBySize(t *testing.T, w func(*kubetest.Simulation) request.Writer) (*kubetest.Simulation, *Engine, *corev1.Pod) {
	t.Helper()
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	p := s.AddPod("web", "a")
	s.AddPod("web", "b")
	s.Replicas["web"] = 2
	s.PutReplicaSet("web", false)
	s.AddBudget("web", 2)
	e := beginWith(t, t.Context(), s, w(s), plan.DefaultOptions(), "a")
	confirmUntil(t, e, "the pod is blocked", func(state *drain.State) bool { return state.Pods[0].State == eviction.BudgetBlocked })
	return s, e, p
}

func itself(s *kubetest.Simulation) request.Writer { return s }

func TestOneMoreReplicaLetsThePodGoAndIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, p := blockedBySize(t, itself)
		remediate(t, e, remedy.Scale, p.UID)
		state := confirmUntil(t, e, "it has ended", ended)
		<-e.Done()
		s.Halt()
		if state.Outcome != drain.OutcomeDone || state.Remedies[0].State != remedy.Undone || s.Has("web") != 2 || len(s.Scaled) != 2 {
			t.Errorf("%s, %+v, %d replicas, %+v", state.Outcome, state.Remedies[0], s.Has("web"), s.Scaled)
		}
		if r := state.Remedies[0]; r.For != "default/web-1" || r.What() != "ReplicaSet default/web from 2 to 3 replicas" {
			t.Errorf("a remedy for %s: %s", r.For, r.What())
		}
	})
}

func TestReplicasAfterAnAbort(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*kubetest.Simulation)
		replicas  int32
		state     remedy.State
		requests  int
	}{
		"ours are taken back":                       {func(*kubetest.Simulation) {}, 2, remedy.Undone, 2},
		"changed by somebody: left alone":           {func(s *kubetest.Simulation) { s.SomebodyScales("web", 5) }, 5, remedy.Kept, 1},
		"set to the same by somebody: left alone":   {func(s *kubetest.Simulation) { s.SomebodyScales("web", 3) }, 3, remedy.Kept, 1},
		"taken back by somebody already: no matter": {func(s *kubetest.Simulation) { s.SomebodyScales("web", 2) }, 2, remedy.Kept, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, e, p := blockedBySize(t, itself)
				s.ReadyAfter = time.Hour
				remediate(t, e, remedy.Scale, p.UID)
				confirmUntil(t, e, "the remedy is done", func(state *drain.State) bool {
					return len(state.Remedies) == 1 && state.Remedies[0].State == remedy.Done
				})
				c.meanwhile(s)
				e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
				state := confirmUntil(t, e, "it has ended", ended)
				<-e.Done()
				s.Halt()
				if s.Has("web") != c.replicas || state.Remedies[0].State != c.state || len(s.Scaled) != c.requests {
					t.Errorf("%d replicas, %+v, %+v", s.Has("web"), state.Remedies[0], s.Scaled)
				}
			})
		})
	}
}

func TestAKilledRunLeavesItsReplicasToResumeAndRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		killed := &atomic.Bool{}
		s, e, p := blockedBySize(t, func(s *kubetest.Simulation) request.Writer {
			return kubetest.MortalWriter{Simulation: s, Killed: killed}
		})
		s.ReadyAfter = time.Hour
		remediate(t, e, remedy.Scale, p.UID)
		state := confirmUntil(t, e, "the remedy is done", func(state *drain.State) bool {
			return len(state.Remedies) == 1 && state.Remedies[0].State == remedy.Done
		})
		killed.Store(true)
		events := e.Events(0)
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-e.Done() // it tried, and its requests were lost
		undos := rollback.Plan(state, s.Snapshot(), time.Now())
		if len(undos) != 2 || undos[0].Scale == nil || undos[0].Scale.From != 3 || undos[0].Scale.To != 2 {
			t.Errorf("%+v", undos)
		}
		again, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		again.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-again.Done()
		s.Halt()
		if s.Has("web") != 2 || again.State().Remedies[0].State != remedy.Undone {
			t.Errorf("%d replicas, %+v", s.Has("web"), again.State().Remedies[0])
		}
		left := rollback.Plan(state, s.Snapshot(), time.Now())[0]
		if left.Scale != nil || left.Left != "it already has that number" {
			t.Errorf("%+v", left)
		}
	})
}

// declaredOff is a run whose only pod ends on a node that is declared off. ready
// says whether its kubelet reports.
func declaredOff(t *testing.T) (s *kubetest.Simulation, e *Engine, ready func(corev1.ConditionStatus)) {
	t.Helper()
	s = kubetest.NewSimulation()
	s.EndAfter = time.Hour
	s.AddNode("a")
	s.AddNode("b")
	p := s.AddPod("web", "a")
	e = begin(t, t.Context(), s, plan.DefaultOptions(), "a")
	confirmUntil(t, e, "it is ending", func(state *drain.State) bool { return state.Pods[0].State == eviction.Terminating })
	ready = func(status corev1.ConditionStatus) {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.SetNode("a", func(n *corev1.Node) { n.Status.Conditions[0].Status = status })
	}
	ready(corev1.ConditionUnknown)
	confirmUntil(t, e, "its kubelet is silent", func(state *drain.State) bool {
		return state.Pods[0].Wait != nil && state.Pods[0].Wait.For == waits.ForKubelet
	})
	remediate(t, e, remedy.OutOfService, p.UID)
	state := confirmUntil(t, e, "the taint is there", func(state *drain.State) bool {
		return len(state.Remedies) == 1 && state.Remedies[0].State == remedy.Done
	})
	if undo := rollback.Plan(state, s.Snapshot(), time.Now())[0]; undo.Taint == nil || len(undo.Taint.Taints) != 0 || undo.Taint.Mark != "" {
		t.Errorf("%+v", undo)
	}
	return s, e, ready
}

func TestTheTaintGoesWhenTheNodeReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, ready := declaredOff(t)
		ready(corev1.ConditionTrue)
		confirmUntil(t, e, "the taint is gone", func(state *drain.State) bool { return state.Remedies[0].State == remedy.Undone })
		if node := s.Snapshot().Node("a"); node.OutOfService() || node.Annotations[kube.OutOfServiceAnnotation] != "" {
			t.Errorf("%+v", node)
		}
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-e.Done()
		s.Halt()
	})
}

// A machine that stays off keeps the taint after the end of the run, and the run
// says so, with the command that takes it off.
func TestTheTaintOfAMachineThatStaysOffIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, _ := declaredOff(t)
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-e.Done()
		s.Halt()
		state := e.State()
		r := state.Remedies[0]
		if want := "its machine has not come back; once it has: kubectl --context=lab taint node a node.kubernetes.io/out-of-service=nodeshutdown:NoExecute-"; r.State != remedy.Orphaned || r.Message != want {
			t.Errorf("%s: %q, want %q", r.State, r.Message, want)
		}
		if !s.Snapshot().Node("a").OutOfService() {
			t.Error("the taint is gone")
		}
		if undo := rollback.Plan(state, s.Snapshot(), time.Now())[0]; undo.Taint == nil {
			t.Errorf("a rollback leaves it: %+v", undo)
		}
	})
}
