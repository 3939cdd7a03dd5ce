//go:build lab

package engine

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/remedy"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// addMachine makes a node that no kubelet speaks for: it is as well as the test says.
func (s *stage) addMachine(name string) string {
	s.Helper()
	full := s.namespace + "-" + name
	_, err := s.client.CoreV1().Nodes().Create(s.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: full, Labels: map[string]string{corev1.LabelHostname: full}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "test.kdrain-tui.dev/own", Effect: corev1.TaintEffectNoSchedule}}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.afterwards(func(ctx context.Context) error {
		return s.client.CoreV1().Nodes().Delete(ctx, full, metav1.DeleteOptions{})
	})
	s.machineIs(full, corev1.ConditionTrue)
	return full
}

func (s *stage) machineIs(node string, ready corev1.ConditionStatus) {
	s.Helper()
	n, err := s.client.CoreV1().Nodes().Get(s.Context(), node, metav1.GetOptions{})
	s.must(err)
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, Reason: "Test",
		LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()}}
	n.ResourceVersion = ""
	_, err = s.client.CoreV1().Nodes().UpdateStatus(s.Context(), n, metav1.UpdateOptions{})
	s.must(err)
}

// machineOff is a drain of a machine that went off while its one pod ended.
func machineOff(t *testing.T, options ...labOption) (*stage, *connection, *watch.Watcher, *labRun, *corev1.Pod, string) {
	s := newStage(t)
	c := s.connect("")
	a := s.addMachine("a")
	w := s.watchRemedies(c)
	p := s.addPod("web", a, options...)
	p.Status.Phase, p.Status.Conditions = corev1.PodRunning, []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	_, err := s.client.CoreV1().Pods(s.namespace).UpdateStatus(s.Context(), p, metav1.UpdateOptions{})
	s.must(err)
	s.running(w, p)
	r := s.drain(w, c, bareOptions(), a)
	r.pod(p, eviction.Terminating)
	s.machineIs(a, corev1.ConditionUnknown)
	r.until("its kubelet is silent", func(state *drain.State) bool {
		run := state.Pod(p.UID)
		return run.Wait != nil && run.Wait.For == waits.ForKubelet
	})
	s.until(w, "the controller has tainted the node, and lets it be", func(snap *kube.Snapshot) bool {
		return slices.ContainsFunc(snap.Node(a).Taints, func(taint corev1.Taint) bool {
			return taint.Key == corev1.TaintNodeUnreachable && taint.Effect == corev1.TaintEffectNoExecute
		})
	})
	return s, c, w, r, p, a
}

func TestLabRemedyForceDelete(t *testing.T) {
	t.Parallel()
	_, _, _, r, p, _ := machineOff(t)
	r.remediate(remedy.ForceDelete, p)
	r.pod(p, eviction.Gone)
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Done)
}

func TestLabRemedyTaint(t *testing.T) {
	t.Parallel()
	s, c, w, r, p, a := machineOff(t)
	r.remediate(remedy.OutOfService, p)
	r.pod(p, eviction.Gone) // the garbage collector of pods forgets it
	r.ends(drain.OutcomeDone)
	r.remedy(remedy.Orphaned) // its machine is still off
	s.until(w, "the taint is there", func(snap *kube.Snapshot) bool { return snap.Node(a).OutOfService() })
	undo := rollback.Plan(r.State(), w.Snapshot(), time.Now())[0]
	if undo.Taint == nil {
		t.Fatalf("%+v", undo)
	}
	// The controllers write to a node that is off, so a first try may conflict.
	s.until(w, "the taint is taken back", func(snap *kube.Snapshot) bool {
		undo := rollback.Plan(r.State(), snap, time.Now())[0]
		return undo.Taint != nil && c.Taint(t.Context(), *undo.Taint).OK()
	})
	s.until(w, "the taint is gone, and the others are there", func(snap *kube.Snapshot) bool {
		n := snap.Node(a)
		return !n.OutOfService() && n.Annotations[kube.OutOfServiceAnnotation] == "" && len(n.Taints) > 0
	})
}

func TestLabRemedyTaintGoesWhenTheNodeReturns(t *testing.T) {
	t.Parallel()
	held := func(p *corev1.Pod) { p.Finalizers = []string{"test.kdrain-tui.dev/hold"} } // else the run is over at once
	s, _, w, r, p, a := machineOff(t, held)
	s.afterwards(func(ctx context.Context) error {
		_, err := s.client.CoreV1().Pods(s.namespace).Patch(ctx, p.Name, mergePatch, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		return err
	})
	r.remediate(remedy.OutOfService, p)
	r.remedy(remedy.Done)
	s.until(w, "the taint is there", func(snap *kube.Snapshot) bool { return snap.Node(a).OutOfService() })
	s.machineIs(a, corev1.ConditionTrue)
	r.remedy(remedy.Undone)
}
