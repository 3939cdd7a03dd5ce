package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// TestKilledRunsResume kills a run after a random event, as a lost process would,
// lets the cluster go on for a while, and resumes from the journal's events, and
// perhaps kills that too: the run completes, and no pod whose eviction was
// accepted is asked for again.
func TestKilledRunsResume(t *testing.T) { inRandomClusters(t, killAndResume) }

func killAndResume(t *testing.T, random *rand.Rand) {
	s := kubetest.NewSimulation()
	s.NodeLag = time.Duration(random.IntN(300)) * time.Millisecond
	s.AnswerLag = time.Duration(max(0, random.IntN(400)-200)) * time.Millisecond
	s.ControllerLag = time.Duration(1+random.IntN(200)) * time.Millisecond
	s.EndAfter = time.Duration(random.IntN(2000)) * time.Millisecond
	for _, n := range []string{"a", "b", "c"} {
		s.AddNode(n)
	}
	for range 6 {
		s.AddPod("web", []string{"a", "b"}[random.IntN(2)])
	}
	s.AddBudget("web", 4)
	for range 3 {
		s.AddPod("free", "a")
	}
	s.AddReplicaSet("free", 3)
	o := plan.DefaultOptions()
	o.MaxParallelNodes, o.MaxParallelEvictions = 1+random.IntN(2), 1+random.IntN(6)
	o.Guard, o.GuardWrite = "1", random.IntN(2) == 0
	if random.IntN(3) == 0 {
		o.ExcludeFromLB = time.Duration(1+random.IntN(2000)) * time.Millisecond
	}

	if random.IntN(3) == 0 {
		s.Fail(time.Duration(random.IntN(4000))*time.Millisecond, time.Duration(100+random.IntN(5000))*time.Millisecond)
	}

	var events []drain.Event
	for kills := 1 + random.IntN(3); kills > 0; kills-- {
		events = killed(t, s, o, events, 2+random.IntN(50))
		if events[len(events)-1].Kind == drain.EventRunEnded {
			s.Halt()
			return
		}
		accepted, sent := s.CountEvictions()
		t.Cleanup(func() {
			for _, r := range s.Evictions[sent:] {
				if accepted[r.Name] > 0 {
					t.Errorf("%s was accepted before a kill and asked for again", r.Name)
				}
			}
		})
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
	}
	resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: kubetest.MortalWriter{Simulation: s, Killed: new(atomic.Bool)}, Now: time.Now}, events)
	if err != nil {
		t.Fatal(err)
	}
	confirmAll(t.Context(), s, resumed)
	if got := resumed.State().Outcome; got != drain.OutcomeDone {
		t.Errorf("cut after %d events: outcome %q (%s)", len(events), got, resumed.State().Message)
	}
	if len(s.Made) != len(s.Unmade) {
		t.Errorf("cut after %d events: budgets made %v, removed %v", len(events), s.Made, s.Unmade)
	}
	if t.Failed() {
		t.Log(standing(resumed))
	}
}

// killed lets a process work on the run (a new one where there are no events yet)
// for about so many events, and returns all that its journal then holds.
func killed(t *testing.T, s *kubetest.Simulation, o plan.Options, events []drain.Event, life int) []drain.Event {
	t.Helper()
	cut := uint64(len(events) + life)
	return killedOnce(t, s, o, events, func(e *Engine) bool { return uint64(len(e.Events(0))) >= cut })
}

// killedOnce lets a process work on the run until it has ended or is to be
// killed, and returns all that its journal then holds.
func killedOnce(t *testing.T, s *kubetest.Simulation, o plan.Options, events []drain.Event, now func(*Engine) bool) []drain.Event {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	var lost atomic.Bool
	var e *Engine
	if events == nil {
		e = beginWith(t, ctx, s, kubetest.MortalWriter{Simulation: s, Killed: &lost}, o, "a", "b")
	} else {
		var err error
		if e, err = Resume(ctx, EngineConfig{Source: s, Writer: kubetest.MortalWriter{Simulation: s, Killed: &lost}, Now: time.Now}, events); err != nil {
			t.Fatal(err)
		}
	}
	for began := time.Now(); e.State().Outcome == "" && !now(e); {
		if time.Since(began) > endsWithin {
			t.Fatalf("the run does not end\n%s", standing(e))
		}
		if q := e.State().Question; q != nil {
			e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
		}
		time.Sleep(time.Millisecond) // of the bubble's clock
	}
	// What it sends from now on is lost with it. What it sent before is in its
	// journal, for the intent comes first.
	lost.Store(true)
	left := e.Events(0)
	kill()
	select {
	case <-e.Done():
	case <-time.After(endsWithin):
		t.Errorf("the process does not end although it was told to\n%s", standing(e))
	}
	return left
}

