package drain

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// While the Lease of its node is not in hand, a pod is not held by its budget alone.
func TestNoPatienceWithoutTheLease(t *testing.T) {
	o := plan.DefaultOptions()
	o.LeaseNamespace = "kube-node-lease"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := Fold(nil, Event{Seq: 1, Time: at, Kind: EventRunStarted, Run: &RunFacts{Options: o,
		Nodes: []NodeFacts{{Name: "a"}}, Pods: []eviction.Facts{{Node: "a", Namespace: "default", Name: "db", UID: "p", Action: plan.ActionEvict}}}})
	facts := lease.Facts{Name: "a"}
	seq := uint64(1)
	after := func(d time.Duration, e Event) {
		seq++
		e.Seq, e.Time, e.Node = seq, at.Add(d), "a"
		s = Fold(s, e)
	}
	pod := func(d time.Duration, state eviction.State) {
		after(d, Event{Kind: EventPod, Namespace: "default", Pod: "db", UID: "p", PodState: state})
	}
	check := func(d, want time.Duration) {
		t.Helper()
		if got := s.Pod("p").Tend(false, at.Add(d)).Held; got != want {
			t.Errorf("after %s: held for %s, want %s", d, got, want)
		}
	}
	after(0, Event{Kind: EventPhase, Phase: PhaseEvict, PhaseStatus: PhaseRuns})
	after(0, Event{Kind: EventIntent, Action: &attempt.ActionFacts{ID: 1, Verb: attempt.VerbAcquire}, Lease: &facts})
	after(0, Event{Kind: EventAnswer, Action: &attempt.ActionFacts{ID: 1, Verb: attempt.VerbAcquire}, Lease: &facts, Answer: &attempt.AnswerFacts{Code: 201}})
	after(0, Event{Kind: EventLease, Lease: &facts, LeaseState: lease.Held})
	pod(0, eviction.BudgetBlocked)
	check(time.Second, time.Second)
	// The machine slept: the Lease was overdue 20 s after its last renewal, and that
	// shows an hour later.
	overdue := lease.Facts{Name: "a", RenewedAt: at}
	after(time.Hour, Event{Kind: EventLease, Lease: &overdue, LeaseState: lease.Overdue})
	check(2*time.Hour, lease.OverdueAfter)
	after(2*time.Hour, Event{Kind: EventLease, Lease: &facts, LeaseState: lease.Held})
	check(2*time.Hour+time.Second, lease.OverdueAfter+time.Second)
	pod(2*time.Hour+time.Second, eviction.WebhookWait)
	check(3*time.Hour, lease.OverdueAfter+time.Second)
	pod(3*time.Hour, eviction.MultipleBudgets)
	after(3*time.Hour+time.Second, Event{Kind: EventControl, Command: CommandPause})
	check(4*time.Hour, lease.OverdueAfter+2*time.Second)
	after(4*time.Hour, Event{Kind: EventResumed}) // the new process was not paused
	check(5*time.Hour, lease.OverdueAfter+2*time.Second)
	after(5*time.Hour, Event{Kind: EventLease, Lease: &facts, LeaseState: lease.Held})
	check(5*time.Hour+time.Second, lease.OverdueAfter+3*time.Second)
}
