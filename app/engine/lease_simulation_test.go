package engine

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// contested is a cluster with a node on which one pod takes for ever, so that a
// run on it lives until it is stopped.
func contested() *kubetest.Simulation {
	s := kubetest.NewSimulation()
	s.AddNode("a")
	s.AddNode("b")
	s.AddPod("web", "a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
	s.AddPod("slow", "a")
	s.AddBudget("slow", 1) // never lets it go
	return s
}

func leaseStates(e *Engine) (states []lease.State) {
	for _, event := range e.Events(0) {
		if event.Kind == drain.EventLease {
			states = append(states, event.LeaseState)
		}
	}
	return states
}

func TestALeaseIsTakenBeforeTheCordonAndGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		s.EndAfter = 47 * time.Second
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a")
		<-e.Done()
		if got := e.State(); got.Outcome != drain.OutcomeDone {
			t.Fatalf("outcome %q: %s", got.Outcome, got.Message)
		}
		var verbs []attempt.Verb
		for _, event := range e.Events(0) {
			if event.Kind == drain.EventIntent {
				verbs = append(verbs, event.Action.Verb)
			}
		}
		want := []attempt.Verb{attempt.VerbAcquire, attempt.VerbCordon, attempt.VerbEvict, attempt.VerbRelease}
		if !slices.Equal(verbs, want) {
			t.Errorf("sent %v, want %v", verbs, want)
		}
		if len(o.renewals) != 4 {
			t.Errorf("%d renewals in %s", len(o.renewals), s.EndAfter)
		}
		for i := 1; i < len(o.renewals); i++ {
			if gap := o.renewals[i].Sub(o.renewals[i-1]); gap < 5*time.Second {
				t.Errorf("renewals %s apart", gap)
			}
		}
		if left := s.Store.Snapshot().Leases(); len(left) > 0 {
			t.Errorf("left behind: %+v", left[0])
		}
		if got := leaseStates(e); !slices.Equal(got, []lease.State{lease.Held, lease.Released}) {
			t.Errorf("states %v", got)
		}
	})
}

// The second run waits until the first shows itself, and leaves the node alone.
func TestASecondRunLeavesANodeToALivingOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		first := &operator{Simulation: s}
		options := leasing()
		options.Reason = "new \x1b[31mdisk"
		one := first.begin(t, "r1", options, "a")
		time.Sleep(12 * time.Second)
		second := &operator{Simulation: s}
		two := second.begin(t, "r2", leasing(), "a")
		<-two.Done()
		state := two.State()
		if state.Outcome != drain.OutcomeRefused || state.Nodes[0].State != drain.NodeRefused || second.cordoned > 0 || len(second.mine) > 0 || len(second.leases) > 0 {
			t.Errorf("outcome %q, node %s, sent %v %v: a living run's node must be left alone", state.Outcome, state.Nodes[0].State, second.mine, second.leases)
		}
		for _, word := range []string{"run r1", "user-r1", "new disk"} {
			if !strings.Contains(state.Nodes[0].Message, word) {
				t.Errorf("%q does not say %q", state.Nodes[0].Message, word)
			}
		}
		if one.State().Outcome != "" {
			t.Error("the first run must not notice")
		}
		one.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-one.Done()
	})
}

// What counts is how long nothing was seen of the Lease, by our own clock.
func TestALeaseWhoseRunDiedIsFreeAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		dead := &operator{Simulation: s}
		// Its times are in the far future, and are not read.
		dead.CreateLease(t.Context(), request.WriteLease{NodeUID: "node-a", Run: "r0", By: "bob", Since: time.Now().Add(100 * time.Hour), Renewed: time.Now().Add(100 * time.Hour)})
		time.Sleep(3 * time.Second)
		o := &operator{Simulation: s}
		began := time.Now()
		e := o.begin(t, "r1", leasing(), "a")
		<-e.Done()
		if e.State().Outcome != drain.OutcomeDone {
			t.Fatalf("outcome %q", e.State().Outcome)
		}
		if waited := e.State().Nodes[0].CordonAt.Sub(began); waited != kube.LeaseDuration-3*time.Second {
			t.Errorf("cordoned after %s, want 30 s after the Lease was first seen", waited)
		}
		if got := leaseStates(e); !slices.Equal(got, []lease.State{lease.Awaited, lease.Held, lease.Released}) {
			t.Errorf("states %v", got)
		}
	})
}

