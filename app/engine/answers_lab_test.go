//go:build lab

package engine

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What a real API server answers to an eviction, and what the engine makes of
// it: each row of the eviction handler that can be provoked. What cannot be is in
// kube (TestEvictionAnswers) and in the simulation (engine_test.go).

func TestLabBudgetExhausted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.addNode("a"), s.addNode("b")
	here, there := s.addPod("web", a), s.addPod("web", b)
	s.addBudget("web", "web", 2)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, here, there)
	s.budgetHas(w, "web", 2, 0)

	r := s.drain(w, c, bareOptions(), a)
	p := r.pod(here, eviction.BudgetBlocked)
	if p.Attempts != 0 || p.Wait.Budget == nil || p.Wait.Budget.Needed != 2 || p.Wait.Budget.Present != 2 {
		t.Errorf("%d requests before anything said that one would pass; waits for %+v", p.Attempts, p.Wait)
	}
	p = r.tried(here)
	r.answered(p, http.StatusTooManyRequests, "The disruption budget web needs 2 healthy pods and has 2 currently")
	if p = r.pod(here, eviction.BudgetBlocked); p.Last.RetryAfterSeconds != 0 {
		t.Errorf("Retry-After %v on an exhausted budget", p.Last.RetryAfterSeconds)
	}
	s.addPod("web", b) // a third one: one may go now
	p = r.pod(here, eviction.Gone)
	r.answered(p, http.StatusCreated, "")
	if state := r.ends(drain.OutcomeDone); state.Node(a).State != drain.NodeDrained {
		t.Errorf("node %s", state.Node(a).State)
	}
	r.seldom(here, 2, eviction.BudgetPoll)
}

func TestLabBudgetNotObserved(t *testing.T) {
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, here)

	s.fault("freeze", "kube-controller-manager")
	s.addBudget("web", "web", 0)
	s.until(w, "there is a budget", func(snap *kube.Snapshot) bool { return snap.BudgetNamed(s.namespace, "web") != nil })
	r := s.drain(w, c, bareOptions(), a)
	if p := r.pod(here, eviction.BudgetSyncing); p.Attempts != 0 || p.Wait.For != waits.ForObserved {
		t.Errorf("%d requests, waits for %+v", p.Attempts, p.Wait)
	}
	p := r.tried(here)
	r.answered(p, http.StatusTooManyRequests, "is still being processed by the server")
	if p.Last.RetryAfterSeconds != 10 {
		t.Errorf("Retry-After %v", p.Last.RetryAfterSeconds)
	}
	r.pod(here, eviction.BudgetSyncing)
	s.fault("thaw", "kube-controller-manager")
	thawed := time.Now()
	p = r.pod(here, eviction.Gone)
	r.answered(p, http.StatusCreated, "")
	t.Logf("it went %s after the controller", p.Accepted.Sub(thawed).Round(time.Millisecond))
	r.ends(drain.OutcomeDone)
	r.seldom(here, 2, 10*time.Second) // which is the server's Retry-After
}

func TestLabTwoBudgets(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, here)
	// One after the other: of the budgets of a pod that changes, the controller looks at
	// any one, so both must have counted it when they were new.
	s.addBudget("one", "web", 0)
	s.budgetHas(w, "one", 1, 1)
	s.addBudget("two", "web", 0)
	s.budgetHas(w, "two", 1, 1)

	r := s.drain(w, c, bareOptions(), a)
	if p := r.pod(here, eviction.MultipleBudgets); p.Attempts != 0 || len(p.Wait.Budgets) != 2 {
		t.Errorf("%d requests, waits for %+v", p.Attempts, p.Wait)
	}
	p := r.tried(here)
	r.answered(p, http.StatusInternalServerError, "more than one PodDisruptionBudget")
	r.pod(here, eviction.MultipleBudgets)
	s.deleteBudget("two")
	r.pod(here, eviction.Gone)
	r.ends(drain.OutcomeDone)
}

// An unready pod is held by a budget that is not met, and by none where the
// budget is met or the policy lets unready pods go.
func TestLabUnreadyPods(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.addNode("a"), s.addNode("b")
	always := func(b *policyv1.PodDisruptionBudget) {
		policy := policyv1.AlwaysAllow
		b.Spec.UnhealthyPodEvictionPolicy = &policy
	}
	ifHealthy := func(b *policyv1.PodDisruptionBudget) {
		policy := policyv1.IfHealthyBudget
		b.Spec.UnhealthyPodEvictionPolicy = &policy
	}
	held, met, free := s.addPod("held", a, sick("CrashLoopBackOff")), s.addPod("met", a, sick("CrashLoopBackOff")), s.addPod("free", a, sick("CrashLoopBackOff"))
	s.addBudget("held", "held", 1)
	s.addBudget("met", "met", 1, ifHealthy)
	s.addBudget("free", "free", 1, always)
	unhealthyPod := s.addPod("held", b, sick("CrashLoopBackOff"))
	well := s.addPod("met", b)
	c := s.connect("")
	w := s.watch(c)
	s.running(w, well)
	s.budgetHas(w, "held", 0, 0)
	s.budgetHas(w, "met", 1, 0)
	s.budgetHas(w, "free", 0, 0)
	s.until(w, "the sick pods run", func(snap *kube.Snapshot) bool {
		for _, p := range []*corev1.Pod{held, met, free, unhealthyPod} {
			if live := snap.Pod(p.UID); live == nil || live.Phase != corev1.PodRunning {
				return false
			}
		}
		return true
	})

	r := s.drain(w, c, bareOptions(), a)
	r.pod(met, eviction.Gone)
	r.pod(free, eviction.Gone)
	p := r.pod(held, eviction.BudgetBlocked)
	if p.Attempts != 0 || p.Wait.UnhealthyPod == nil || p.Wait.UnhealthyPod.Reason != "CrashLoopBackOff" {
		t.Errorf("%d requests, waits for %+v", p.Attempts, p.Wait)
	}
	p = r.tried(held)
	r.answered(p, http.StatusTooManyRequests, "The disruption budget held needs 1 healthy pods and has 0 currently")
	for name, p := range map[string]*corev1.Pod{"met": met, "free": free} {
		if run := r.State().Pod(p.UID); run.Attempts != 1 {
			t.Errorf("%s: %d attempts", name, run.Attempts)
		}
	}
	s.addPod("held", b) // the budget is met now, and the sick pod costs nothing
	r.pod(held, eviction.Gone)
	r.ends(drain.OutcomeDone)
}

