package engine

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func TestDrainGoesOnAsSoonAsTheBudgetAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 4 {
			s.AddPod("web", "a")
		}
		s.AddPod("web", "b")
		s.AddBudget("web", 4)
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if got := e.State().Outcome; got != drain.OutcomeDone {
			t.Fatalf("outcome %q: %s", got, e.State().Message)
		}
		// One pod at a time: one second to end, one second for its replacement.
		if took := time.Since(began); took > 8*time.Second+500*time.Millisecond {
			t.Errorf("four pods one after another took %s", took)
		}
		if len(s.Evictions) != 4 {
			t.Errorf("%d evictions for 4 pods: tokens must spare the refused ones", len(s.Evictions))
		}
	})
}

func TestNoTokenIsLostWhereTheWatchIsQuickerThanTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AnswerLag = 300 * time.Millisecond
		s.AddNode("a")
		s.AddNode("b")
		for range 4 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 2)
		began := time.Now()
		e := drive(t, s, plan.DefaultOptions(), "a")
		if took := time.Since(began); took > 6*time.Second || e.State().Outcome != drain.OutcomeDone {
			t.Errorf("four pods, two at a time, took %s", took)
		}
		if len(s.Evictions) != 4 {
			t.Errorf("%d evictions for 4 pods", len(s.Evictions))
		}
	})
}

func TestReportTellsWhatBecameOfPodsOfAStoppedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.EndAfter = 5 * time.Second
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		s.AddPod("other", "b")
		s.AddBudget("other", 1)
		o := plan.DefaultOptions()
		o.MaxParallelNodes, o.Timeout = 2, 10*time.Second
		s.Later(time.Second, func() {
			s.SetNode("a", func(n *corev1.Node) { n.Spec.Unschedulable, n.Annotations = false, nil })
		})
		e := drive(t, s, o, "a", "b")
		if p := e.State().Pods[0]; p.State != eviction.Gone {
			t.Errorf("%s is %s, and gone in the cluster", p.Name, p.State)
		}
	})
}

func TestBlockedPodTakesNoSlotFromFreeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 3 {
			s.AddPod("held", "a")
		}
		s.AddBudget("held", 3)
		for range 5 {
			s.AddPod("free", "a")
		}
		o := plan.DefaultOptions()
		o.MaxParallelEvictions, o.Timeout = 1, 20*time.Second
		e := drive(t, s, o, "a")
		state := e.State()
		if p := state.Progress("a"); p.Left != 5 || p.Blocked != 3 {
			t.Errorf("progress %+v, want 5 gone and 3 blocked", p)
		}
		if state.Outcome != drain.OutcomePartly || state.Nodes[0].State != drain.NodeFailed {
			t.Errorf("outcome %q, node %s", state.Outcome, state.Nodes[0].State)
		}
		for _, p := range state.Pods {
			if p.Owner == "ReplicaSet/held" && (p.Wait == nil || p.Wait.Budget == nil || p.Wait.Budget.Needed != 3 || p.Wait.Budget.Present != 3) {
				t.Errorf("blocked pod %s waits for %+v", p.Name, p.Wait)
			}
		}
	})
}

func TestEvictionNeedsTheTypedConfirmation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		e := begin(t, t.Context(), s, plan.DefaultOptions(), "a")
		synctest.Wait()
		if s.Cordons != 0 {
			t.Fatal("cordoned before anybody said so")
		}
		e.Send(drain.Confirm{Phase: drain.PhaseEvict, Word: "a"}) // not the phase that asks
		synctest.Wait()
		if s.Cordons != 0 || e.State().Question.Phase != drain.PhaseCordon {
			t.Fatal("a word for another phase confirmed the cordon")
		}
		e.Send(drain.Confirm{Phase: drain.PhaseCordon})
		synctest.Wait()
		e.Send(drain.Confirm{Phase: drain.PhaseEvict, Word: "A"})
		e.Send(drain.Confirm{Phase: drain.PhaseEvict})
		synctest.Wait()
		if s.Cordons != 1 || len(s.Evictions) != 0 {
			t.Fatalf("%d cordons, %d evictions after a wrong word", s.Cordons, len(s.Evictions))
		}
		e.Send(drain.Confirm{Phase: drain.PhaseEvict, Word: "a"})
		<-e.Done()
		s.Halt()
		if e.State().Outcome != drain.OutcomeDone {
			t.Errorf("outcome %q", e.State().Outcome)
		}
	})
}

func TestCordonIsSentOnceHoweverLateTheWatchShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.NodeLag = 3 * time.Second
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		s.Later(time.Second, func() { s.Store.Put(convert.Pod(s.AddPod("other", "b"))) }) // something else changes
		e := drive(t, s, plan.DefaultOptions(), "a")
		if n := e.State().Node("a"); n.State != drain.NodeDrained || !n.Cordoned || e.State().Sent[attempt.VerbCordon] != 1 {
			t.Errorf("node %s, cordoned by us %v, sent %v", n.State, n.Cordoned, e.State().Sent)
		}
	})
}

func TestCordonIsRepeatedOnConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		s.NodeLag = 100 * time.Millisecond
		s.SetNode("a", func(n *corev1.Node) { n.Labels = map[string]string{"heartbeat": "1"} }) // not seen yet
		e := drive(t, s, plan.DefaultOptions(), "a")
		if n := e.State().Node("a"); n.State != drain.NodeDrained || n.Attempts != 2 || s.Cordons != 1 {
			t.Errorf("node %s after %d tries, %d accepted", n.State, n.Attempts, s.Cordons)
		}
	})
}

func TestRefusedNodeIsLeftUntouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddNode("c")
		s.AddPod("bare", "a", func(p *corev1.Pod) { p.OwnerReferences = nil })
		s.AddPod("web", "b")
		e := drive(t, s, plan.DefaultOptions(), "a", "b")
		if s.Nodes["a"].Spec.Unschedulable || e.State().Node("a").State != drain.NodeRefused {
			t.Error("the refused node was touched")
		}
		if e.State().Outcome != drain.OutcomePartly || e.State().Node("b").State != drain.NodeDrained {
			t.Errorf("outcome %q, b %s", e.State().Outcome, e.State().Node("b").State)
		}
		o := plan.DefaultOptions()
		o.AllOrNothing = true
		s.Evictions = nil
		e = drive(t, s, o, "a", "c")
		if e.State().Outcome != drain.OutcomeRefused || s.Nodes["c"].Spec.Unschedulable {
			t.Errorf("all or nothing: outcome %q", e.State().Outcome)
		}
	})
}

func TestNoEvictionWhileTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 4 {
			s.AddPod("web", "a")
		}
		s.AddPod("web", "b")
		s.AddBudget("web", 4)
		s.Later(1500*time.Millisecond, func() {
			s.Store.SetHealth(kube.Health{DownSince: time.Now(), Reason: "connection refused"})
		})
		sent := 0
		s.Later(1600*time.Millisecond, func() { sent = len(s.Evictions) })
		s.Later(time.Minute, func() {
			if len(s.Evictions) != sent {
				t.Errorf("%d evictions while blind", len(s.Evictions)-sent)
			}
			s.Store.SetHealth(kube.Health{Live: true})
		})
		e := drive(t, s, plan.DefaultOptions(), "a")
		if e.State().Outcome != drain.OutcomeDone {
			t.Errorf("outcome %q", e.State().Outcome)
		}
		if !slices.ContainsFunc(e.Events(0), func(e drain.Event) bool { return e.Kind == drain.EventConnection && e.Message == "connection refused" }) {
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
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			if n := len(s.Evictions); n <= len(answers) {
				return answers[n-1], true
			}
			return kube.Answer{}, false
		}
		e := drive(t, s, plan.DefaultOptions(), "a")
		p := e.State().Pods[0]
		if p.State != eviction.Gone || p.Attempts != len(answers)+1 || p.Refusals != len(answers) {
			t.Errorf("%s after %d attempts, %d refused", p.State, p.Attempts, p.Refusals)
		}
	})
}

func TestMissingRightFailsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("web", "a")
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			return kube.Answer{Code: http.StatusForbidden, Message: `pods "web-1" is forbidden: User "x" cannot create resource "pods/eviction"`}, true
		}
		e := drive(t, s, plan.DefaultOptions(), "a")
		if p := e.State().Pods[0]; p.State != eviction.Failed || len(s.Evictions) != 1 {
			t.Errorf("%s after %d evictions", p.State, len(s.Evictions))
		}
		if e.State().Nodes[0].State != drain.NodeFailed {
			t.Errorf("node %s", e.State().Nodes[0].State)
		}
	})
}

func TestNamesakeIsNeverEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		p := s.AddPod("db", "a")
		s.Answer = func(request.Evict) (kube.Answer, bool) {
			// The pod is replaced by a namesake just before the request arrives.
			delete(s.Pods, p.UID)
			s.AddPod("db", "b", func(n *corev1.Pod) { n.Name = p.Name })
			return kube.Answer{}, false
		}
		s.Later(10*time.Second, func() { s.Store.Remove(&kube.Pod{UID: p.UID}) }) // the watch lags
		e := drive(t, s, plan.DefaultOptions(), "a")
		if got := e.State().Pods[0].State; got != eviction.Replaced {
			t.Errorf("state %s, want Replaced", got)
		}
		if len(s.Accepted) != 0 {
			t.Errorf("evicted %v", s.Accepted)
		}
	})
}

func TestPodIsStuckOnlyAfterItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddPod("held", "a", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e := begin(t, ctx, s, plan.DefaultOptions(), "a")
		confirmAll(ctx, s, e)
		p := e.State().Pods[0]
		if p.State != eviction.StuckTerminating || p.Wait == nil || !slices.Equal(p.Wait.Finalizers, []string{"example.com/hold"}) {
			t.Errorf("state %s waits for %+v", p.State, p.Wait)
		}
		if e.State().Outcome != drain.OutcomeAborted {
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
		want drain.NodeState
	}{
		"bound before the cordon, same kind":              {old, drain.NodeDrained},
		"bound before the cordon, would lose an emptyDir": {func(p *corev1.Pod) { old(p); emptyDir(p) }, drain.NodeStopped},
		"tolerates the cordon":                            {tolerant, drain.NodeStopped},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := kubetest.NewSimulation()
				s.AddNode("a")
				s.AddPod("web", "a")
				s.Later(500*time.Millisecond, func() { s.AddPod("late", "a", c.edit) })
				o := plan.DefaultOptions()
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
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 3 {
			s.AddPod("web", "a")
		}
		s.AddBudget("web", 2)
		s.Later(1200*time.Millisecond, func() {
			s.SetNode("a", func(n *corev1.Node) { n.Spec.Unschedulable, n.Annotations = false, nil })
		})
		e := drive(t, s, plan.DefaultOptions(), "a")
		if n := e.State().Nodes[0]; n.State != drain.NodeStopped || e.State().Outcome != drain.OutcomePartly {
			t.Errorf("node %s, outcome %s", n.State, e.State().Outcome)
		}
	})
}
