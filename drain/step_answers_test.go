package drain

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
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
		want   PodState
		who    attempt.Refusal
		after  time.Duration
		look   bool
	}{
		"accepted":                     {kube.Answer{Code: 201}, PodTerminating, attempt.NotRefused, 0, false},
		"accepted, as documented":      {kube.Answer{Code: 200}, PodTerminating, attempt.NotRefused, 0, false},
		"budget exhausted":             {kube.Answer{Code: 429, Message: violates, Causes: budget("The disruption budget x needs 2 healthy pods and has 2 currently")}, PodBudgetBlocked, attempt.RefusedByBudget, 0, false},
		"budget not observed":          {kube.Answer{Code: 429, Message: violates, RetryAfter: 10 * time.Second, Causes: budget("The disruption budget x is still being processed by the server.")}, PodBudgetSyncing, attempt.RefusedBySyncing, 10 * time.Second, false},
		"priority and fairness":        {kube.Answer{Code: 429, Message: "Too many requests, please try again later.", RetryAfter: 2 * time.Second}, PodThrottled, attempt.RefusedByThrottle, 2 * time.Second, false},
		"throttled without a time":     {kube.Answer{Code: 429}, PodThrottled, attempt.RefusedByThrottle, throttleLeast, false},
		"webhook migrates":             {kube.Answer{Code: 429, Message: `admission webhook "virt" denied the request: Eviction triggered evacuation of VMI`}, PodWebhookWait, attempt.RefusedByWebhook, webhookWait, false},
		"webhook forbids":              {kube.Answer{Code: 403, Message: `admission webhook "pub" denied the request: unavailable`}, PodWebhookWait, attempt.RefusedByWebhook, webhookWait, false},
		"webhook is away":              {kube.Answer{Code: 500, Message: `Internal error occurred: failed calling webhook "pub": connection refused`}, PodWebhookWait, attempt.RefusedByWebhook, attempt.RetryFirst, false},
		"admission by something else":  {kube.Answer{Code: 403, Message: `pods "x" is forbidden: not on Fridays`}, PodRetrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"several budgets":              {kube.Answer{Code: 500, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}, PodMultipleBudgets, attempt.RefusedBySeveral, 0, false},
		"namespace ends":               {kube.Answer{Code: 403, Causes: []kube.Cause{{Type: "NamespaceTerminating"}}}, PodNamespaceTerminating, attempt.RefusedByNamespace, NamespaceWait, false},
		"negative budget":              {kube.Answer{Code: 403, Message: "pdb disruptions allowed is negative"}, PodBudgetSyncing, attempt.RefusedBySyncing, 0, false},
		"too many disrupted pods":      {kube.Answer{Code: 403, Message: "DisruptedPods map too big - too many evictions not confirmed by PDB controller"}, PodBudgetSyncing, attempt.RefusedBySyncing, 0, false},
		"no right":                     {kube.Answer{Code: 403, Message: `pods "x" is forbidden: User "u" cannot create resource "pods/eviction" in API group "" in the namespace "n"`}, PodFailed, attempt.RefusedByRights, 0, false},
		"gone":                         {kube.Answer{Code: 404, Reason: "NotFound", Message: `pods "web-1" not found`}, PodGone, attempt.NotRefused, 0, false},
		"its budget is gone":           {kube.Answer{Code: 404, Reason: "NotFound", Message: `poddisruptionbudgets.policy "web" not found`}, PodRetrying, attempt.RefusedByConflict, attempt.RetryFirst, false},
		"a proxy knows no such page":   {kube.Answer{Code: 404, Message: "404 page not found"}, PodRetrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"other UID":                    {kube.Answer{Code: 409, Message: "the UID in the precondition (a) does not match the UID in record (b)"}, PodRetrying, attempt.RefusedByConflict, 0, true},
		"conflicts over the budget":    {kube.Answer{Code: 504, Message: "couldn't update PodDisruptionBudget", RetryAfter: 10 * time.Second}, PodRetrying, attempt.RefusedByConflict, 10 * time.Second, false},
		"bad request":                  {kube.Answer{Code: 400}, PodFailed, attempt.RefusedAsInvalid, 0, false},
		"too large":                    {kube.Answer{Code: 413}, PodFailed, attempt.RefusedAsInvalid, 0, false}, // as of kube.Answer.Class
		"denied with a 404":            {kube.Answer{Code: 404, Message: `admission webhook "w" denied the request: pods "x" not found`}, PodWebhookWait, attempt.RefusedByWebhook, webhookWait, false},
		"its namespace is gone":        {kube.Answer{Code: 404, Message: `namespaces "n" not found`}, PodRetrying, attempt.RefusedByFailure, attempt.RetryMost, false},
		"unprocessable":                {kube.Answer{Code: 422}, PodFailed, attempt.RefusedAsInvalid, 0, false},
		"any other failure of servers": {kube.Answer{Code: 503}, PodRetrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"no answer":                    {kube.Answer{Failure: "EOF"}, PodRetrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"credentials ran out":          {kube.Answer{Code: 401}, PodRetrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
		"never seen":                   {kube.Answer{Code: 418}, PodRetrying, attempt.RefusedByFailure, attempt.RetryFirst, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := Interpret(c.answer, 1)
			if m.State != c.want || m.Refusal != c.who || m.After != c.after || m.Look != c.look {
				t.Errorf("got %s, refused by %q, next try after %s, look %v; want %s, %q, %s, %v",
					m.State, m.Refusal, m.After, m.Look, c.want, c.who, c.after, c.look)
			}
		})
	}
}
