package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestTiersGoOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("csi", "a", kubetest.CsiDriver)
		s.AddPod("dns", "a", kubetest.Critical)
		s.AddPod("web", "a")
		s.AddPod("held", "a") // blocked for ever: must not hold the next tier
		s.AddBudget("held", 1)
		o := plan.DefaultOptions()
		o.Order, o.Timeout = plan.OrderTiers, 25*time.Second
		drive(t, s, o, "a")
		if want := []string{"web-3", "dns-2", "csi-1"}; !slices.Equal(s.Accepted, want) {
			t.Errorf("evicted in the order %v, want %v", s.Accepted, want)
		}
	})
}

func TestJobsRunToTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		job := s.AddPod("job", "a", func(p *corev1.Pod) { p.OwnerReferences[0].Kind, p.OwnerReferences[0].APIVersion = "Job", "batch/v1" })
		s.AddPod("web", "a")
		began := time.Now()
		s.Later(time.Minute, func() {
			if slices.Contains(s.Accepted, job.Name) {
				t.Error("the job was evicted while it ran")
			}
			done := job.DeepCopy()
			done.Status.Phase = corev1.PodSucceeded
			s.Pods[job.UID] = done
			s.Store.Put(convert.Pod(done))
		})
		o := plan.DefaultOptions()
		o.WaitJobs = true
		e := drive(t, s, o, "a")
		if e.State().Outcome != drain.OutcomeDone || time.Since(began) < time.Minute {
			t.Errorf("outcome %q after %s", e.State().Outcome, time.Since(began))
		}
	})
}

func TestForceAfterDeletesWithThePodsOwnGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("held", "a")
		s.AddBudget("held", 1)
		o := plan.DefaultOptions()
		o.ForceAfter = 5 * time.Second
		e := drive(t, s, o, "a")
		p := e.State().Pods[0]
		if p.State != eviction.Gone || p.Action != plan.ActionDelete || e.State().Sent[attempt.VerbEvict] != 1 || e.State().Sent[attempt.VerbDelete] != 1 {
			t.Errorf("%s by %s, sent %v, want one eviction that proves that its budget holds it", p.State, p.Action, e.State().Sent)
		}
		if p.Held < o.ForceAfter {
			t.Errorf("forced after %s", p.Held)
		}
	})
}

func TestMaxEvictRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("held", "a")
		s.AddBudget("held", 1)
		o := plan.DefaultOptions()
		o.MaxEvictRetries = 2
		e := drive(t, s, o, "a")
		if p := e.State().Pods[0]; p.Refusals != 3 || p.Action != plan.ActionDelete || p.State != eviction.Gone {
			t.Errorf("%s by %s after %d refusals", p.State, p.Action, p.Refusals)
		}
	})
}

func TestOneSafetyPollPerBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		for range 20 {
			s.AddPod("held", "a")
		}
		s.AddBudget("held", 20)
		o := plan.DefaultOptions()
		o.Timeout = 100 * time.Second
		e := drive(t, s, o, "a")
		if n := len(s.Evictions); n < 2 || n > 3 {
			t.Errorf("%d evictions in %s for a budget that never moved, want one per %s", n, o.Timeout, eviction.BudgetPoll)
		}
		if e.State().Outcome != drain.OutcomePartly {
			t.Errorf("outcome %q", e.State().Outcome)
		}
	})
}

func TestExcludeFromLoadBalancersBeforeTheFirstEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		s.AddPod("web", "a")
		o := plan.DefaultOptions()
		o.ExcludeFromLB = 20 * time.Second
		e := drive(t, s, o, "a")
		node := convert.Node(s.Nodes["a"])
		if !node.ExcludedFromLB() {
			t.Error("the node carries no label")
		}
		mark, ours := annotation.Parse(node.Cordon.Mark)
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
		s := kubetest.NewSimulation()
		s.AddNode("a")
		s.AddNode("b")
		for range 20 {
			s.AddPod("free", "a")
		}
		for range 2 {
			s.AddPod("short", "a")
		}
		s.AddBudget("short", 1)
		for range 5 {
			s.AddPod("long", "a")
		}
		s.AddBudget("long", 4)
		o := plan.DefaultOptions()
		o.MaxParallelEvictions = 4
		e := drive(t, s, o, "a")
		var first []string
		for _, event := range e.Events(0) {
			if event.Kind == drain.EventIntent && event.Action.Verb == attempt.VerbEvict && len(first) < 2 {
				app, _, _ := strings.Cut(event.Pod, "-")
				first = append(first, app)
			}
		}
		if want := []string{"long", "short"}; !slices.Equal(first, want) {
			t.Errorf("first %v, want %v", first, want)
		}
	})
}