func TestATakeOverStopsTheOtherRunAtOnce(t *testing.T) {
	for name, word := range map[string]string{"any": plan.TakeOverAny, "by name": "r1"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := contested()
				first := &operator{Simulation: s}
				one := first.begin(t, "r1", leasing(), "a")
				time.Sleep(12 * time.Second)
				second := &operator{Simulation: s}
				options := leasing()
				options.TakeOver = []string{word}
				two := second.begin(t, "r2", options, "a")
				<-one.Done()
				sent := len(first.mine)
				n := one.State().Nodes[0]
				if n.State != drain.NodeStopped || n.Lease.State != lease.Lost || !strings.Contains(n.Message, "taken over by run r2 of user-r2") {
					t.Errorf("the first run's node is %s, its Lease %s: %s", n.State, n.Lease.State, n.Message)
				}
				if one.State().Outcome != drain.OutcomePartly {
					t.Errorf("the first run ended %q", one.State().Outcome)
				}
				time.Sleep(2 * time.Minute)
				if len(first.mine) != sent || slices.Contains(first.leases, "delete") {
					t.Error("the run that lost its Lease goes on sending")
				}
				if live := s.Store.Snapshot().LeaseOf("node-a"); live == nil || live.Holder != "r2" || live.Transitions != 1 {
					t.Errorf("the Lease is %+v", live)
				}
				two.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
				<-two.Done()
				if left := s.Store.Snapshot().Leases(); len(left) > 0 {
					t.Errorf("left behind: %+v", left[0])
				}
			})
		})
	}
}

func TestAConfirmationForAnotherRunTakesNothingOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		one := (&operator{Simulation: s}).begin(t, "r1", leasing(), "a")
		time.Sleep(12 * time.Second)
		options := leasing()
		options.TakeOver = []string{"r7"}
		two := (&operator{Simulation: s}).begin(t, "r2", options, "a")
		<-two.Done()
		if two.State().Outcome != drain.OutcomeRefused {
			t.Errorf("outcome %q", two.State().Outcome)
		}
		one.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-one.Done()
	})
}

// Both never work on the node at the same time, whatever the network does.
func TestARunThatIsCutOffSendsNothingBeforeAnotherMayTakeItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		first := &operator{Simulation: s}
		one := first.begin(t, "r1", leasing(), "a")
		time.Sleep(3 * time.Second)
		second := &operator{Simulation: s}
		first.disconnect(true)
		two := second.begin(t, "r2", leasing(), "a")
		time.Sleep(kube.LeaseDuration - 4*time.Second)
		if second.cordoned > 0 || len(second.mine) > 0 {
			t.Fatal("the second run began before the Lease was over")
		}
		time.Sleep(2 * time.Second)
		if live := s.Store.Snapshot().LeaseOf("node-a"); live == nil || live.Holder != "r2" {
			t.Fatalf("the Lease of a silent run must be free: %+v", live)
		}
		if state := one.State().Nodes[0].Lease.State; state != lease.Overdue {
			t.Errorf("the cut off run takes its Lease for %s", state)
		}
		sent := len(first.mine)
		first.disconnect(false)
		<-one.Done()
		if len(first.mine) != sent {
			t.Error("it sent an eviction for a node that it had lost")
		}
		if n := one.State().Nodes[0]; n.State != drain.NodeStopped || !strings.Contains(n.Message, "run r2") {
			t.Errorf("node %s: %s", n.State, n.Message)
		}
		two.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-two.Done()
	})
}

func TestARenewalThatComesLateLetsTheRunGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a")
		time.Sleep(12 * time.Second)
		o.disconnect(true)
		time.Sleep(25 * time.Second)
		o.disconnect(false)
		time.Sleep(6 * time.Second)
		if got := leaseStates(e); !slices.Equal(got, []lease.State{lease.Held, lease.Held, lease.Overdue, lease.Overdue, lease.Held}) {
			t.Errorf("states %v", got)
		}
		delete(s.Budgets, "slow")
		s.Store.Remove(&kube.Budget{Namespace: "default", Name: "slow"})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !slices.Contains(s.Accepted, "slow-2") {
			t.Error("nothing is evicted although the Lease is held again")
		}
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-e.Done()
	})
}

