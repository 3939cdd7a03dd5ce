package drain

import (
	"testing"
	"time"

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
		after  time.Duration
		look   bool
	}{
		"accepted":                     {kube.Answer{Code: 201}, PodTerminating, 0, false},
		"accepted, as documented":      {kube.Answer{Code: 200}, PodTerminating, 0, false},
		"budget exhausted":             {kube.Answer{Code: 429, Message: violates, Causes: budget("The disruption budget x needs 2 healthy pods and has 2 currently")}, PodBudgetBlocked, budgetPoll, false},
		"budget not observed":          {kube.Answer{Code: 429, Message: violates, RetryAfter: 10 * time.Second, Causes: budget("The disruption budget x is still being processed by the server.")}, PodBudgetSyncing, 10 * time.Second, false},
		"priority and fairness":        {kube.Answer{Code: 429, Message: "Too many requests, please try again later.", RetryAfter: 2 * time.Second, FlowControl: true}, PodThrottled, 2 * time.Second, false},
		"throttled without a time":     {kube.Answer{Code: 429, FlowControl: true}, PodThrottled, throttleLeast, false},
		"webhook migrates":             {kube.Answer{Code: 429, Message: `admission webhook "virt" denied the request: Eviction triggered evacuation of VMI`}, PodWebhookWait, webhookWait, false},
		"webhook forbids":              {kube.Answer{Code: 403, Message: `admission webhook "pub" denied the request: unavailable`}, PodWebhookWait, webhookWait, false},
		"several budgets":              {kube.Answer{Code: 500, Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}, PodMultipleBudgets, budgetPoll, false},
		"namespace ends":               {kube.Answer{Code: 403, Causes: []kube.Cause{{Type: "NamespaceTerminating"}}}, PodNamespaceTerminating, namespaceWait, false},
		"negative budget":              {kube.Answer{Code: 403, Message: "pdb disruptions allowed is negative"}, PodRetrying, retryMost, false},
		"too many disrupted pods":      {kube.Answer{Code: 403, Message: "DisruptedPods map too big - too many evictions not confirmed by PDB controller"}, PodRetrying, retryMost, false},
		"no right":                     {kube.Answer{Code: 403, Message: `pods "x" is forbidden: User "u" cannot create resource "pods/eviction" in API group "" in the namespace "n"`}, PodFailed, 0, false},
		"gone":                         {kube.Answer{Code: 404, Reason: "NotFound", Message: `pods "web-1" not found`}, PodGone, 0, false},
		"its budget is gone":           {kube.Answer{Code: 404, Reason: "NotFound", Message: `poddisruptionbudgets.policy "web" not found`}, PodRetrying, retryFirst, false},
		"a proxy knows no such page":   {kube.Answer{Code: 404, Message: "404 page not found"}, PodRetrying, retryMost, false},
		"other UID":                    {kube.Answer{Code: 409, Message: "the UID in the precondition (a) does not match the UID in record (b)"}, PodRetrying, 0, true},
		"conflicts over the budget":    {kube.Answer{Code: 504, Message: "couldn't update PodDisruptionBudget", RetryAfter: 10 * time.Second}, PodRetrying, 10 * time.Second, false},
		"bad request":                  {kube.Answer{Code: 400}, PodFailed, 0, false},
		"unprocessable":                {kube.Answer{Code: 422}, PodFailed, 0, false},
		"any other failure of servers": {kube.Answer{Code: 503}, PodRetrying, retryFirst, false},
		"no answer":                    {kube.Answer{Failure: "EOF"}, PodRetrying, retryFirst, false},
		"credentials ran out":          {kube.Answer{Code: 401}, PodRetrying, retryFirst, false},
		"never seen":                   {kube.Answer{Code: 418}, PodRetrying, retryFirst, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := Interpret(c.answer, 1)
			if m.State != c.want || m.After != c.after || m.Look != c.look {
				t.Errorf("got %s, next try after %s, look %v; want %s, %s, %v", m.State, m.After, m.Look, c.want, c.after, c.look)
			}
		})
	}
}

func TestBackOffGrowsToALimit(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: retryFirst, 1: retryFirst, 2: 2 * retryFirst, 3: 4 * retryFirst, 20: retryMost, 1 << 40: retryMost,
	} {
		if got := backOff(failures); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}
