package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// A replay goes through the states of the run, at its speed, and ends as the run
// ended. What waited for hours is not waited for again.
func TestReplayIsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 3 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 2)
		s.ReadyAfter = time.Hour
		e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
		confirmAll(t.Context(), s, e)
		was := e.State()
		if was.Ended.Sub(was.Started) < time.Hour {
			t.Fatalf("the run took %s: nothing to shorten", was.Ended.Sub(was.Started))
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		for _, speed := range []float64{1, 10, 0} {
			began := time.Now()
			r, err := journal.NewReplay(ctx, e.Events(0), speed)
			if err != nil {
				t.Fatal(err)
			}
			blocked := false
			changed := r.Changed(t.Context())
			for !r.Position().Ended {
				<-changed
				blocked = blocked || r.State().Progress("").Blocked > 0
				if now := r.Now(); now.Before(was.Started) || now.After(was.Ended) {
					t.Fatalf("speed %g: the clock shows %s", speed, now)
				}
			}
			if got, want := written(t, r.State()), written(t, was); got != want {
				t.Errorf("speed %g ended as\n%s\nnot as\n%s", speed, got, want)
			}
			if blocked != (speed > 0) {
				t.Errorf("speed %g: a blocked pod seen: %v", speed, blocked)
			}
			if took := time.Since(began); took > was.Ended.Sub(was.Started)/10 || speed == 0 && took > 0 {
				t.Errorf("speed %g took %s", speed, took)
			}
			if !r.Now().Equal(was.Updated) {
				t.Errorf("speed %g: after the end the clock shows %s", speed, r.Now())
			}
		}
	})
}

func TestReplayEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := journal.NewReplay(ctx, []drain.Event{
			{Seq: 1, Kind: drain.EventRunStarted, Time: time.Now(), Run: &drain.RunFacts{ID: "r1"}},
			{Seq: 2, Kind: drain.EventRunEnded, Time: time.Now().Add(time.Hour), Outcome: drain.OutcomeDone},
		}, 1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		<-r.Done()
		if r.State().Outcome != "" {
			t.Error("it was played to its end")
		}
		if _, err := journal.NewReplay(t.Context(), nil, 1); err == nil {
			t.Error("no events make a run")
		}
	})
}
