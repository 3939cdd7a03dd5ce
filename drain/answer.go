package drain

import (
	"net/http"
	"strings"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The waits after answers that no event of the cluster ends. They are upper
// bounds: a change of the budget or of the pod ends the wait at once.
const (
	retryFirst    = 500 * time.Millisecond // after the first failure, doubled with each further one
	retryMost     = 15 * time.Second
	throttleLeast = time.Second      // whatever Retry-After says, never a hot loop
	webhookWait   = 10 * time.Second // no event tells that a webhook would answer otherwise now
	budgetPoll    = 30 * time.Second // safety net under the events of a budget
	namespaceWait = 5 * time.Second
)

// Meaning is what an answer to an eviction or delete says about its pod.
type Meaning struct {
	State PodState
	// After is how long to wait before the next try at the latest; zero where
	// there will be none or an event decides.
	After time.Duration
	// Look tells that the server must be asked who has the name now.
	Look bool
	// Words are the server's, for the screen.
	Words string
}

// Interpret says what the server's answer to an eviction or delete means. The
// rows are those of the eviction handler (kubernetes
// pkg/registry/core/pod/storage/eviction.go, 1.36) and of client-go; whatever is
// not known is Retrying, for a transient failure must never end a pod.
// failures counts the answers in a row, this one included, that said nothing.
func Interpret(a kube.Answer, failures int) Meaning {
	m := Meaning{Words: words(a)}
	switch {
	case a.OK():
		m.State = PodTerminating
	case fromWebhook(a):
		m.State, m.After = PodWebhookWait, max(webhookWait, a.RetryAfter)
	case a.Code == http.StatusTooManyRequests:
		m.refused(a)
	case a.Code == http.StatusNotFound && strings.HasPrefix(a.Message, "poddisruptionbudgets"):
		// Its budget was deleted while the server wrote the eviction into it.
		m.State, m.After = PodRetrying, retryFirst
	case a.Code == http.StatusNotFound && notThePod(a):
		m.State, m.After = PodRetrying, retryMost
	case a.Code == http.StatusNotFound:
		m.State = PodGone
	case a.Code == http.StatusConflict:
		// Either the precondition (another pod has the name) or a write that
		// raced with ours; only the server knows which.
		m.State, m.Look = PodRetrying, true
	case a.Code == http.StatusForbidden:
		m.forbidden(a)
	case a.Code == http.StatusBadRequest, a.Code == http.StatusUnprocessableEntity,
		a.Code == http.StatusMethodNotAllowed:
		m.State = PodFailed
	case a.Code == http.StatusInternalServerError && strings.Contains(a.Message, "more than one PodDisruptionBudget"):
		// It has no cause to go by, so the text must do (eviction.go, 1.36).
		m.State, m.After = PodMultipleBudgets, budgetPoll
	default:
		m.State, m.After = PodRetrying, max(backOff(failures), a.RetryAfter)
	}
	return m
}

// refused tells the three kinds of 429 apart: only one of them is the budget's.
func (m *Meaning) refused(a kube.Answer) {
	switch {
	case !a.HasCause(string(policyv1.DisruptionBudgetCause)):
		m.State, m.After = PodThrottled, max(throttleLeast, a.RetryAfter)
	case a.RetryAfter > 0:
		m.State, m.After = PodBudgetSyncing, a.RetryAfter
	default:
		m.State, m.After = PodBudgetBlocked, budgetPoll
	}
}

// forbidden tells a right that is missing, which no waiting cures, from
// refusals that pass.
func (m *Meaning) forbidden(a kube.Answer) {
	switch {
	case a.HasCause("NamespaceTerminating"):
		m.State, m.After = PodNamespaceTerminating, namespaceWait
	case strings.Contains(a.Message, "cannot create resource"), strings.Contains(a.Message, "cannot delete resource"):
		m.State = PodFailed
	default: // "disruptions allowed is negative", "DisruptedPods map too big": the controller lags
		m.State, m.After = PodRetrying, retryMost
	}
}

// notThePod tells whether a 404 is about something else than the pod: a budget
// that is gone says nothing about its pods, and the 404 of a proxy says nothing at
// all. An API server names what it did not find: pods "web-1" not found.
func notThePod(a kube.Answer) bool {
	return a.Message != "" && !strings.Contains(a.Message, `pods "`)
}

// fromWebhook tells whether an admission webhook gave the answer; such webhooks
// use any status code (KubeVirt answers 429 while it migrates a machine).
func fromWebhook(a kube.Answer) bool {
	return !a.OK() && strings.Contains(a.Message, "admission webhook") && strings.Contains(a.Message, "denied the request")
}

func backOff(failures int) time.Duration {
	d := retryFirst
	for range min(max(failures-1, 0), 10) {
		d *= 2
	}
	return min(d, retryMost)
}

// words are what a person should read of an answer.
func words(a kube.Answer) string {
	switch {
	case a.Code == 0:
		return a.Failure
	case len(a.Causes) > 0 && a.Causes[0].Message != "" && a.Causes[0].Type != "UnexpectedServerResponse":
		return a.Message + " " + a.Causes[0].Message
	}
	return a.Message
}

// answerFacts are what the journal keeps of an answer.
func answerFacts(a kube.Answer) *AnswerFacts {
	f := &AnswerFacts{
		Code: a.Code, Reason: string(a.Reason), Message: a.Message, AuditID: a.AuditID,
		Failure: a.Failure, RetryAfterSeconds: a.RetryAfter.Seconds(), ResourceVersion: a.ResourceVersion,
	}
	if len(a.Causes) > 0 {
		f.Cause = a.Causes[0].Message
	}
	return f
}
