package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var (
	severalBudgets = kube.Answer{Code: 500, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}
	budgetFull     = kube.Answer{Code: 429, Causes: []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause), Message: "The disruption budget web needs 2 healthy pods"}}}
	budgetSyncing  = kube.Answer{Code: 429, RetryAfter: 10 * time.Second, Causes: budgetFull.Causes}
)

// Where budgets cannot be read, or the snapshot does not show them yet, the server
// alone decides: each pod is tried once per pause, which grows while nothing moves.
func TestOnePodOnePauseWithoutBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		answer kube.Answer
		state  eviction.State
		pauses []time.Duration
	}{
		"exhausted": {budgetFull, eviction.BudgetBlocked, []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, 30 * time.Second}},
		"several":   {severalBudgets, eviction.MultipleBudgets, []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second}},
		"syncing":   {budgetSyncing, eviction.BudgetSyncing, []time.Duration{10 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second}},
	} {
		for kind, phase := range map[string]kube.SyncPhase{"no right": kube.Denied, "not seen yet": kube.Synced} {
			t.Run(name+", "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := kubetest.NewSimulation()
					s.AddNode("a")
					p := s.AddPod("web", "a")
					s.Store.SetSync(kube.KindBudgets, kube.SyncState{Phase: phase})
					var at []time.Time
					s.Answer = func(request.Evict) (kube.Answer, bool) {
						at = append(at, time.Now())
						return c.answer, true
					}
					o := plan.DefaultOptions()
					o.Timeout = 3 * time.Minute
					e := drive(t, s, o, "a")
					for i, want := range c.pauses {
						if got := at[i+1].Sub(at[i]); got != want {
							t.Errorf("pause %d was %s, want %s", i, got, want)
						}
					}
					toldAs(t, e, p.UID, c.state)
				})
			})
		}
	}
}

// A budget of one at a time, and twenty pods: kubectl, which tries each of them every
// 5 s, needs some 100 s. So does a run that does not see the budget.
func TestABudgetThatIsNotSeenIsKeptUpWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 20 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 19)
		s.Store.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if took := time.Since(began); e.State().Outcome != drain.OutcomeDone || took > 110*time.Second {
			t.Errorf("outcome %q after %s", e.State().Outcome, took)
		}
		if n := len(s.Evictions); n > 20*21/2 {
			t.Errorf("%d evictions, kubectl needs %d", n, 20*21/2)
		}
	})
}

// A run that cannot read budgets deletes a pod past one only after the server has
// refused it for its budget, and for nothing else.
func TestForceAfterWithoutBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		answer kube.Answer
		want   int
	}{
		"exhausted": {budgetFull, 1},
		"several":   {severalBudgets, 1},
		"syncing":   {budgetSyncing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddPod("web", "a")
				s.Store.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
				s.Answer = func(request.Evict) (kube.Answer, bool) { return c.answer, true }
				o := plan.DefaultOptions()
				o.ForceAfter, o.Timeout = 12*time.Second, 2*time.Minute
				e := drive(t, s, o, "a")
				if sent := e.State().Sent; sent[attempt.VerbDelete] != c.want || sent[attempt.VerbEvict] > 8 {
					t.Errorf("sent %v", sent)
				}
			})
		})
	}
}

// A budget that is not seen may have room again: the pod is asked for once more when
// --force-after is over, and only what is refused then is deleted.
func TestForceAfterAsksFirstWhereBudgetsAreNotSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		s.Store.SetSync(kube.KindBudgets, kube.SyncState{Phase: kube.Denied})
		tries := 0
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			tries++
			return budgetFull, tries == 1
		}
		o := plan.DefaultOptions()
		o.ForceAfter = 1500 * time.Millisecond
		e := drive(t, s, o, "a")
		if sent := e.State().Sent; sent[attempt.VerbDelete] != 0 || sent[attempt.VerbEvict] != 2 || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("sent %v, outcome %q", sent, e.State().Outcome)
		}
	})
}

// The question who has a name is asked until it is answered, and once where the pod
// must not be read.
func TestALookThatFailsIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answer kube.Answer
		looks  int
	}{
		"connection broken": {kube.Answer{Failure: "EOF"}, 4},
		"no right":          {kube.Answer{Code: 403, Message: `pods "web-1" is forbidden: User "u" cannot get resource "pods"`}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddPod("web", "a")
				s.Answer = func(request.Evict) (kube.Answer, bool) {
					return kube.Answer{Code: 409, Message: "the object has been modified"}, len(s.Evictions) == 1
				}
				w := &blindWriter{Simulation: s, answer: c.answer}
				e := beginWith(t, t.Context(), s, w, plan.DefaultOptions(), "a")
				confirmAll(t.Context(), s, e)
				checkRun(t, s, e)
				if w.looks != c.looks || len(s.Evictions) != 2 || e.State().Outcome != drain.OutcomeDone {
					t.Errorf("%d looks, %d evictions, outcome %q", w.looks, len(s.Evictions), e.State().Outcome)
				}
			})
		})
	}
}

// blindWriter cannot read a pod three times.
type blindWriter struct {
	*kubetest.Simulation
	answer kube.Answer
	looks  int
}

func (b *blindWriter) LivePod(ctx context.Context, namespace, name string) (*kube.Pod, kube.Answer) {
	b.Mu.Lock()
	b.looks++
	blind := b.looks < 4
	b.Mu.Unlock()
	if blind {
		return nil, b.answer
	}
	return b.Simulation.LivePod(ctx, namespace, name)
}

// A pod that the run's own guard holds does not hold the tiers behind it.
func TestAGuardedPodHoldsNoTier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		held := s.AddPod("held", "a")
		s.AddReplicaSet("held", 3) // two are missing
		critical := s.AddPod("critical", "a", kubetest.Prio(kube.SystemCriticalPriority))
		o := plan.DefaultOptions()
		o.Order, o.Guard, o.Timeout = plan.OrderTiers, "1", time.Minute
		e := begin(t, t.Context(), s, o, "a")
		confirmAll(t.Context(), s, e)
		if p := e.State().Pod(held.UID); p.Wait == nil || p.Wait.For != waits.ForTemporaryBudget {
			t.Fatalf("%s waits for %+v", p.State, p.Wait)
		}
		if p := e.State().Pod(critical.UID); p.State != eviction.Gone {
			t.Errorf("the critical pod is %s, waits for %+v", p.State, p.Wait)
		}
	})
}
