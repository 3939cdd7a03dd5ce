package drain

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// held is a run over one pod that its budget never lets go, with --force-after.
func held(o Options) (*simulation, *corev1.Pod, Options) {
	s := newSimulation()
	s.addNode("a")
	s.addNode("b")
	p := s.addPod("db", "a")
	s.addBudget("db", 1)
	o.ForceAfter = time.Minute
	return s, p, o
}

// forcedAt is when the pod was deleted past its budget, and how many evictions of
// it were sent before and in the last seconds before.
func forcedAt(t *testing.T, e *Engine) (at time.Time, evictions int, last time.Time) {
	t.Helper()
	for _, event := range e.Events(0) {
		switch {
		case event.Kind != EventIntent || event.Pod == "":
		case event.Action.Verb == VerbDelete:
			return event.Time, evictions, last
		case event.Action.Verb == VerbEvict:
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
		options func(*Options)
		stop    func(*simulation, *Engine)
		goOn    func(*simulation, *Engine)
	}{
		"outage": {nil,
			func(s *simulation, _ *Engine) {
				s.store.SetHealth(kube.Health{DownSince: time.Now(), Reason: "connection refused"})
			},
			func(s *simulation, _ *Engine) {
				s.store.SetHealth(kube.Health{Live: true, LastContact: time.Now()})
			}},
		"pause": {nil,
			func(_ *simulation, e *Engine) { e.Send(Control{Kind: ControlPause, By: "ada"}) },
			func(_ *simulation, e *Engine) { e.Send(Control{Kind: ControlContinue, By: "ada"}) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p, o := held(DefaultOptions())
				e := begin(t, t.Context(), s, o, "a")
				start := time.Now()
				s.later(began, func() { c.stop(s, e) })
				s.later(began+over, func() { c.goOn(s, e) })
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
		s, p, o := held(DefaultOptions())
		s.answer = func(kube.EvictRequest) (kube.Answer, bool) {
			if time.Since(p.CreationTimestamp.Time) < 50*time.Second {
				return kube.Answer{}, false
			}
			s.budgets["db"].Status.DisruptionsAllowed = 1 // the watch is late to tell so
			return kube.Answer{}, false
		}
		e := begin(t, t.Context(), s, o, "a")
		s.later(59*time.Second, func() { s.store.SetHealth(kube.Health{DownSince: time.Now()}) })
		s.later(2*time.Minute, func() { s.store.SetHealth(kube.Health{Live: true}) })
		confirmAll(t.Context(), s, e)
		if sent := e.State().Sent; sent[VerbDelete] != 0 || e.State().Pod(p.UID).State != PodGone {
			t.Errorf("sent %v, the pod is %s", sent, e.State().Pod(p.UID).State)
		}
	})
}

// While the Lease over its node is not in hand, a pod is not held by its budget alone.
func TestNoPatienceWithoutTheLease(t *testing.T) {
	o := DefaultOptions()
	o.LeaseNamespace = "kube-node-lease"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := Fold(nil, Event{Seq: 1, Time: at, Kind: EventRunStarted, Run: &RunFacts{Options: o,
		Nodes: []NodeFacts{{Name: "a"}}, Pods: []PodFacts{{Node: "a", Namespace: "default", Name: "db", UID: "p", Action: ActionEvict}}}})
	lease := LeaseFacts{Name: "a"}
	seq := uint64(1)
	after := func(d time.Duration, e Event) {
		seq++
		e.Seq, e.Time, e.Node = seq, at.Add(d), "a"
		s = Fold(s, e)
	}
	pod := func(d time.Duration, state PodState) {
		after(d, Event{Kind: EventPod, Namespace: "default", Pod: "db", UID: "p", PodState: state})
	}
	check := func(d, want time.Duration) {
		t.Helper()
		if got := s.Pod("p").HeldFor(at.Add(d)); got != want {
			t.Errorf("after %s: held for %s, want %s", d, got, want)
		}
	}
	after(0, Event{Kind: EventPhase, Phase: PhaseEvict, PhaseStatus: PhaseRuns})
	after(0, Event{Kind: EventIntent, Action: &ActionFacts{ID: 1, Verb: VerbTake}, Lease: &lease})
	after(0, Event{Kind: EventAnswer, Action: &ActionFacts{ID: 1, Verb: VerbTake}, Lease: &lease, Answer: &AnswerFacts{Code: 201}})
	after(0, Event{Kind: EventLease, Lease: &lease, LeaseState: LeaseHeld})
	pod(0, PodBudgetBlocked)
	check(time.Second, time.Second)
	// The machine slept: the Lease was overdue 20 s after its last renewal, and that
	// shows an hour later.
	after(time.Hour, Event{Kind: EventLease, Lease: &lease, LeaseState: LeaseOverdue})
	check(2*time.Hour, leaseOverdue)
	after(2*time.Hour, Event{Kind: EventLease, Lease: &lease, LeaseState: LeaseHeld})
	check(2*time.Hour+time.Second, leaseOverdue+time.Second)
	pod(2*time.Hour+time.Second, PodWebhookWait)
	check(3*time.Hour, leaseOverdue+time.Second)
	pod(3*time.Hour, PodMultipleBudgets)
	after(3*time.Hour+time.Second, Event{Kind: EventControl, Control: ControlPause})
	check(4*time.Hour, leaseOverdue+2*time.Second)
	after(4*time.Hour, Event{Kind: EventResumed}) // nobody paused the new process
	check(5*time.Hour, leaseOverdue+2*time.Second)
	after(5*time.Hour, Event{Kind: EventLease, Lease: &lease, LeaseState: LeaseHeld})
	check(5*time.Hour+time.Second, leaseOverdue+3*time.Second)
}

// A deletion past the budget that is refused was for one request: by the next one
// the budget may have room.
func TestARefusedDeletionIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, o := held(DefaultOptions())
		w := &brokenDelete{simulation: s}
		e := beginWith(t, t.Context(), s, w, o, "a")
		s.later(o.ForceAfter+10*time.Second, func() { s.addPod("db", "b"); s.control("db") })
		confirmAll(t.Context(), s, e)
		checkRun(t, s, e)
		if run := e.State().Pod(p.UID); run.State != PodGone || run.Action != ActionEvict || len(s.accepted) != 1 || w.deletions == 0 {
			t.Errorf("%s by %s after %d deletions, accepted %v", run.State, run.Action, w.deletions, s.accepted)
		}
	})
}

