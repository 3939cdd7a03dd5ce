package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// held is a run over one pod that its budget never lets go, with --force-after.
func held(o plan.Options) (*kubetest.Simulation, *corev1.Pod, plan.Options) {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	p := s.AddPod("db", "a")
	s.AddBudget("db", 1)
	o.ForceAfter = time.Minute
	return s, p, o
}

// forcedAt is when the pod was deleted past its budget, and how many evictions of
// it were sent before and in the last seconds before.
func forcedAt(t *testing.T, e *Engine) (at time.Time, evictions int, last time.Time) {
	t.Helper()
	for _, event := range e.Events(0) {
		switch {
		case event.Kind != drain.EventIntent || event.Pod == "":
		case event.Action.Verb == attempt.VerbDelete:
			return event.Time, evictions, last
		case event.Action.Verb == attempt.VerbEvict:
			evictions, last = evictions+1, event.Time
		}
	}
	t.Fatal("the pod was not deleted")
	return at, 0, last
}

// The clock of --force-after stands while the run could not have evicted the pod, and
// an eviction comes before the deletion.
func TestTheClockOfForceAfterStands(t *testing.T) {
	const began, over = 30 * time.Second, time.Hour
	for name, c := range map[string]struct {
		options func(*plan.Options)
		stop    func(*kubetest.Simulation, *Engine)
		goOn    func(*kubetest.Simulation, *Engine)
	}{
		"outage": {nil,
			func(s *kubetest.Simulation, _ *Engine) {
				s.Store.SetHealth(kube.Health{DownSince: time.Now(), Reason: "connection refused"})
			},
			func(s *kubetest.Simulation, _ *Engine) {
				s.Store.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
			}},
		"pause": {nil,
			func(_ *kubetest.Simulation, e *Engine) { e.Send(drain.Command{Kind: drain.CommandPause, By: "ada"}) },
			func(_ *kubetest.Simulation, e *Engine) { e.Send(drain.Command{Kind: drain.CommandContinue, By: "ada"}) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p, o := held(plan.DefaultOptions())
				e := begin(t, t.Context(), s, o, "a")
				start := time.Now()
				s.Later(began, func() { c.stop(s, e) })
				s.Later(began+over, func() { c.goOn(s, e) })
				confirmAll(t.Context(), s, e)
				checkRun(t, s, e)
				at, evictions, last := forcedAt(t, e) // the run sees either end some ms late
				if took := at.Sub(start); took < o.ForceAfter+over-time.Second || took > o.ForceAfter+over+5*time.Second {
					t.Errorf("deleted after %s", took)
				}
				if evictions == 0 || last.Before(start.Add(began+over)) {
					t.Errorf("%d evictions before, the last after %s", evictions, last.Sub(start))
				}
				if run := e.State().Pod(p.UID); run.Held < o.ForceAfter || run.Held > o.ForceAfter+5*time.Second {
					t.Errorf("its budget held it for %s", run.Held)
				}
			})
		})
	}
}

// An outage that begins when --force-after is over: the budget may allow the
// eviction by then, and it does.
func TestAfterAnOutageAnEvictionComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, o := held(plan.DefaultOptions())
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			if time.Since(p.CreationTimestamp.Time) < 50*time.Second {
				return kube.Answer{}, false
			}
			s.Budgets["db"].Status.DisruptionsAllowed = 1 // the watch is late to tell so
			return kube.Answer{}, false
		}
		e := begin(t, t.Context(), s, o, "a")
		s.Later(59*time.Second, func() { s.Store.SetHealth(kube.Health{DownSince: time.Now()}) })
		s.Later(2*time.Minute, func() { s.Store.SetHealth(kube.Health{Live: true}) })
		confirmAll(t.Context(), s, e)
		if sent := e.State().Sent; sent[attempt.VerbDelete] != 0 || e.State().Pod(p.UID).State != eviction.Gone {
			t.Errorf("sent %v, the pod is %s", sent, e.State().Pod(p.UID).State)
		}
	})
}

// A deletion past the budget that is refused was for one request: by the next one
// the budget may have room.
func TestARefusedDeletionIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, o := held(plan.DefaultOptions())
		w := &brokenDelete{Simulation: s}
		e := beginWith(t, t.Context(), s, w, o, "a")
		s.Later(o.ForceAfter+10*time.Second, func() { s.AddPod("db", "b"); s.Control("db") })
		confirmAll(t.Context(), s, e)
		checkRun(t, s, e)
		if run := e.State().Pod(p.UID); run.State != eviction.Gone || run.Action != plan.ActionEvict || len(s.Accepted) != 1 || w.deletions == 0 {
			t.Errorf("%s by %s after %d deletions, accepted %v", run.State, run.Action, w.deletions, s.Accepted)
		}
	})
}

// brokenDelete loses every deletion on its way.
type brokenDelete struct {
	*kubetest.Simulation
	deletions int
}

func (b *brokenDelete) Delete(context.Context, request.Delete) kube.Answer {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.deletions++
	return kube.Answer{Failure: "EOF"}
}

// Waiting for a volume turn, or for a free slot, starts nothing from the beginning
// and leads to no deletion where the budget has room.
func TestTurnsAndForceAfter(t *testing.T) {
	t.Run("volume turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, d := volumeWorld(t)
			o := plan.DefaultOptions()
			o.ForceAfter = 20 * time.Second
			s.EndAfter = 90 * time.Second
			s.AddPod("first", "a", d.With("one@disk"))
			p := s.AddPod("late", "a", d.With("two@disk"))
			s.AddBudget("late", 1)
			e := begin(t, t.Context(), s, o, "a")
			start := time.Now()
			confirmAll(t.Context(), s, e)
			checkRun(t, s, e)
			for _, event := range e.Events(0) {
				if event.Kind == drain.EventIntent && event.Pod == p.Name && event.Action.Verb == attempt.VerbDelete {
					if took := event.Time.Sub(start); took < s.EndAfter || took > s.EndAfter+10*time.Second {
						t.Errorf("deleted after %s, the turn was free after %s", took, s.EndAfter)
					}
				}
			}
			if e.State().Pod(p.UID).Action != plan.ActionDelete {
				t.Error("it was never forced")
			}
		})
	})
	t.Run("free slot", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, p, o := held(plan.DefaultOptions())
			o.MaxParallelEvictions, o.ForceAfter = 1, 10*time.Second
			s.AnswerLag = 8 * time.Second
			for range 3 {
				s.AddPod("free", "a")
			}
			e := begin(t, t.Context(), s, o, "a")
			s.Later(9*time.Second, func() { s.AddPod("db", "b"); s.Control("db") }) // room from here on
			confirmAll(t.Context(), s, e)
			if e.State().Sent[attempt.VerbDelete] != 0 || e.State().Pod(p.UID).State != eviction.Gone {
				t.Errorf("sent %v", e.State().Sent)
			}
		})
	})
}
