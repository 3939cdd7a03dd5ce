//go:build lab

package engine

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What others do while a drain runs.

// blockedRun is a run on node a, held by a budget that nothing but the test ends.
func blockedRun(s *stage) (r *labRun, node string, here *corev1.Pod) {
	s.Helper()
	node = s.addNode("a")
	here = s.addPod("web", node)
	s.addBudget("web", "web", 1)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, here)
	s.budgetHas(w, "web", 1, 0)
	r = s.drain(w, c, bareOptions(), node)
	r.pod(here, eviction.BudgetBlocked)
	return r, node, here
}

// stops waits until the run has given the node up, for this reason.
func (r *labRun) stops(node, why string) {
	r.s.Helper()
	state := r.ends(drain.OutcomePartly)
	if n := state.Node(node); n.State != drain.NodeStopped || !strings.Contains(n.Message, why) {
		r.s.Errorf("node %s: %q, want it stopped for %q", n.State, n.Message, why)
	}
	if sent := state.Sent[attempt.VerbEvict]; sent != 0 {
		r.s.Errorf("%d evictions", sent)
	}
}

func TestLabPodBoundBeforeTheCordon(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, here)
	r := s.start(w, c, bareOptions(), a)
	late := s.addPod("web", a)
	s.running(w, late)
	r.confirm(drain.PhaseCordon)
	r.confirm(drain.PhaseEvict)
	if p := r.pod(late, eviction.Gone); !p.Added {
		t.Error("it is not told as one that joined")
	}
	r.ends(drain.OutcomeDone)
}

// A pod that is put on the node past the scheduler, long after the cordon.
func TestLabPodBoundAfterTheCordon(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r, a, _ := blockedRun(s)
	n := r.State().Node(a)
	s.poll("the cordon is older than any binding of the scheduler", func() bool { return r.config.Now().After(n.CordonAt.Add(eviction.BindSlack)) })
	s.addPod("web", a)
	r.stops(a, "was bound to the node after the cordon")
}

func TestLabForeignUncordon(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r, a, _ := blockedRun(s)
	_, err := s.client.CoreV1().Nodes().Patch(t.Context(), a, mergePatch, []byte(`{"spec":{"unschedulable":null}}`), metav1.PatchOptions{})
	s.must(err)
	r.stops(a, "uncordoned")
}

func TestLabNodeDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r, a, _ := blockedRun(s)
	s.must(s.client.CoreV1().Nodes().Delete(t.Context(), a, metav1.DeleteOptions{}))
	r.stops(a, "the node was deleted")
}

// The run must not see the moment between the two, nor take the new node for the
// old one.
func TestLabNodeReplaced(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a)
	s.addBudget("web", "web", 1)
	c := s.connect("")
	w := &curtain{Source: s.watch(c)}
	s.running(w, here)
	s.budgetHas(w, "web", 1, 0)
	r := s.drain(w, c, bareOptions(), a)
	r.pod(here, eviction.BudgetBlocked)
	was := w.Snapshot().Node(a).UID
	w.hold()
	s.must(s.client.CoreV1().Nodes().Delete(t.Context(), a, metav1.DeleteOptions{}))
	s.createNode(a)
	_, err := s.client.CoreV1().Nodes().Patch(t.Context(), a, mergePatch, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	s.must(err)
	s.until(w.Source, "there is a new node", func(snap *kube.Snapshot) bool {
		n := snap.Node(a)
		return n != nil && n.UID != was && n.Unschedulable
	})
	w.release()
	r.Send(drain.Command{Kind: drain.CommandContinue, By: "ada"}) // a look at the cluster, now
	r.stops(a, "the node was replaced")
}

func TestLabBudgetChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*stage){
		"changed": func(s *stage) { s.setBudget("web", 0) },
		"deleted": func(s *stage) { s.deleteBudget("web") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			r, _, here := blockedRun(s)
			change(s)
			if p := r.pod(here, eviction.Gone); p.Attempts != 1 {
				t.Errorf("%d attempts", p.Attempts)
			}
			r.ends(drain.OutcomeDone)
		})
	}
	t.Run("created", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		a := s.addNode("a")
		here := s.addPod("web", a)
		c := s.connect("")
		w := s.watch(c)
		s.running(w, here)
		r := s.start(w, c, bareOptions(), a)
		r.confirm(drain.PhaseCordon)
		s.addBudget("web", "web", 1) // the plan knew of none
		s.budgetHas(w, "web", 1, 0)
		r.confirm(drain.PhaseEvict)
		if p := r.pod(here, eviction.BudgetBlocked); p.Attempts != 0 {
			t.Errorf("%d attempts", p.Attempts)
		}
		s.deleteBudget("web")
		r.pod(here, eviction.Gone)
		r.ends(drain.OutcomeDone)
	})
}

// A pod that tolerates the cordon and is put back by its owner: a drain of it
// would never end.
func TestLabTolerantPodComesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	one := int32(1)
	labels := map[string]string{"app": "agent"}
	_, err := s.client.AppsV1().ReplicaSets(s.namespace).Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				NodeSelector: map[string]string{corev1.LabelHostname: a},
				Tolerations:  []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				Containers:   []corev1.Container{{Name: "main", Image: "registry.local/agent"}},
			}},
		},
	}, metav1.CreateOptions{})
	s.must(err)
	c := s.connect("")
	w := s.watch(c)
	s.until(w, "the agent runs", func(snap *kube.Snapshot) bool {
		for _, p := range snap.PodsIn(s.namespace) {
			if p.Node == a && p.Ready {
				return true
			}
		}
		return false
	})
	r := s.drain(w, c, bareOptions(), a)
	state := r.ends(drain.OutcomePartly)
	if n := state.Node(a); n.State != drain.NodeStopped || !strings.Contains(n.Message, "which it tolerates") {
		t.Errorf("node %s: %q", n.State, n.Message)
	}
	if state.Sent[attempt.VerbEvict] != 1 {
		t.Errorf("%d evictions: it chased the pod", state.Sent[attempt.VerbEvict])
	}
}

// No eviction while the API server does not answer, and it goes on by itself.
func TestLabServerGoesAway(t *testing.T) {
	s := newStage(t)
	r, _, here := blockedRun(s)
	s.fault("stop", "kube-apiserver")
	r.until("it tells that the server does not answer", func(state *drain.State) bool { return state.Down != nil })
	r.Send(drain.Command{Kind: drain.CommandRetry, Pod: here.UID, By: "ada"}) // not even then
	s.fault("start", "kube-apiserver")
	state := r.until("it tells that the server is back", func(state *drain.State) bool { return state.Down == nil })
	if blind := r.blindWrites(); len(blind) > 0 {
		t.Errorf("sent while blind: %v", blind)
	}
	if p := state.Pod(here.UID); p.State.Final() {
		t.Errorf("the outage ended the pod: %s", p.State)
	}
	s.poll("the budget can be deleted", func() bool {
		err := s.client.PolicyV1().PodDisruptionBudgets(s.namespace).Delete(t.Context(), "web", metav1.DeleteOptions{})
		return err == nil || apierrors.IsNotFound(err) // an answer may have been lost
	})
	p := r.pod(here, eviction.Gone)
	r.answered(p, http.StatusCreated, "")
	r.ends(drain.OutcomeDone)
	s.running(r.config.Source, s.addPod("next", s.addNode("b"))) // the kubelets are back, for the tests that follow
}

// blindWrites are the writes that were sent while the run knew that the server
// was away.
func (r *labRun) blindWrites() []string {
	var writes []string
	away := false
	for _, e := range r.Events(0) {
		switch e.Kind {
		case drain.EventConnection:
			away = e.Message != ""
		case drain.EventIntent:
			if away {
				writes = append(writes, fmt.Sprintf("%s %s at %s", e.Action.Verb, e.Pod, e.Time))
			}
		}
	}
	return writes
}
