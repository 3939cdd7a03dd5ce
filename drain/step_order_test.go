package drain

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func critical(p *corev1.Pod) {
	priority := int32(systemCriticalPriority)
	p.Spec.Priority = &priority
}

func csiDriver(p *corev1.Pod) {
	p.Spec.Volumes = []corev1.Volume{{Name: "plugins", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet/plugins/csi.example.com"}}}}
}

func TestTiersGoOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addPod("csi", "a", csiDriver)
		s.addPod("dns", "a", critical)
		s.addPod("web", "a")
		s.addPod("held", "a") // blocked for ever: must not hold the next tier
		s.addBudget("held", 1)
		o := DefaultOptions()
		o.Order, o.Timeout = OrderTiers, 25*time.Second
		drive(t, s, o, "a")
		if want := []string{"web-3", "dns-2", "csi-1"}; !slices.Equal(s.accepted, want) {
			t.Errorf("evicted in the order %v, want %v", s.accepted, want)
		}
	})
}

func TestJobsRunToTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		job := s.addPod("job", "a", func(p *corev1.Pod) { p.OwnerReferences[0].Kind, p.OwnerReferences[0].APIVersion = "Job", "batch/v1" })
		s.addPod("web", "a")
		began := time.Now()
		s.later(time.Minute, func() {
			if slices.Contains(s.accepted, job.Name) {
				t.Error("the job was evicted while it ran")
			}
			done := job.DeepCopy()
			done.Status.Phase = corev1.PodSucceeded
			s.pods[job.UID] = done
			s.store.Put(kube.PodRecord(done))
		})
		o := DefaultOptions()
		o.WaitJobs = true
		e := drive(t, s, o, "a")
		if e.State().Outcome != OutcomeDone || time.Since(began) < time.Minute {
			t.Errorf("outcome %q after %s", e.State().Outcome, time.Since(began))
		}
	})
}

func TestForceAfterDeletesWithThePodsOwnGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addPod("held", "a")
		s.addBudget("held", 1)
		o := DefaultOptions()
		o.ForceAfter = 5 * time.Second
		e := drive(t, s, o, "a")
		p := e.State().Pods[0]
		if p.State != PodGone || p.Action != ActionDelete || e.State().Sent[VerbEvict] != 1 || e.State().Sent[VerbDelete] != 1 {
			t.Errorf("%s by %s, sent %v, want one eviction that proves that its budget holds it", p.State, p.Action, e.State().Sent)
		}
		if p.Held < o.ForceAfter {
			t.Errorf("forced after %s", p.Held)
		}
	})
}

func TestMaxEvictRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addPod("held", "a")
		s.addBudget("held", 1)
		o := DefaultOptions()
		o.MaxEvictRetries = 2
		e := drive(t, s, o, "a")
		if p := e.State().Pods[0]; p.Refusals != 3 || p.Action != ActionDelete || p.State != PodGone {
			t.Errorf("%s by %s after %d refusals", p.State, p.Action, p.Refusals)
		}
	})
}

func TestOneSafetyPollPerBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		for range 20 {
			s.addPod("held", "a")
		}
		s.addBudget("held", 20)
		o := DefaultOptions()
		o.Timeout = 100 * time.Second
		e := drive(t, s, o, "a")
		if n := len(s.evictions); n < 2 || n > 3 {
			t.Errorf("%d evictions in %s for a budget that never moved, want one per %s", n, o.Timeout, budgetPoll)
		}
		if e.State().Outcome != OutcomePartly {
			t.Errorf("outcome %q", e.State().Outcome)
		}
	})
}

func TestExcludeFromLoadBalancersBeforeTheFirstEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		s.addPod("web", "a")
		o := DefaultOptions()
		o.ExcludeFromLB = 20 * time.Second
		e := drive(t, s, o, "a")
		node := kube.NodeRecord(s.nodes["a"])
		if !node.ExcludedFromLB() {
			t.Error("the node carries no label")
		}
		mark, ours := ParseMark(node.Cordon.Mark)
		if !ours || !mark.ExcludedFromLB || mark.Was != "schedulable" {
			t.Errorf("mark %q", node.Cordon.Mark)
		}
		n := e.State().Nodes[0]
		if wait := n.Started.Sub(n.CordonAt); wait < o.ExcludeFromLB {
			t.Errorf("evicted after %s", wait)
		}
	})
}

func TestTheLongestChainGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation()
		s.addNode("a")
		s.addNode("b")
		for range 20 {
			s.addPod("free", "a")
		}
		for range 2 {
			s.addPod("short", "a")
		}
		s.addBudget("short", 1)
		for range 5 {
			s.addPod("long", "a")
		}
		s.addBudget("long", 4)
		o := DefaultOptions()
		o.MaxParallelEvictions = 4
		e := drive(t, s, o, "a")
		var first []string
		for _, event := range e.Events(0) {
			if event.Kind == EventIntent && event.Action.Verb == VerbEvict && len(first) < 2 {
				app, _, _ := strings.Cut(event.Pod, "-")
				first = append(first, app)
			}
		}
		if want := []string{"long", "short"}; !slices.Equal(first, want) {
			t.Errorf("first %v, want %v", first, want)
		}
	})
}
