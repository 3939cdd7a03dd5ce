package drain

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestDrainGoesOnAsSoonAsTheBudgetAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 4 {
			s.addPod("web", "a")
		}
		s.addPod("web", "b")
		s.addBudget("web", 4)
		began := time.Now()
		e := drive(t, s, DefaultOptions(), "a")
		if got := e.State().Outcome; got != OutcomeDone {
			t.Fatalf("outcome %q: %s", got, e.State().Message)
		}
		// One pod at a time: one second to end, one second for its replacement.
		if took := time.Since(began); took > 8*time.Second+500*time.Millisecond {
			t.Errorf("four pods one after another took %s", took)
		}
		if len(s.evictions) != 4 {
			t.Errorf("%d evictions for 4 pods: tokens must spare the refused ones", len(s.evictions))
		}
	})
}

func TestNoTokenIsLostWhereTheWatchIsQuickerThanTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.answerLag = 300 * time.Millisecond
		s.addNode("a")
		s.addNode("b")
		for range 4 {
			s.addPod("web", "a")
		}
		s.addBudget("web", 2)
		began := time.Now()
		e := drive(t, s, DefaultOptions(), "a")
		if took := time.Since(began); took > 6*time.Second || e.State().Outcome != OutcomeDone {
			t.Errorf("four pods, two at a time, took %s", took)
		}
		if len(s.evictions) != 4 {
			t.Errorf("%d evictions for 4 pods", len(s.evictions))
		}
	})
}

func TestReportTellsWhatBecameOfPodsOfAStoppedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.endAfter = 5 * time.Second
		s.addNode("a")
		s.addNode("b")
		s.addPod("web", "a")
		s.addPod("other", "b")
		s.addBudget("other", 1)
		o := DefaultOptions()
		o.MaxParallelNodes, o.Timeout = 2, 10*time.Second
		s.later(time.Second, func() {
			s.setNode("a", func(n *corev1.Node) { n.Spec.Unschedulable, n.Annotations = false, nil })
		})
		e := drive(t, s, o, "a", "b")
		if p := e.State().Pods[0]; p.State != PodGone {
			t.Errorf("%s is %s, and gone in the cluster", p.Name, p.State)
		}
	})
}

func TestBlockedPodTakesNoSlotFromFreeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 3 {
			s.addPod("held", "a")
		}
		s.addBudget("held", 3)
		for range 5 {
			s.addPod("free", "a")
		}
		o := DefaultOptions()
		o.MaxParallelEvictions, o.Timeout = 1, 20*time.Second
		e := drive(t, s, o, "a")
		state := e.State()
		if p := state.Progress("a"); p.Left != 5 || p.Blocked != 3 {
			t.Errorf("progress %+v, want 5 gone and 3 blocked", p)
		}
		if state.Outcome != OutcomePartly || state.Nodes[0].State != NodeFailed {
			t.Errorf("outcome %q, node %s", state.Outcome, state.Nodes[0].State)
		}
		for _, p := range state.Pods {
			if p.Owner == "ReplicaSet/held" && (p.Wait == nil || p.Wait.Budget == nil || p.Wait.Budget.Needed != 3 || p.Wait.Budget.Present != 3) {
				t.Errorf("blocked pod %s waits for %+v", p.Name, p.Wait)
			}
		}
	})
}

func TestEvictionNeedsTheTypedWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		e := begin(t, t.Context(), s, DefaultOptions(), "a")
		synctest.Wait()
		if s.cordons != 0 {
			t.Fatal("cordoned before anybody said so")
		}
		e.Send(Confirm{Phase: PhaseEvict, Word: "a"}) // not the phase that asks
		synctest.Wait()
		if s.cordons != 0 || e.State().Question.Phase != PhaseCordon {
			t.Fatal("a word for another phase confirmed the cordon")
		}
		e.Send(Confirm{Phase: PhaseCordon})
		synctest.Wait()
		e.Send(Confirm{Phase: PhaseEvict, Word: "A"})
		e.Send(Confirm{Phase: PhaseEvict})
		synctest.Wait()
		if s.cordons != 1 || len(s.evictions) != 0 {
			t.Fatalf("%d cordons, %d evictions after a wrong word", s.cordons, len(s.evictions))
		}
		e.Send(Confirm{Phase: PhaseEvict, Word: "a"})
		<-e.Done()
		s.halt()
		if e.State().Outcome != OutcomeDone {
			t.Errorf("outcome %q", e.State().Outcome)
		}
	})
}

