package attempt

import (
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The waits after answers. Where the cluster shows what the pod waits for, they
// are upper bounds: its change ends the wait at once.
const (
	throttleLeast = time.Second      // whatever Retry-After says, never a hot loop
	webhookWait   = 10 * time.Second // no event tells that a webhook would answer otherwise now
	NamespaceWait = 5 * time.Second
)

// Meaning is what an answer to an eviction or delete says about its pod.
type Meaning struct {
	Refusal Refusal
	Gone    bool // there is no such pod
	// After is how long the answer itself asks to wait before the next try; zero
	// where there will be none or the pod's budgets decide.
	After time.Duration
	// Look tells that the server must be asked who has the name now.
	Look bool
	// Words are the server's, for the screen.
	Words string
}

// Interpret says what the server's answer to an eviction or delete means.
// Whatever is not known is a failure, which is tried again: a transient one must never end a pod.
// failures counts the answers in a row, this one included, that no budget gave.
func Interpret(a kube.Answer, failures int) Meaning {
	m := Meaning{Refusal: refusalOf(a), Words: AnswerWords(a)}
	switch m.Refusal {
	case NotRefused:
		m.Gone = !a.OK()
	case RefusedByBudget, RefusedBySeveralBudgets, RefusedByRights, RefusedAsInvalid:
	case RefusedByBudgetController:
		m.After = a.RetryAfter
	case RefusedByWebhook:
		m.After = max(webhookWait, a.RetryAfter)
		if a.Code >= http.StatusInternalServerError { // it may be back in a moment
			m.After = max(backOff(failures), a.RetryAfter)
		}
	case RefusedByThrottling:
		m.After = max(throttleLeast, a.RetryAfter)
	case RefusedByNamespace:
		m.After = NamespaceWait
	case RefusedByConflict:
		m.After = max(backOff(failures), a.RetryAfter)
		if a.Class() == kube.AnswerConflict {
			// Either the precondition (another pod has the name) or a write that
			// raced with ours; only the server knows which.
			m.After, m.Look = 0, true
		}
	default:
		m.After = max(backOff(failures), a.RetryAfter)
		if a.Code == http.StatusForbidden || a.Code == http.StatusNotFound { // no failure of a moment
			m.After = max(RetryMost, a.RetryAfter)
		}
	}
	return m
}

// PatchFails reports whether an API server could not apply a JSON patch: a test in it fails, or a field is not there
// (apiserver pkg/endpoints/handlers/patch.go). Admission and validation say 422 in words of their own.
func PatchFails(a kube.Answer) bool {
	return a.Code == http.StatusUnprocessableEntity &&
		a.Message == "the server rejected our request due to an error in our request"
}

// LookAgain reports whether the question who has a name is still open, and may be
// answered later. Where the pod must not be read it is not asked again: the
// precondition of the next eviction protects its namesake too.
func LookAgain(a kube.Answer) bool {
	return !a.OK() && refusalOf(a) != NotRefused && refusalOf(a).passes()
}
