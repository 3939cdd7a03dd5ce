package engine

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// muteWriter answers nothing once it is silent: each request ends with
// its context, or with the longest time that the connection gives one.
type muteWriter struct {
	*kubetest.Simulation
	silent *atomic.Bool
}

func (w muteWriter) send(ctx context.Context, send func() kube.Answer) kube.Answer {
	if !w.silent.Load() {
		return send()
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // a long --request-timeout
	defer cancel()
	<-ctx.Done()
	return kube.Answer{Failure: "the credential plugin p has not answered", Unsent: true}
}

func (w muteWriter) Evict(ctx context.Context, r request.Evict) kube.Answer {
	return w.send(ctx, func() kube.Answer { return w.Simulation.Evict(ctx, r) })
}

func (w muteWriter) DeleteBudget(ctx context.Context, r request.BudgetRef) kube.Answer {
	return w.send(ctx, func() kube.Answer { return w.Simulation.DeleteBudget(ctx, r) })
}

func (w muteWriter) CreateLease(ctx context.Context, _ request.WriteLease) kube.Answer {
	return w.send(ctx, func() kube.Answer { return kube.Answer{Code: http.StatusCreated, UID: "lease", ResourceVersion: "1"} })
}

func (w muteWriter) UpdateLease(ctx context.Context, _ request.WriteLease) kube.Answer {
	return w.send(ctx, func() kube.Answer { return kube.Answer{Code: http.StatusOK, UID: "lease", ResourceVersion: "2"} })
}

func (w muteWriter) DeleteLease(ctx context.Context, _ request.DeleteLease) kube.Answer {
	return w.send(ctx, func() kube.Answer { return kube.Answer{Code: http.StatusOK} })
}

func (w muteWriter) WriteEvent(ctx context.Context, _ request.NodeEvent) kube.Answer {
	return w.send(ctx, func() kube.Answer { return kube.Answer{Code: http.StatusCreated} })
}

var _ request.LeaseWriter = muteWriter{}
var _ request.EventWriter = muteWriter{}

// An aborted run ends with its report although nothing is answered: neither the
// evictions and renewals that are out, nor what it takes back, nor its Events.
func TestAnAbortedRunEndsWhileNothingIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 3 {
			s.AddPod("web", "a")
		}
		s.AddPod("web", "b")
		s.AddReplicaSet("web", 4)
		s.ReadyAfter = time.Hour // the second pod of the app stays blocked
		w := muteWriter{s, &atomic.Bool{}}
		o := leasing()
		o.Guard, o.GuardWrite = "25%", true
		e := beginWith(t, t.Context(), s, w, o, "a")
		confirmUntil(t, e, "a pod is accepted, and another one blocked", func(*drain.State) bool {
			accepted, sent := s.CountEvictions()
			return len(accepted) == 1 && sent >= 1
		})
		w.silent.Store(true)
		time.Sleep(30 * time.Second) // a renewal, and an eviction that is tried again, are out
		began := time.Now()
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "ada"})
		<-e.Done()
		s.Halt()
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("the run ended %v after the abort", took)
		}
		state := e.State()
		if state.Outcome != drain.OutcomeAborted || len(state.Budgets) != 1 || state.Budgets[0].State != tempbudget.Orphaned {
			t.Errorf("outcome %q, budgets %+v", state.Outcome, state.Budgets)
		}
	})
}