// What was given up for a while costs no patience: neither the deadline of a node
// nor that of --force-after runs on while no process works on the run.
func TestDeadlinesStopWhileNoProcessRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		options func(*plan.Options)
		takes   time.Duration
		want    eviction.State
	}{
		{"timeout", func(o *plan.Options) { o.Timeout = 10 * time.Second }, 10 * time.Second, eviction.BudgetBlocked},
		{"force after", func(o *plan.Options) { o.ForceAfter = 10 * time.Second }, 11 * time.Second, eviction.Gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddNode("b")
				p := s.AddPod("db", "a")
				s.AddBudget("db", 1)
				o := plan.DefaultOptions()
				c.options(&o)
				events := killedOnce(t, s, o, nil, func(e *Engine) bool { return e.State().Pod(p.UID).State == eviction.BudgetBlocked })
				time.Sleep(time.Hour)
				resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, events)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				confirmAll(t.Context(), s, resumed)
				checkRun(t, s, resumed)
				if took := time.Since(began); took < c.takes || took > c.takes+time.Second {
					t.Errorf("it took %s", took)
				}
				if got := resumed.State().Pod(p.UID).State; got != c.want {
					t.Errorf("the pod is %s", got)
				}
			})
		})
	}
}

func TestOnlyOneProcessHoldsAJournal(t *testing.T) {
	j, err := journal.CreateJournal(t.TempDir(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append([]drain.Event{{Seq: 1, Kind: drain.EventRunStarted, Run: &drain.RunFacts{ID: "r", Options: plan.DefaultOptions()}}}, true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := journal.OpenJournal(j.Path()); !errors.Is(err, journal.ErrRunLives) {
		t.Errorf("opened twice: %v", err)
	}
	if live, err := journal.Live(j.Path()); !live || err != nil {
		t.Errorf("live %v, error %v", live, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	torn, err := os.OpenFile(j.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"seq":2,"ki`); err != nil {
		t.Fatal(err)
	}
	if err := torn.Close(); err != nil {
		t.Fatal(err)
	}
	again, events, err := journal.OpenJournal(j.Path())
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	if err := again.Append([]drain.Event{{Seq: 2, Kind: drain.EventResumed}}, true); err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if events, torn, err := journal.ReadJournal(j.Path()); err != nil || torn || len(events) != 2 {
		t.Errorf("%d events, torn %v, error %v", len(events), torn, err)
	}
	if live, err := journal.Live(j.Path()); live || err != nil {
		t.Errorf("live %v after the end, error %v", live, err)
	}
}

// A pod can be gone before its eviction is answered; if the process dies in
// between, the answer is waited for no more.
func TestResumeWaitsForNoAnswerOfAPodThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.EndAfter, s.AnswerLag = 100*time.Millisecond, time.Second
		s.AddNode("a")
		s.AddNode("b")
		p := s.AddPod("web", "a")
		events := killedOnce(t, s, plan.DefaultOptions(), nil, func(e *Engine) bool {
			pod := e.State().Pod(p.UID)
			return pod.State == eviction.Gone && pod.InFlight != 0
		})
		resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		confirmAll(t.Context(), s, resumed)
		checkRun(t, s, resumed)
		if got := resumed.State().Outcome; got != drain.OutcomeDone || len(s.Evictions) != 1 {
			t.Errorf("outcome %q after %d evictions", got, len(s.Evictions))
		}
	})
}

// silentWriter lets evictions vanish on their way: they are neither received nor answered.
type silentWriter struct{ *kubetest.Simulation }

func (silentWriter) Evict(ctx context.Context, _ request.Evict) kube.Answer {
	<-ctx.Done()
	return kube.Answer{Failure: "killed"}
}

// An eviction that was lost with its process took nothing from its budget: the pod
// is evicted as soon as the server has said that it still stands.
func TestResumeGivesBackTheTokenOfALostEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		p := s.AddPod("web", "a")
		s.AddBudget("web", 0)
		ctx, kill := context.WithCancel(t.Context())
		e := beginWith(t, ctx, s, silentWriter{s}, plan.DefaultOptions(), "a", "b")
		for e.State().Pod(p.UID).InFlight == 0 {
			if q := e.State().Question; q != nil {
				e.Send(drain.Confirm{Phase: q.Phase, Word: q.Word, By: "ada"})
			}
			time.Sleep(time.Millisecond) // of the bubble's clock
		}
		events := e.Events(0)
		kill()
		<-e.Done()
		began := time.Now()
		resumed, err := Resume(t.Context(), EngineConfig{Source: s, Writer: s, Now: time.Now}, events)
		if err != nil {
			t.Fatal(err)
		}
		<-resumed.Done()
		if got := resumed.State().Outcome; got != drain.OutcomeDone || time.Since(began) >= budget.AssumedFor {
			t.Errorf("outcome %q after %s", got, time.Since(began))
		}
	})
}
