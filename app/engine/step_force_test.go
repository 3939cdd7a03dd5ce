package engine

import (
	"testing"
	"testing/synctest"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// refusals are all that an eviction may be refused with, and the state that each is
// told as.
var refusals = map[string]struct {
	answer kube.Answer
	state  eviction.State
}{
	"connection broken": {kube.Answer{Failure: "EOF"}, eviction.Retrying},
	"server failed":     {kube.Answer{Code: 500, Message: "etcdserver: leader changed"}, eviction.Retrying},
	"conflict":          {kube.Answer{Code: 409, Message: "the object has been modified"}, eviction.Retrying},
	"budget raced":      {kube.Answer{Code: 504, Message: "couldn't update PodDisruptionBudget \"web\" due to conflicts", RetryAfter: 10 * time.Second}, eviction.Retrying},
	"throttled":         {kube.Answer{Code: 429, Message: "Too many requests, please try again later.", RetryAfter: time.Second}, eviction.Throttled},
	"webhook denies":    {kube.Answer{Code: 429, Message: `admission webhook "vm" denied the request: Eviction triggered evacuation of VMI`}, eviction.WebhookWait},
	"webhook is broken": {kube.Answer{Code: 500, Message: `Internal error occurred: failed calling webhook "vm": connection refused`}, eviction.WebhookWait},
	"namespace ends":    {kube.Answer{Code: 403, Causes: []kube.Cause{{Type: "NamespaceTerminating"}}}, eviction.NamespaceTerminating},
	"budget syncing": {kube.Answer{Code: 429, RetryAfter: 10 * time.Second, Causes: []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause),
		Message: "The disruption budget web is still being processed by the server."}}}, eviction.BudgetSyncing},
	"budget negative": {kube.Answer{Code: 403, Message: "pdb disruptions allowed is negative"}, eviction.BudgetSyncing},
}

// Whatever refuses an eviction that is not the budget, for ever: it is told as what
// it is, tried again with pauses, and the pod is never deleted past its budget.
func TestOnlyRefusalsOfTheBudgetAreForced(t *testing.T) {
	for name, c := range refusals {
		for budget, needs := range map[string]int{"no budget": -1, "a budget with room": 1, "an exhausted budget": 3} {
			t.Run(name+", "+budget, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := kubetest.NewSimulation()
					s.AddNode("a")
					s.AddNode("b")
					p := s.AddPod("web", "a")
					s.AddPod("web", "b")
					s.AddPod("web", "b")
					if needs >= 0 {
						s.AddBudget("web", needs)
					}
					s.Answer = func(request.Evict) (kube.Answer, bool) { return c.answer, true }
					o := plan.DefaultOptions()
					o.ForceAfter, o.MaxEvictRetries, o.Timeout = 15*time.Second, 1, 5*time.Minute
					e := drive(t, s, o, "a")
					if sent := e.State().Sent; sent[attempt.VerbDelete] != 0 || sent[attempt.VerbEvict] < 5 || sent[attempt.VerbEvict] > 310 {
						t.Errorf("sent %v", sent)
					}
					if run := e.State().Pod(p.UID); run.BudgetRefusals != 0 || needs < 3 && run.Held != 0 {
						t.Errorf("%d refusals count, its budget held it for %s", run.BudgetRefusals, run.Held)
					}
					if needs < 3 {
						toldAs(t, e, p.UID, c.state)
					}
				})
			})
		}
	}
}

// toldAs checks that a pod was never said to be blocked by anything else.
func toldAs(t *testing.T, e *Engine, pod kube.UID, want eviction.State) {
	t.Helper()
	told := 0
	for _, event := range e.Events(0) {
		if event.Kind != drain.EventPod || event.UID != pod || !event.PodState.Blocked() {
			continue
		}
		told++
		if event.PodState != want {
			t.Fatalf("told as %s, waits for %+v", event.PodState, event.Wait)
		}
	}
	if told == 0 {
		t.Errorf("never told as %s", want)
	}
}
