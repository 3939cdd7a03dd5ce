package drain

import (
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The waits after answers. Where the cluster shows what the pod waits for, they
// are upper bounds: its change ends the wait at once.
const (
	throttleLeast = time.Second      // whatever Retry-After says, never a hot loop
	webhookWait   = 10 * time.Second // no event tells that a webhook would answer otherwise now
	BudgetPoll    = 30 * time.Second // safety net under the events of a budget
	NamespaceWait = 5 * time.Second
	// unseenFirst is the pause after the refusal of a budget that the run does not see,
	// which is kubectl's (EvictErrorRetryDelay); it doubles up to budgetPoll.
	unseenFirst = 5 * time.Second
)

// Meaning is what an answer to an eviction or delete says about its pod.
type Meaning struct {
	Refusal attempt.Refusal
	State   PodState
	// After is how long the answer itself asks to wait before the next try; zero
	// where there will be none or the pod's budgets decide.
	After time.Duration
	// Look tells that the server must be asked who has the name now.
	Look bool
	// Words are the server's, for the screen.
	Words string
}

// Interpret says what the server's answer to an eviction or delete means.
// Whatever is not known is Retrying, for a transient failure must never end a pod.
// failures counts the answers in a row, this one included, that no budget gave.
func Interpret(a kube.Answer, failures int) Meaning {
	m := Meaning{Refusal: attempt.RefusalOf(a), Words: attempt.AnswerWords(a)}
	switch m.Refusal {
	case attempt.NotRefused:
		m.State = PodTerminating
		if !a.OK() {
			m.State = PodGone
		}
	case attempt.RefusedByBudget:
		m.State = PodBudgetBlocked
	case attempt.RefusedBySeveral:
		m.State = PodMultipleBudgets
	case attempt.RefusedBySyncing:
		m.State, m.After = PodBudgetSyncing, a.RetryAfter
	case attempt.RefusedByWebhook:
		m.State, m.After = PodWebhookWait, max(webhookWait, a.RetryAfter)
		if a.Code >= http.StatusInternalServerError { // it may be back in a moment
			m.After = max(attempt.BackOff(failures), a.RetryAfter)
		}
	case attempt.RefusedByThrottle:
		m.State, m.After = PodThrottled, max(throttleLeast, a.RetryAfter)
	case attempt.RefusedByNamespace:
		m.State, m.After = PodNamespaceTerminating, NamespaceWait
	case attempt.RefusedByConflict:
		m.State, m.After = PodRetrying, max(attempt.BackOff(failures), a.RetryAfter)
		if a.Class() == kube.AnswerConflict {
			// Either the precondition (another pod has the name) or a write that
			// raced with ours; only the server knows which.
			m.After, m.Look = 0, true
		}
	case attempt.RefusedByRights, attempt.RefusedAsInvalid:
		m.State = PodFailed
	default:
		m.State, m.After = PodRetrying, max(attempt.BackOff(failures), a.RetryAfter)
		if a.Code == http.StatusForbidden || a.Code == http.StatusNotFound { // no failure of a moment
			m.After = max(attempt.RetryMost, a.RetryAfter)
		}
	}
	return m
}
