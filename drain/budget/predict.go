package budget

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// maxDisruptedPods is the number of unconfirmed evictions under one budget
// above which the server refuses more (eviction.go MaxDisruptedPodSize).
const maxDisruptedPods = 2000

// PredictedCause tells apart the refusals that share a status code.
type PredictedCause string

// The causes of the eviction handler.
const (
	CauseNone        PredictedCause = ""
	CauseBudget      PredictedCause = "budget"       // it allows no disruption now
	CauseNotObserved PredictedCause = "not observed" // the controller has not observed it yet
	CauseNegative    PredictedCause = "negative"     // disruptionsAllowed below zero
	CauseTooMany     PredictedCause = "too many"     // more than 2000 evictions not confirmed
	CauseMultiple    PredictedCause = "multiple"     // several budgets select the pod
	CauseOtherPod    PredictedCause = "other pod"    // the UID of the precondition is another's
	CauseRaced       PredictedCause = "raced"        // the same, in the words for a pod that changed meanwhile
)

// PredictedWay is the branch of the eviction handler that an eviction takes.
type PredictedWay string

// The branches of the eviction handler, in its order.
const (
	WayIgnored PredictedWay = "ignored" // budgets are not asked about a pod that does not run
	WaySeveral PredictedWay = "several" // it knows no way with more than one budget
	WayNone    PredictedWay = "none"    // no budget selects the pod
	WayFree    PredictedWay = "free"    // not Ready, and so nothing is spent
	WaySpends  PredictedWay = "spends"  // one disruption of the budget, if it has one
)

// Prediction is what the API server would answer to an eviction, and the branch
// of its handler in which the answer falls.
type Prediction struct {
	Code  int
	Cause PredictedCause
	Way   PredictedWay
}

// Predict says what the server would answer to the eviction of a pod under the
// budgets that select it, by its own rules in its own order (k8s.io/kubernetes
// v1.36.3 pkg/registry/core/pod/storage/eviction.go). uid is the precondition,
// "" for none: it is checked last, after the budget was charged. It holds for an
// eviction that no admission webhook and no flow control refuses.
//
// It is the only place for these rules: whatever asks "may it go?" asks here.
func Predict(p *kube.Pod, budgets []*kube.Budget, uid kube.UID) Prediction {
	predicted := predictBudgets(p, budgets)
	if !predicted.Goes() || uid == "" || uid == p.UID {
		return predicted
	}
	if predicted.Way == WayFree {
		// Here the handler adds a resourceVersion to the preconditions and takes
		// every conflict for a race over it.
		return Prediction{http.StatusTooManyRequests, CauseRaced, WayFree}
	}
	return Prediction{http.StatusConflict, CauseOtherPod, predicted.Way}
}

// predictBudgets is Predict without a precondition.
func predictBudgets(p *kube.Pod, budgets []*kube.Budget) Prediction {
	switch {
	case IgnoresBudgets(p):
		return Prediction{http.StatusCreated, CauseNone, WayIgnored}
	case len(budgets) > 1:
		return Prediction{http.StatusInternalServerError, CauseMultiple, WaySeveral}
	case len(budgets) == 0:
		return Prediction{http.StatusCreated, CauseNone, WayNone}
	case free(p, budgets[0]):
		return Prediction{http.StatusCreated, CauseNone, WayFree}
	}
	return PredictSpending(budgets[0])
}

// PredictSpending is the handler's checkAndDecrement.
func PredictSpending(b *kube.Budget) Prediction {
	switch {
	case !b.Observed():
		return Prediction{http.StatusTooManyRequests, CauseNotObserved, WaySpends}
	case b.DisruptionsAllowed < 0:
		return Prediction{http.StatusForbidden, CauseNegative, WaySpends}
	case len(b.DisruptedPods) > maxDisruptedPods:
		return Prediction{http.StatusForbidden, CauseTooMany, WaySpends}
	case b.DisruptionsAllowed == 0:
		return Prediction{http.StatusTooManyRequests, CauseBudget, WaySpends}
	}
	return Prediction{http.StatusCreated, CauseNone, WaySpends}
}

// IgnoresBudgets tells of pods that the server deletes without looking at a
// budget (eviction.go canIgnorePDB).
func IgnoresBudgets(p *kube.Pod) bool {
	return p.Finished() || p.Phase == corev1.PodPending || p.Terminating()
}

// free reports whether the pod may go without spending any of the budget
// (eviction.go, before checkAndDecrement). The API asks clients to take a policy
// that they do not know for one that allows nothing.
func free(p *kube.Pod, b *kube.Budget) bool {
	if p.Ready {
		return false
	}
	switch b.UnhealthyPolicy {
	case policyv1.AlwaysAllow:
		return true
	case "", policyv1.IfHealthyBudget:
		return b.CurrentHealthy >= b.DesiredHealthy && b.DesiredHealthy > 0
	}
	return false
}

// Goes reports whether the eviction would be accepted.
func (p Prediction) Goes() bool { return p.Code == http.StatusCreated }

// Under is what is known of a pod's budgets: as long as it stays the same, a
// refusal by them stands.
func Under(way PredictedWay, budgets []*kube.Budget) string {
	versions := string(way)
	for _, b := range budgets {
		versions += "/" + b.ResourceVersion
	}
	return versions
}
