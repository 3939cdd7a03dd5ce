package drain

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The rows are those of the eviction handler (kubernetes 1.36
// pkg/registry/core/pod/storage/eviction.go), of API priority and fairness and of
// webhooks; the lab's tests provoke on a real server what can be provoked.
func TestInterpret(t *testing.T) {
	const violates = "Cannot evict pod as it would violate the pod's disruption budget."
	budget := func(message string) []kube.Cause {
		return []kube.Cause{{Type: "DisruptionBudget", Message: message}}
	}
	for name, c := range map[string]struct {
		answer kube.Answer
		want   eviction.State
		who    attempt.Refusal
		after  time.Duration
		look   bool
	}{
		"accepted":                     {kube.Answer{Code: 201}, eviction.Terminating, attempt.NotRefused, 0, false},
		"accepted, as documented":      {kube.Answer{Code: 200}, eviction.Terminating, attempt.NotRefused, 0, false},
		"budget exhausted":             {kube.Answer{Code: 429, Message: violates, Causes: budget("The disruption budget x needs 2 healthy pods and has 2 currently")}, eviction.BudgetBlocked, attempt.RefusedByBudget, 0, false},
		"budget not observed":          {kube.Answer{Code: 429, Message: violates, RetryAfter: 10 * time.Second, Causes: budget("The disruption budget x is still being processed by the server.")}, eviction.BudgetSyncing, attempt.RefusedByBudgetController, 10 * time.Second, false},
		"priority and fairness":        {kube.Answer{Code: 429, Message: "Too many requests, please try again later.", RetryAfter: 2 * time.Second}, eviction.Throttled, attempt.RefusedByThrottling, 2 * time.Second, false},
		"throttled without a time":     {kube.Answer{Code: 429}, eviction.Throttled, attempt.RefusedByThrottling, time.Second, false},
		"webhook migrates":             {kube.Answer{Code: 429, Message: `admission webhook "virt" denied the request: Eviction triggered evacuation of VMI`}, eviction.WebhookWait, attempt.RefusedByWebhook, 10 * time.Second, false},
		"webhook forbids":              {kube.Answer{Code: 403, Message: `admission webhook "pub" denied the request: unavailable`}, eviction.WebhookWait, attempt.RefusedByWebhook, 10 * time.Second, false},
		"webhook does not answer":      {kube.Answer{Code: 500, Message: `Internal error occurred: failed calling webhook "pub": connection refused`}, eviction.WebhookWait, attempt.RefusedByWebhook, attempt.RetryFirst, false},
		"admission by something else":  {kube.Answer{Code: 403, Message: `pods "x" is forbidden: not on Fridays`}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"several budgets":              {kube.Answer{Code: 500, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}, eviction.MultipleBudgets, attempt.RefusedBySeveralBudgets, 0, false},
		"namespace ends":               {kube.Answer{Code: 403, Causes: []kube.Cause{{Type: "NamespaceTerminating"}}}, eviction.NamespaceTerminating, attempt.RefusedByNamespace, attempt.NamespaceWait, false},
		"negative budget":              {kube.Answer{Code: 403, Message: "pdb disruptions allowed is negative"}, eviction.BudgetSyncing, attempt.RefusedByBudgetController, 0, false},
		"too many disrupted pods":      {kube.Answer{Code: 403, Message: "DisruptedPods map too big - too many evictions not confirmed by PDB controller"}, eviction.BudgetSyncing, attempt.RefusedByBudgetController, 0, false},
		"no right":                     {kube.Answer{Code: 403, Message: `pods "x" is forbidden: User "u" cannot create resource "pods/eviction" in API group "" in the namespace "n"`}, eviction.Failed, attempt.RefusedByRights, 0, false},
		"gone":                         {kube.Answer{Code: 404, Reason: "NotFound", Message: `pods "web-1" not found`}, eviction.Gone, attempt.NotRefused, 0, false},
		"its budget is gone":           {kube.Answer{Code: 404, Message: `poddisruptionbudgets.policy "web" not found`}, eviction.Retrying, attempt.RefusedByConflict, attempt.RetryFirst, false},
		"a proxy knows no such page":   {kube.Answer{Code: 404, Message: "404 page not found"}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"other UID":                    {kube.Answer{Code: 409, Message: "the UID in the precondition (a) does not match the UID in record (b)"}, eviction.Retrying, attempt.RefusedByConflict, 0, true},
		"conflicts over the budget":    {kube.Answer{Code: 504, Message: "couldn't update PodDisruptionBudget", RetryAfter: 10 * time.Second}, eviction.Retrying, attempt.RefusedByConflict, 10 * time.Second, false},
		"bad request":                  {kube.Answer{Code: 400}, eviction.Failed, attempt.RefusedAsInvalid, 0, false},
		"too large":                    {kube.Answer{Code: 413}, eviction.Failed, attempt.RefusedAsInvalid, 0, false}, // as of kube.Answer.Class
		"denied with a 404":            {kube.Answer{Code: 404, Message: `admission webhook "w" denied the request: pods "x" not found`}, eviction.WebhookWait, attempt.RefusedByWebhook, 10 * time.Second, false},
		"its namespace is gone":        {kube.Answer{Code: 404, Message: `namespaces "n" not found`}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"unprocessable":                {kube.Answer{Code: 422}, eviction.Failed, attempt.RefusedAsInvalid, 0, false},
		"any other failure of servers": {kube.Answer{Code: 503}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"no answer":                    {kube.Answer{Failure: "EOF"}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"credentials ran out":          {kube.Answer{Code: 401}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"never seen":                   {kube.Answer{Code: 418}, eviction.Retrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := attempt.Interpret(c.answer, 1)
			state := eviction.StateAfter(m)
			if state != c.want || m.Refusal != c.who || m.After != c.after || m.Look != c.look {
				t.Errorf("got %s, refused by %q, next try after %s, look %v; want %s, %q, %s, %v",
					state, m.Refusal, m.After, m.Look, c.want, c.who, c.after, c.look)
			}
		})
	}
}