func TestCordonIsSentOnceHoweverLateTheWatchShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.nodeLag = 3 * time.Second
		s.addNode("a")
		s.addNode("b")
		s.addPod("web", "a")
		s.later(time.Second, func() { s.store.Put(kube.PodRecord(s.addPod("other", "b"))) }) // something else changes
		e := drive(t, s, DefaultOptions(), "a")
		if n := e.State().Node("a"); n.State != NodeDrained || !n.Cordoned || e.State().Sent[VerbCordon] != 1 {
			t.Errorf("node %s, cordoned by us %v, sent %v", n.State, n.Cordoned, e.State().Sent)
		}
	})
}

func TestCordonIsRepeatedOnConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		s.nodeLag = 100 * time.Millisecond
		s.setNode("a", func(n *corev1.Node) { n.Labels = map[string]string{"heartbeat": "1"} }) // not seen yet
		e := drive(t, s, DefaultOptions(), "a")
		if n := e.State().Node("a"); n.State != NodeDrained || n.Attempts != 2 || s.cordons != 1 {
			t.Errorf("node %s after %d tries, %d accepted", n.State, n.Attempts, s.cordons)
		}
	})
}

func TestRefusedNodeIsLeftUntouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addNode("c")
		s.addPod("bare", "a", func(p *corev1.Pod) { p.OwnerReferences = nil })
		s.addPod("web", "b")
		e := drive(t, s, DefaultOptions(), "a", "b")
		if s.nodes["a"].Spec.Unschedulable || e.State().Node("a").State != NodeRefused {
			t.Error("the refused node was touched")
		}
		if e.State().Outcome != OutcomePartly || e.State().Node("b").State != NodeDrained {
			t.Errorf("outcome %q, b %s", e.State().Outcome, e.State().Node("b").State)
		}
		o := DefaultOptions()
		o.AllOrNothing = true
		s.evictions = nil
		e = drive(t, s, o, "a", "c")
		if e.State().Outcome != OutcomeRefused || s.nodes["c"].Spec.Unschedulable {
			t.Errorf("all or nothing: outcome %q", e.State().Outcome)
		}
	})
}

func TestNoEvictionWhileTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 4 {
			s.addPod("web", "a")
		}
		s.addPod("web", "b")
		s.addBudget("web", 4)
		s.later(1500*time.Millisecond, func() {
			s.store.SetHealth(kube.Health{DownSince: time.Now(), Reason: "connection refused"})
		})
		sent := 0
		s.later(1600*time.Millisecond, func() { sent = len(s.evictions) })
		s.later(time.Minute, func() {
			if len(s.evictions) != sent {
				t.Errorf("%d evictions while blind", len(s.evictions)-sent)
			}
			s.store.SetHealth(kube.Health{Live: true})
		})
		e := drive(t, s, DefaultOptions(), "a")
		if e.State().Outcome != OutcomeDone {
			t.Errorf("outcome %q", e.State().Outcome)
		}
		if !slices.ContainsFunc(e.Events(0), func(e Event) bool { return e.Kind == EventConnection && e.Message == "connection refused" }) {
			t.Error("the run does not tell that the server was away")
		}
	})
}

func TestTransientAnswersNeverEndAPod(t *testing.T) {
	answers := []kube.Answer{
		{Failure: "EOF"},
		{Code: 504, Message: "couldn't update PodDisruptionBudget due to conflicts", RetryAfter: 10 * time.Second},
		{Code: 429, Message: "Too many requests, please try again later.", RetryAfter: time.Second},
		{Code: 403, Message: "pdb disruptions allowed is negative"},
		{Code: 500, Message: "etcdserver: leader changed"},
		{Code: 429, Message: `admission webhook "vm" denied the request: Eviction triggered evacuation of VMI`},
		{Code: 403, Message: "being terminated", Causes: []kube.Cause{{Type: "NamespaceTerminating"}}},
		{Code: 409, Message: "the object has been modified"},
		{Code: 418, Message: "never seen"},
	}
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		s.answer = func(kube.EvictRequest) (kube.Answer, bool) {
			if n := len(s.evictions); n <= len(answers) {
				return answers[n-1], true
			}
			return kube.Answer{}, false
		}
		e := drive(t, s, DefaultOptions(), "a")
		p := e.State().Pods[0]
		if p.State != PodGone || p.Attempts != len(answers)+1 || p.Refusals != len(answers) {
			t.Errorf("%s after %d attempts, %d refused", p.State, p.Attempts, p.Refusals)
		}
	})
}

func TestMissingRightFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("web", "a")
		s.answer = func(kube.EvictRequest) (kube.Answer, bool) {
			return kube.Answer{Code: http.StatusForbidden, Message: `pods "web-1" is forbidden: User "x" cannot create resource "pods/eviction"`}, true
		}
		e := drive(t, s, DefaultOptions(), "a")
		if p := e.State().Pods[0]; p.State != PodFailed || len(s.evictions) != 1 {
			t.Errorf("%s after %d evictions", p.State, len(s.evictions))
		}
		if e.State().Nodes[0].State != NodeFailed {
			t.Errorf("node %s", e.State().Nodes[0].State)
		}
	})
}

func TestNamesakeIsNeverEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		p := s.addPod("db", "a")
		s.answer = func(kube.EvictRequest) (kube.Answer, bool) {
			// The pod is replaced by a namesake just before the request arrives.
			delete(s.pods, p.UID)
			s.addPod("db", "b", func(n *corev1.Pod) { n.Name = p.Name })
			return kube.Answer{}, false
		}
		s.later(10*time.Second, func() { s.store.Remove(&kube.Pod{UID: p.UID}) }) // the watch lags
		e := drive(t, s, DefaultOptions(), "a")
		if got := e.State().Pods[0].State; got != PodReplaced {
			t.Errorf("state %s, want Replaced", got)
		}
		if len(s.accepted) != 0 {
			t.Errorf("evicted %v", s.accepted)
		}
	})
}

func TestPodIsStuckOnlyAfterItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addPod("held", "a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e := begin(t, ctx, s, DefaultOptions(), "a")
		confirmAll(ctx, s, e)
		p := e.State().Pods[0]
		if p.State != PodStuckTerminating || p.Wait == nil || !slices.Equal(p.Wait.Finalizers, []string{"example.com/hold"}) {
			t.Errorf("state %s waits for %+v", p.State, p.Wait)
		}
		if e.State().Outcome != OutcomeAborted {
			t.Errorf("outcome %q", e.State().Outcome)
		}
	})
}

func TestLateComers(t *testing.T) {
	tolerant := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	emptyDir := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	}
	old := func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour)) }
	for name, c := range map[string]struct {
		edit func(*corev1.Pod)
		want NodeState
	}{
		"bound before the cordon, same kind":              {old, NodeDrained},
		"bound before the cordon, would lose an emptyDir": {func(p *corev1.Pod) { old(p); emptyDir(p) }, NodeStopped},
		"tolerates the cordon":                            {tolerant, NodeStopped},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation()
				s.addNode("a")
				s.addPod("web", "a")
				s.later(500*time.Millisecond, func() { s.addPod("late", "a", c.edit) })
				o := DefaultOptions()
				o.DeleteEmptyDirData = true
				e := begin(t, t.Context(), s, o, "a")
				confirmAll(t.Context(), s, e)
				if n := e.State().Nodes[0]; n.State != c.want {
					t.Errorf("node %s (%s), want %s", n.State, n.Message, c.want)
				}
			})
		})
	}
}

func TestForeignUncordonStopsTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 3 {
			s.addPod("web", "a")
		}
		s.addBudget("web", 2)
		s.later(1200*time.Millisecond, func() {
			s.setNode("a", func(n *corev1.Node) { n.Spec.Unschedulable, n.Annotations = false, nil })
		})
		e := drive(t, s, DefaultOptions(), "a")
		if n := e.State().Nodes[0]; n.State != NodeStopped || e.State().Outcome != OutcomePartly {
			t.Errorf("node %s, outcome %s", n.State, e.State().Outcome)
		}
	})
}