// A pod that does not run yet goes whatever its budget says.
func TestLabPendingPod(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.addNode("a")
	here := s.addPod("web", a, sick("ImagePullBackOff"))
	s.addBudget("web", "web", 1)
	c := s.connect("")
	w := s.watch(c)
	s.budgetHas(w, "web", 0, 0)
	s.until(w, "the image is missed", func(snap *kube.Snapshot) bool {
		live := snap.Pod(here.UID)
		return live != nil && live.Trouble != nil && live.Trouble.Reason == "ImagePullBackOff"
	})
	r := s.drain(w, c, bareOptions(), a)
	if p := r.pod(here, eviction.Gone); p.Attempts != 1 || p.Refusals != 0 {
		t.Errorf("%d attempts, %d refused", p.Attempts, p.Refusals)
	}
	r.ends(drain.OutcomeDone)
}

func TestLabNamespaceTerminating(t *testing.T) {
	eachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
		a := s.addNode("a")
		here := s.addPod("web", a)
		c := s.connect("")
		w := s.watch(c)
		s.running(w, here)
		covered(w, "web", 1)

		s.fault("freeze", "kube-controller-manager") // the namespace is not emptied
		s.must(s.client.CoreV1().Namespaces().Delete(s.Context(), s.namespace, metav1.DeleteOptions{}))
		r := s.drain(w, c, o, a)
		p := r.pod(here, eviction.NamespaceTerminating)
		r.answered(p, http.StatusForbidden, "because it is being terminated")
		s.fault("thaw", "kube-controller-manager")
		r.pod(here, eviction.Gone)
		r.ends(drain.OutcomeDone)
		r.onlyEvicted(here)
		r.seldom(here, 1, attempt.NamespaceWait)
	})
}

// Two runs over one pod: the second eviction of a pod that is gone, and of a pod
// whose name another pod has by then.
func TestLabNamesake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		comesBack bool
		want      eviction.State
		code      int
	}{"gone": {false, eviction.Gone, http.StatusNotFound}, "replaced": {true, eviction.Replaced, http.StatusConflict}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachBudget(t, func(s *stage, o plan.Options, covered func(Source, string, int32)) {
				a, b := s.addNode("a"), s.addNode("b")
				here := s.addPod("db", a)
				cluster := s.connect("")
				w := &curtain{Source: s.watch(cluster)}
				s.running(w, here)
				covered(w, "db", 1)
				r := s.start(w, cluster, o, a)
				r.confirm(drain.PhaseCordon)
				r.until("it asks to evict", func(state *drain.State) bool {
					return state.Question != nil && state.Question.Phase == drain.PhaseEvict
				})
				w.hold()
				s.deletePod(here.Name)
				// The server asks the budget before it compares the UID, so the budget has counted what there is.
				counted := func(healthy int32) {
					s.until(w.Source, "its budget, if it has one, counts it", func(snap *kube.Snapshot) bool {
						budget := snap.BudgetNamed(s.namespace, "db")
						return budget == nil || budget.CurrentHealthy == healthy
					})
				}
				counted(0)
				var namesake *corev1.Pod
				if c.comesBack {
					namesake = s.addPod("db", b, func(p *corev1.Pod) { p.Name = here.Name })
					s.running(w.Source, namesake)
					counted(1)
				}
				r.confirm(drain.PhaseEvict)
				state := r.until("the server has answered", func(state *drain.State) bool { return state.Pod(here.UID).State == c.want })
				if p := state.Pod(here.UID); p.Attempts != 1 || p.Last.Code != c.code && state.Sent[attempt.VerbGet] == 0 {
					s.Errorf("%d attempts, %+v, sent %v", p.Attempts, p.Last, state.Sent)
				}
				if namesake != nil {
					live, err := s.client.CoreV1().Pods(s.namespace).Get(s.Context(), namesake.Name, metav1.GetOptions{})
					if err != nil || live.UID != namesake.UID || live.DeletionTimestamp != nil {
						s.Errorf("the namesake was touched: %v %v", live, err)
					}
				}
				r.ends(drain.OutcomeDone)
				r.onlyEvicted(here)
			})
		})
	}
}
