package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// drive runs a drain of the nodes in the simulation to its end, confirming
// every question, and checks what must hold for every run.
func drive(t *testing.T, s *kubetest.Simulation, o plan.Options, nodes ...string) *Engine {
	t.Helper()
	e := begin(t, t.Context(), s, o, nodes...)
	confirmAll(t.Context(), s, e)
	checkRun(t, s, e)
	return e
}

func begin(t *testing.T, ctx context.Context, s *kubetest.Simulation, o plan.Options, nodes ...string) *Engine {
	t.Helper()
	return beginWith(t, ctx, s, s, o, nodes...)
}

func beginWith(t *testing.T, ctx context.Context, s *kubetest.Simulation, w request.Writer, o plan.Options, nodes ...string) *Engine {
	t.Helper()
	plan, err := plan.New(s.Snapshot(), nodes, o, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	e, err := Start(ctx, EngineConfig{Source: s, Writer: w, Now: time.Now}, plan, drain.RunFacts{ID: "r1", Context: "lab", User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// confirmAll confirms every question of the run until it ends, and halts the
// simulation then. A run that does not end is aborted, and told as it stands.
func confirmAll(ctx context.Context, s *kubetest.Simulation, e *Engine) {
	defer s.Halt()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	changed := e.Changed(watching)
	stuck := time.NewTimer(endsWithin)
	defer stuck.Stop()
	for {
		if q := e.State().Question; q != nil {
			e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
		}
		select {
		case <-changed:
		case <-stuck.C:
			if s.Stuck != "" {
				panic("a run does not even end when it is aborted\n" + s.Stuck)
			}
			s.Stuck = standing(e)
			e.Send(drain.Command{Kind: drain.CommandAbort, By: "the test", Why: s.Stuck})
			stuck.Reset(endsWithin)
		case <-e.Done():
			return
		}
	}
}

func checkRun(t *testing.T, s *kubetest.Simulation, e *Engine) {
	t.Helper()
	state := e.State()
	if state.Outcome == "" {
		t.Error("the run has no outcome")
	}
	if s.Stuck != "" {
		t.Errorf("the run did not end\n%s", s.Stuck)
	}
	if got, want := written(t, drain.Fold(nil, e.Events(0)...)), written(t, state); got != want {
		t.Errorf("the fold of the events is not the state:\n%s\n%s", got, want)
	}
	for _, r := range s.Evictions {
		if state.Pod(r.UID) == nil {
			t.Errorf("pod %s was evicted and is not part of the run", r.Name)
		}
	}
	for _, n := range state.Nodes {
		if n.State != drain.NodeDrained {
			continue
		}
		for _, p := range s.Pods {
			if of := metav1.GetControllerOf(p); p.Spec.NodeName == n.Name && (of == nil || of.Kind != "DaemonSet") {
				t.Errorf("node %s counts as drained with %s on it", n.Name, p.Name)
			}
		}
	}
}

// TestRandomRuns drains random clusters: every run ends, no pod outside the plan
// is touched, no eviction is refused that the tokens should have spared, and the
// events tell the state (checkRun).
func TestRandomRuns(t *testing.T) { inRandomClusters(t, randomRun) }

func randomRun(t *testing.T, random *rand.Rand) {
	s := kubetest.NewSimulation()
	s.EndAfter = time.Duration(random.IntN(3000)) * time.Millisecond
	s.ReadyAfter = time.Duration(random.IntN(3000)) * time.Millisecond
	s.ControllerLag = time.Duration(1+random.IntN(200)) * time.Millisecond
	s.NodeLag = time.Duration(random.IntN(500)) * time.Millisecond
	s.AnswerLag = time.Duration(random.IntN(300)) * time.Millisecond
	nodes := []string{"a", "b", "c", "d"}
	for _, n := range nodes {
		s.AddNode(n)
	}
	for app := range 1 + random.IntN(4) {
		name := fmt.Sprintf("app%d", app)
		count := 1 + random.IntN(6)
		for range count {
			s.AddPod(name, nodes[random.IntN(4)])
		}
		if random.IntN(3) > 0 {
			s.AddBudget(name, random.IntN(count+1))
		}
	}
	if random.IntN(2) == 0 {
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			return kube.Answer{Failure: "EOF"}, random.IntN(4) == 0
		}
	}
	o := plan.DefaultOptions()
	o.MaxParallelNodes, o.MaxParallelEvictions = 1+random.IntN(3), 1+random.IntN(5)
	o.Timeout = time.Duration(20+random.IntN(60)) * time.Second
	e := drive(t, s, o, nodes[:1+random.IntN(3)]...)
	for _, p := range e.State().Pods {
		if p.Refusals > 0 && s.Answer == nil && p.Blocked+time.Since(p.Since) < eviction.BudgetPoll {
			t.Errorf("%s was refused %d times: %+v", p.Name, p.Refusals, p.Last)
		}
	}
}