func TestWithoutTheRightToLeasesTheRunGoesOnAndSaysSo(t *testing.T) {
	for name, take := range map[string]func(o *operator){
		"to write": func(o *operator) { o.noLeases = true },
		"to read": func(o *operator) {
			o.Store.SetSync(kube.KindLeases, kube.SyncState{Phase: kube.Denied, Reason: "leases is forbidden"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddNode("b")
				s.AddPod("web", "a")
				o := &operator{Simulation: s}
				take(o)
				e := o.begin(t, "r1", leasing(), "a")
				<-e.Done()
				n := e.State().Nodes[0]
				if e.State().Outcome != drain.OutcomeDone || n.Lease.State != lease.Disabled || !strings.Contains(n.Lease.Message, "leases is forbidden") {
					t.Errorf("outcome %q, Lease %s: %s", e.State().Outcome, n.Lease.State, n.Lease.Message)
				}
				if len(o.leases) > 1 {
					t.Errorf("asked %v", o.leases)
				}
			})
		})
	}
}

func TestAllOrNothingTouchesNoNodeIfOneIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		one := (&operator{Simulation: s}).begin(t, "r1", leasing(), "a")
		time.Sleep(12 * time.Second)
		second := &operator{Simulation: s}
		options := leasing()
		options.AllOrNothing = true
		two := second.begin(t, "r2", options, "b", "a")
		<-two.Done()
		if two.State().Outcome != drain.OutcomeRefused || second.cordoned > 0 {
			t.Errorf("outcome %q, %d cordons", two.State().Outcome, second.cordoned)
		}
		if live := s.Store.Snapshot().LeaseOf("node-b"); live != nil {
			t.Errorf("the Lease of b is still there: %+v", live)
		}
		one.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-one.Done()
	})
}

// The first try for a Lease can meet a server that is starting, a connection that
// breaks, or another run that writes or gives its Lease back at that moment: it is
// tried again.
func TestALeaseIsAskedForAgain(t *testing.T) {
	for name, refusal := range map[string]kube.Answer{
		"conflict": {Code: http.StatusConflict, Reason: metav1.StatusReasonConflict},
		"not yet":  {Code: http.StatusServiceUnavailable, Message: "apiserver is starting"},
		"no way":   noAnswer,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := kubetest.NewSimulation()
			s.AddNode("a")
			s.AddNode("b")
			s.AddPod("web", "a")
			o := &operator{Simulation: s, refuse: []kube.Answer{refusal, refusal}}
			began := time.Now()
			e := o.begin(t, "r1", leasing(), "a")
			select {
			case <-e.Done():
			case <-time.After(4 * lease.RetryAfter):
				t.Errorf("%s: the run hangs, its Lease is %+v", name, e.State().Nodes[0].Lease)
				e.Send(drain.Command{Kind: drain.CommandAbort})
				<-e.Done()
			}
			if got := e.State().Outcome; got != drain.OutcomeDone {
				t.Errorf("%s: %s after %s", name, got, time.Since(began))
			}
			if want := []string{"create r1", "create r1", "create r1", "delete"}; !slices.Equal(o.leases, want) {
				t.Errorf("%s: asked for %q, want %q", name, o.leases, want)
			}
		})
	}
}

func TestADeletedLeaseIsAcquiredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := contested()
		o := &operator{Simulation: s}
		e := o.begin(t, "r1", leasing(), "a")
		time.Sleep(time.Second)
		s.Store.Remove(s.Store.Snapshot().LeaseOf("node-a"))
		time.Sleep(20 * time.Second)
		if live := s.Store.Snapshot().LeaseOf("node-a"); live == nil || live.Holder != "r1" {
			t.Errorf("the Lease is %+v", live)
		}
		e.Send(drain.Command{Kind: drain.CommandAbort, By: "test"})
		<-e.Done()
	})
}
