package attempt

import (
	"net/http"
	"strings"
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Refusal is who refused a request, and so what may follow from its answer. It is
// the only place that tells the budget's own refusals from all others: what the
// budget did not refuse is tried again, however often, and is never forced.
type Refusal string

// Who refuses a request. The eviction handler's answers are those of kubernetes
// pkg/registry/core/pod/storage/eviction.go, 1.36.
const (
	NotRefused                Refusal = ""                  // accepted, or the pod is gone
	RefusedByBudget           Refusal = "budget"            // it allows no disruption now
	RefusedBySeveralBudgets   Refusal = "several budgets"   // the server evicts no pod with more than one
	RefusedByBudgetController Refusal = "budget controller" // it has not observed the budget yet, or lags behind
	RefusedByWebhook          Refusal = "webhook"           // of admission; it denied, or could not be called
	RefusedByThrottling       Refusal = "throttling"        // priority and fairness, a proxy, a server that stops
	RefusedByConflict         Refusal = "conflict"          // the precondition, or a write that raced with ours
	RefusedByNamespace        Refusal = "namespace"         // it is being deleted
	RefusedByRights           Refusal = "rights"            // a right is missing
	RefusedAsInvalid          Refusal = "invalid"           // the request itself
	RefusedByFailure          Refusal = "failure"           // no answer, a server that failed, an unknown answer
)

// ByBudget reports whether the budgets of the pod hold it: nothing else counts for
// --force-after and --max-evict-retries. A budget whose controller has not looked
// at it yet blocks the pod for a moment only, and it is not known yet whether it will.
func (r Refusal) ByBudget() bool { return r == RefusedByBudget || r == RefusedBySeveralBudgets }

// UnderBudget reports whether a change of the pod's budgets may end the refusal.
func (r Refusal) UnderBudget() bool { return r.ByBudget() || r == RefusedByBudgetController }

// passes reports whether the same request may be accepted later.
func (r Refusal) passes() bool { return r != RefusedByRights && r != RefusedAsInvalid }

// refusalOf says who refused a request, from the server's answer to it. It refines the
// classes of answers by what only the eviction handler, webhooks and budgets say.
func refusalOf(a kube.Answer) Refusal {
	if fromWebhook(a) {
		return RefusedByWebhook
	}
	switch class := a.Class(); {
	case class == kube.AnswerDone, class == kube.AnswerGone:
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
		return RefusedBySeveralBudgets // it has no cause to go by, so the text must do
	}
	return RefusedByFailure
}

// refusalOfTooMany tells the budget's 429 from those of throttling.
func refusalOfTooMany(a kube.Answer) Refusal {
	switch {
	case !a.HasCause(string(policyv1.DisruptionBudgetCause)):
		return RefusedByThrottling
	case a.RetryAfter > 0:
		return RefusedByBudgetController
	}
	return RefusedByBudget
}

// refusalOfForbidden tells a right that is missing, which no waiting cures, from
// refusals that pass.
func refusalOfForbidden(a kube.Answer) Refusal {
	switch {
	case a.HasCause("NamespaceTerminating"):
		return RefusedByNamespace
	case MissingRight(a):
		return RefusedByRights
	case strings.Contains(a.Message, "disruptions allowed is negative"),
		strings.Contains(a.Message, "DisruptedPods map too big"):
		return RefusedByBudgetController
	}
	return RefusedByFailure
}

// budgetGone reports whether the pod's budget was deleted while the server wrote the
// eviction into it.
func budgetGone(a kube.Answer) bool {
	return a.Code == http.StatusNotFound && strings.HasPrefix(a.Message, "poddisruptionbudgets")
}

// budgetRaced reports whether the server gave up writing the eviction into the
// budget, since others wrote it at the same time.
func budgetRaced(a kube.Answer) bool {
	return a.Code == http.StatusGatewayTimeout && strings.Contains(a.Message, "couldn't update PodDisruptionBudget")
}

// fromWebhook reports whether an admission webhook gave the answer, by denying the
// request or by not being there; such webhooks use any status code (KubeVirt answers
// 429 while it migrates a machine).
func fromWebhook(a kube.Answer) bool {
	return !a.OK() && (strings.Contains(a.Message, "admission webhook") &&
		strings.Contains(a.Message, "denied the request") ||
		a.Code >= http.StatusInternalServerError && strings.Contains(a.Message, "failed calling webhook"))
}

// MissingRight tells a refusal by the authorizer from those of admission and of
// the eviction handler, by its words: "User "ada" cannot create resource ..."
// (kubernetes apiserver pkg/endpoints/handlers/responsewriters/errors.go).
func MissingRight(a kube.Answer) bool {
	return a.Code == http.StatusForbidden && strings.Contains(a.Message, " cannot ") &&
		strings.Contains(a.Message, " resource ")
}

// RefusedAtStart reports whether the answer refuses a right that the API server may grant a moment later, as it has
// answered only since then.
func RefusedAtStart(a kube.Answer, since, now time.Time) bool {
	return MissingRight(a) && now.Sub(since) < StartTime
}
