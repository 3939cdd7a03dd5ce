package drain

import (
	"net/http"
	"strings"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The waits after answers. Where the cluster shows what the pod waits for, they
// are upper bounds: its change ends the wait at once.
const (
	retryFirst    = 500 * time.Millisecond // after the first failure, doubled with each further one
	retryMost     = 15 * time.Second
	throttleLeast = time.Second      // whatever Retry-After says, never a hot loop
	webhookWait   = 10 * time.Second // no event tells that a webhook would answer otherwise now
	BudgetPoll    = 30 * time.Second // safety net under the events of a budget
	NamespaceWait = 5 * time.Second
	// unseenFirst is the pause after the refusal of a budget that the run does not see,
	// which is kubectl's (EvictErrorRetryDelay); it doubles up to budgetPoll.
	unseenFirst = 5 * time.Second
)

// Refusal is who refused a request, and so what may follow from its answer. It is
// the only place that tells the budget's own refusals from all others: what the
// budget did not refuse is tried again, however often, and is never forced.
type Refusal string

// Who refuses a request. The eviction handler's answers are those of kubernetes
// pkg/registry/core/pod/storage/eviction.go, 1.36.
const (
	NotRefused         Refusal = ""                  // accepted, or the pod is gone
	RefusedByBudget    Refusal = "budget"            // it allows no disruption now
	RefusedBySeveral   Refusal = "several budgets"   // the server evicts no pod with more than one
	RefusedBySyncing   Refusal = "budget controller" // it has not looked at the budget yet, or lags behind
	RefusedByWebhook   Refusal = "webhook"           // of admission; it denied, or could not be called
	RefusedByThrottle  Refusal = "throttling"        // priority and fairness, a proxy, a server that stops
	RefusedByConflict  Refusal = "conflict"          // the precondition, or a write that raced with ours
	RefusedByNamespace Refusal = "namespace"         // it is being deleted
	RefusedByRights    Refusal = "rights"            // a right is missing
	RefusedAsInvalid   Refusal = "invalid"           // the request itself
	RefusedByFailure   Refusal = "failure"           // no answer, a server that failed, or an answer unknown to us
)

// ByBudget tells whether the budgets of the pod hold it: nothing else counts for
// --force-after and --max-evict-retries. A budget whose controller has not looked
// at it yet holds the pod for a moment only, and nobody knows yet whether it will.
func (r Refusal) ByBudget() bool { return r == RefusedByBudget || r == RefusedBySeveral }

// underBudget tells whether a change of the pod's budgets may end the refusal.
func (r Refusal) underBudget() bool { return r.ByBudget() || r == RefusedBySyncing }

// Passes tells whether the same request may be accepted later.
func (r Refusal) Passes() bool { return r != RefusedByRights && r != RefusedAsInvalid }

// RefusalOf says who refused a request, from the server's answer to it. It refines the
// classes of answers by what only the eviction handler, webhooks and budgets say.
func RefusalOf(a kube.Answer) Refusal {
	if fromWebhook(a) {
		return RefusedByWebhook
	}
	switch class := a.Class(); {
	case class == kube.AnswerDone, podGone(a):
		return NotRefused
	case class == kube.AnswerConflict, budgetGone(a), budgetRaced(a):
		return RefusedByConflict
	case class == kube.AnswerForbidden:
		return refusalOfForbidden(a)
	case class == kube.AnswerInvalid:
		return RefusedAsInvalid
	case a.Code == http.StatusTooManyRequests:
		return refusalOfTooMany(a)
	case a.Code == http.StatusInternalServerError && strings.Contains(a.Message, "more than one PodDisruptionBudget"):
		return RefusedBySeveral // it has no cause to go by, so the text must do
	}
	return RefusedByFailure
}

// refusalOfTooMany tells the budget's 429 from those of throttling.
func refusalOfTooMany(a kube.Answer) Refusal {
	switch {
	case !a.HasCause(string(policyv1.DisruptionBudgetCause)):
		return RefusedByThrottle
	case a.RetryAfter > 0:
		return RefusedBySyncing
	}
	return RefusedByBudget
}

// refusalOfForbidden tells a right that is missing, which no waiting cures, from
// refusals that pass.
func refusalOfForbidden(a kube.Answer) Refusal {
	switch {
	case a.HasCause("NamespaceTerminating"):
		return RefusedByNamespace
	case missingRight(a):
		return RefusedByRights
	case strings.Contains(a.Message, "disruptions allowed is negative"), strings.Contains(a.Message, "DisruptedPods map too big"):
		return RefusedBySyncing
	}
	return RefusedByFailure
}

// Meaning is what an answer to an eviction or delete says about its pod.
type Meaning struct {
	Refusal Refusal
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
	m := Meaning{Refusal: RefusalOf(a), Words: AnswerWords(a)}
	switch m.Refusal {
	case NotRefused:
		m.State = PodTerminating
		if !a.OK() {
			m.State = PodGone
		}
	case RefusedByBudget:
		m.State = PodBudgetBlocked
	case RefusedBySeveral:
		m.State = PodMultipleBudgets
	case RefusedBySyncing:
		m.State, m.After = PodBudgetSyncing, a.RetryAfter
	case RefusedByWebhook:
		m.State, m.After = PodWebhookWait, max(webhookWait, a.RetryAfter)
		if a.Code >= http.StatusInternalServerError { // it may be back in a moment
			m.After = max(backOff(failures), a.RetryAfter)
		}
	case RefusedByThrottle:
		m.State, m.After = PodThrottled, max(throttleLeast, a.RetryAfter)
	case RefusedByNamespace:
		m.State, m.After = PodNamespaceTerminating, NamespaceWait
	case RefusedByConflict:
		m.State, m.After = PodRetrying, max(backOff(failures), a.RetryAfter)
		if a.Class() == kube.AnswerConflict {
			// Either the precondition (another pod has the name) or a write that
			// raced with ours; only the server knows which.
			m.After, m.Look = 0, true
		}
	case RefusedByRights, RefusedAsInvalid:
		m.State = PodFailed
	default:
		m.State, m.After = PodRetrying, max(backOff(failures), a.RetryAfter)
		if a.Code == http.StatusForbidden || a.Code == http.StatusNotFound { // no failure of a moment
			m.After = max(retryMost, a.RetryAfter)
		}
	}
	return m
}

// podGone tells the 404 of the pod from those that say nothing about it: the
// budget's, and that of a proxy. An API server names what it did not find: pods
// "web-1" not found.
func podGone(a kube.Answer) bool {
	return a.Class() == kube.AnswerGone && (a.Message == "" || strings.Contains(a.Message, `pods "`))
}

// budgetGone tells whether the pod's budget was deleted while the server wrote the
// eviction into it.
func budgetGone(a kube.Answer) bool {
	return a.Class() == kube.AnswerGone && strings.HasPrefix(a.Message, "poddisruptionbudgets")
}

// budgetRaced tells whether the server gave up writing the eviction into the
// budget, since others wrote it at the same time.
func budgetRaced(a kube.Answer) bool {
	return a.Code == http.StatusGatewayTimeout && strings.Contains(a.Message, "couldn't update PodDisruptionBudget")
}

// fromWebhook tells whether an admission webhook gave the answer, by denying the
// request or by not being there; such webhooks use any status code (KubeVirt answers
// 429 while it migrates a machine).
func fromWebhook(a kube.Answer) bool {
	return !a.OK() && (strings.Contains(a.Message, "admission webhook") && strings.Contains(a.Message, "denied the request") ||
		a.Code >= http.StatusInternalServerError && strings.Contains(a.Message, "failed calling webhook"))
}

func backOff(failures int) time.Duration {
	return doubled(retryFirst, retryMost, failures)
}

// doubled is the pause after that many tries in a row: first, then twice as long
// each time, up to most.
func doubled(first, most time.Duration, tries int) time.Duration {
	for range min(max(tries-1, 0), 10) {
		first *= 2
	}
	return min(first, most)
}

// AnswerFactsOf are what the journal keeps of an answer.
func AnswerFactsOf(a kube.Answer) *AnswerFacts {
	f := &AnswerFacts{
		Code: a.Code, Reason: string(a.Reason), Message: a.Message, AuditID: a.AuditID,
		Failure: a.Failure, RetryAfterSeconds: a.RetryAfter.Seconds(), ResourceVersion: a.ResourceVersion,
		Refusal: RefusalOf(a),
	}
	if len(a.Causes) > 0 {
		f.Cause = a.Causes[0].Message
	}
	return f
}