// brokenDelete loses every deletion on its way.
type brokenDelete struct {
	*simulation
	deletions int
}

func (b *brokenDelete) Delete(context.Context, kube.DeleteRequest) kube.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deletions++
	return kube.Answer{Failure: "EOF"}
}

// Waiting for a volume turn, or for a free slot, starts nothing from the beginning
// and leads to no deletion where the budget has room.
func TestTurnsAndForceAfter(t *testing.T) {
	t.Run("volume turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, d := volumeWorld(t)
			o := DefaultOptions()
			o.ForceAfter = 20 * time.Second
			s.endAfter = 90 * time.Second
			s.addPod("first", "a", d.with("one@disk"))
			p := s.addPod("late", "a", d.with("two@disk"))
			s.addBudget("late", 1)
			e := begin(t, t.Context(), s, o, "a")
			start := time.Now()
			confirmAll(t.Context(), s, e)
			checkRun(t, s, e)
			for _, event := range e.Events(0) {
				if event.Kind == EventIntent && event.Pod == p.Name && event.Action.Verb == VerbDelete {
					if took := event.Time.Sub(start); took < s.endAfter || took > s.endAfter+10*time.Second {
						t.Errorf("deleted after %s, the turn was free after %s", took, s.endAfter)
					}
				}
			}
			if e.State().Pod(p.UID).Action != ActionDelete {
				t.Error("it was never forced")
			}
		})
	})
	t.Run("free slot", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, p, o := held(DefaultOptions())
			o.MaxParallelEvictions, o.ForceAfter = 1, 10*time.Second
			s.answerLag = 8 * time.Second
			for range 3 {
				s.addPod("free", "a")
			}
			e := begin(t, t.Context(), s, o, "a")
			s.later(9*time.Second, func() { s.addPod("db", "b"); s.control("db") }) // room from here on
			confirmAll(t.Context(), s, e)
			if e.State().Sent[VerbDelete] != 0 || e.State().Pod(p.UID).State != PodGone {
				t.Errorf("sent %v", e.State().Sent)
			}
		})
	})
}
