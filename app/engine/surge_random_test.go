package engine

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// surgeWorld is a cluster whose apps are all Ready, and what an outside watcher counts in it.
type surgeWorld struct {
	*kubetest.Simulation
	wanted map[string]int32
	least  map[string]int32
}

func newSurgeWorld(random *rand.Rand) *surgeWorld {
	s := &surgeWorld{kubetest.NewSimulation(), map[string]int32{}, map[string]int32{}}
	s.AtOnce = true
	s.EndAfter = time.Duration(random.IntN(2000)) * time.Millisecond
	s.ReadyAfter = time.Duration(random.IntN(2000)) * time.Millisecond
	s.AnswerLag = time.Duration(max(0, random.IntN(400)-200)) * time.Millisecond
	for _, n := range []string{"a", "b", "c"} {
		s.AddNode(n)
	}
	for _, app := range []string{"web", "api", "one"} {
		count := int32(1 + random.IntN(5))
		if app == "one" {
			count = 1
		}
		for range count {
			s.AddPod(app, []string{"a", "b", "c"}[random.IntN(3)])
		}
		s.AddReplicaSet(app, count)
		s.AddBudget(app, int(count))
		s.wanted[app], s.least[app] = count, count
	}
	s.OnChange = func() {
		for app := range s.wanted {
			s.least[app] = min(s.least[app], s.ready(app))
		}
	}
	return s
}

func (s *surgeWorld) ready(app string) (n int32) {
	for _, p := range s.Pods {
		if p.Labels["app"] == app && p.DeletionTimestamp == nil && kubetest.IsReady(p) {
			n++
		}
	}
	return n
}

// clean fails the test unless all is as before: numbers, annotations and costs.
func (s *surgeWorld) clean(t *testing.T) {
	t.Helper()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for app, wanted := range s.wanted {
		if s.Replicas[app] != wanted || s.Marks[app] != "" {
			t.Errorf("%s has %d replicas and annotation %q, wants %d", app, s.Replicas[app], s.Marks[app], wanted)
		}
		if s.least[app] < wanted {
			t.Errorf("%s had only %d Ready pods at some time, wants %d", app, s.least[app], wanted)
		}
	}
	for _, p := range s.Pods {
		if cost := p.Annotations[kube.DeletionCostAnnotation]; cost != "" && p.DeletionTimestamp == nil {
			t.Errorf("%s has deletion cost %s", p.Name, cost)
		}
	}
}

func randomSurge(random *rand.Rand) plan.Options {
	o := plan.DefaultOptions()
	o.Surge = surge.Amount([]string{"1", "50%", "100%"}[random.IntN(3)])
	o.MaxParallelNodes, o.MaxParallelEvictions = 1+random.IntN(2), 1+random.IntN(6)
	return o
}

// TestRandomSurges drains random clusters with --surge. Their budgets allow no disruption at all,
// so nothing moves but by a surge. Each run is killed now and then, the server goes away, and it is
// resumed: no app ever has fewer Ready pods than it wants, and nothing is left behind.
func TestRandomSurges(t *testing.T) { inRandomClusters(t, killAndResumeSurge) }

func killAndResumeSurge(t *testing.T, random *rand.Rand) {
	s, o := newSurgeWorld(random), randomSurge(random)
	if random.IntN(3) == 0 {
		s.Fail(time.Duration(random.IntN(4000))*time.Millisecond, time.Duration(100+random.IntN(5000))*time.Millisecond)
	}
	var events []drain.Event
	for kills := random.IntN(4); kills > 0; kills-- {
		events = killed(t, s.Simulation, o, events, 2+random.IntN(60))
		if events[len(events)-1].Kind == drain.EventRunEnded {
			break
		}
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
	}
	if events != nil && events[len(events)-1].Kind == drain.EventRunEnded {
		s.Halt()
		s.clean(t)
		return
	}
	writer := kubetest.MortalWriter{Simulation: s.Simulation, Killed: new(atomic.Bool)}
	var e *Engine
	if events == nil {
		e = beginWith(t, t.Context(), s.Simulation, writer, o, "a", "b")
	} else {
		var err error
		if e, err = Resume(t.Context(), EngineConfig{Source: s, Writer: writer, Now: time.Now}, events); err != nil {
			t.Fatal(err)
		}
	}
	confirmAll(t.Context(), s.Simulation, e)
	if got := e.State(); got.Outcome != drain.OutcomeDone {
		t.Errorf("outcome %q (%s)", got.Outcome, got.Message)
	}
	s.clean(t)
	if t.Failed() {
		t.Log(standing(e))
	}
}

// TestRandomSurgesRollBack kills a run with surges at a random event and rolls it back, by its
// journal or by what the cluster alone tells.
func TestRandomSurgesRollBack(t *testing.T) {
	for name, byMarks := range map[string]bool{"by the journal": false, "by the annotations": true} {
		t.Run(name, func(t *testing.T) {
			inRandomClusters(t, func(t *testing.T, random *rand.Rand) { killAndRollBackSurge(t, random, byMarks) })
		})
	}
}

func killAndRollBackSurge(t *testing.T, random *rand.Rand, byMarks bool) {
	s, o := newSurgeWorld(random), randomSurge(random)
	events := killed(t, s.Simulation, o, nil, 2+random.IntN(80))
	time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
	state := drain.Fold(nil, events...)
	if byMarks {
		state.Surges = surge.FromMarks(s.Snapshot(), state.Run.ID)
	}
	for range 2 { // once more when the controllers have done their part, as the shell does
		for _, undo := range rollback.Plan(state, s.Snapshot(), time.Now()) {
			state = drain.Fold(state, undo.Intents(state, "ada", time.Now())...)
			for _, one := range undo.Requests() {
				if a := one.Send(t.Context(), s.Simulation); !a.OK() && a.Class() != kube.AnswerGone {
					t.Errorf("%s: %+v: %+v", undo.What, one, a)
				}
			}
		}
		time.Sleep(10 * time.Second)
	}
	s.Halt()
	s.clean(t)
}

// An aborted run takes back what it raised, and removes no pod of its nodes.
func TestRandomSurgesAborted(t *testing.T) {
	inRandomClusters(t, func(t *testing.T, random *rand.Rand) {
		s, o := newSurgeWorld(random), randomSurge(random)
		e := begin(t, t.Context(), s.Simulation, o, "a", "b")
		cut := 2 + random.IntN(60)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for len(e.Events(0)) < cut && e.State().Outcome == "" {
				time.Sleep(time.Millisecond)
			}
			e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		}()
		confirmAll(t.Context(), s.Simulation, e)
		<-sent
		if s.Stuck != "" {
			t.Errorf("the run does not end\n%s", s.Stuck)
		}
		s.clean(t)
	})
}
