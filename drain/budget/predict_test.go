package budget

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The branches of eviction.go (v1.36.3) in its order, among them the values that
// the API refuses to store, which predict_lab_test.go cannot ask a server for.
func TestPredict(t *testing.T) {
	crowd := func(n int) func(*policyv1.PodDisruptionBudget) {
		return func(b *policyv1.PodDisruptionBudget) {
			b.Status.DisruptedPods = map[string]metav1.Time{}
			for i := range n {
				b.Status.DisruptedPods[fmt.Sprintf("p%d", i)] = kubetest.Ago(0)
			}
		}
	}
	blocked, open := kubetest.Budget("default/a", 2, 2, 0, 3), kubetest.Budget("default/a", 2, 3, 1, 3)
	table := []struct {
		name    string
		pod     *corev1.Pod
		budgets []*policyv1.PodDisruptionBudget
		uid     kube.UID
		want    Prediction
	}{
		{"pending", kubetest.Pod("default/a", kubetest.Phase(corev1.PodPending)), budgetsOf(blocked), "", Prediction{201, "", WayIgnored}},
		{"pending, two budgets", kubetest.Pod("default/a", kubetest.Phase(corev1.PodPending)), budgetsOf(blocked, open), "", Prediction{201, "", WayIgnored}},
		{"succeeded", kubetest.Pod("default/a", kubetest.Phase(corev1.PodSucceeded)), budgetsOf(blocked), "", Prediction{201, "", WayIgnored}},
		{"failed", kubetest.Pod("default/a", kubetest.Phase(corev1.PodFailed)), budgetsOf(blocked), "", Prediction{201, "", WayIgnored}},
		{"terminating", kubetest.Pod("default/a", kubetest.Deleted(0)), budgetsOf(blocked), "", Prediction{201, "", WayIgnored}},
		{"phase unknown is running", kubetest.Pod("default/a", kubetest.Phase(corev1.PodUnknown)), budgetsOf(kubetest.Budget("default/a", 0, 0, 0, 0)), "", Prediction{429, CauseBudget, WaySpends}},
		{"several before anything else", kubetest.Pod("default/a"), budgetsOf(open, open), "", Prediction{500, CauseMultiple, WaySeveral}},
		{"none", kubetest.Pod("default/a"), nil, "", Prediction{201, "", WayNone}},
		{"unready, AlwaysAllow, not even observed", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(kubetest.Budget("default/a", 2, 0, 0, 3, kubetest.Policy(policyv1.AlwaysAllow), kubetest.Unobserved)), "", Prediction{201, "", WayFree}},
		{"unready, enough healthy", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(blocked), "", Prediction{201, "", WayFree}},
		{"unready, too few healthy", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(kubetest.Budget("default/a", 2, 1, 0, 3)), "", Prediction{429, CauseBudget, WaySpends}},
		{"unready, none desired", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(kubetest.Budget("default/a", 0, 0, 0, 3)), "", Prediction{429, CauseBudget, WaySpends}},
		{"unready, a policy of another name", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(kubetest.Budget("default/a", 2, 2, 0, 3, kubetest.Policy("Other"))), "", Prediction{429, CauseBudget, WaySpends}},
		{"not observed before negative", kubetest.Pod("default/a"), budgetsOf(kubetest.Budget("default/a", 2, 3, -1, 3, kubetest.Unobserved)), "", Prediction{429, CauseNotObserved, WaySpends}},
		{"negative before too many", kubetest.Pod("default/a"), budgetsOf(kubetest.Budget("default/a", 2, 3, -1, 3, crowd(2001))), "", Prediction{403, CauseNegative, WaySpends}},
		{"too many before nothing allowed", kubetest.Pod("default/a"), budgetsOf(kubetest.Budget("default/a", 2, 3, 0, 3, crowd(2001))), "", Prediction{403, CauseTooMany, WaySpends}},
		{"2000 are not too many", kubetest.Pod("default/a"), budgetsOf(kubetest.Budget("default/a", 2, 3, 1, 3, crowd(2000))), "", Prediction{201, "", WaySpends}},
		{"nothing allowed", kubetest.Pod("default/a"), budgetsOf(blocked), "", Prediction{429, CauseBudget, WaySpends}},
		{"allowed", kubetest.Pod("default/a"), budgetsOf(open), "", Prediction{201, "", WaySpends}},
		{"its own UID", kubetest.Pod("default/a"), budgetsOf(open), "Pod/default/a", Prediction{201, "", WaySpends}},
		{"another's UID", kubetest.Pod("default/a"), nil, "other", Prediction{409, CauseOtherPod, WayNone}},
		{"another's UID, charged before", kubetest.Pod("default/a"), budgetsOf(open), "other", Prediction{409, CauseOtherPod, WaySpends}},
		{"another's UID, unready", kubetest.Pod("default/a", kubetest.NotReady(0)), budgetsOf(blocked), "other", Prediction{429, CauseRaced, WayFree}},
		{"the budget before another's UID", kubetest.Pod("default/a"), budgetsOf(blocked), "other", Prediction{429, CauseBudget, WaySpends}},
		{"several before another's UID", kubetest.Pod("default/a"), budgetsOf(open, open), "other", Prediction{500, CauseMultiple, WaySeveral}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			var records []*kube.Budget
			for _, b := range row.budgets {
				records = append(records, convert.Budget(b))
			}
			if got := Predict(convert.Pod(row.pod), records, row.uid); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func budgetsOf(all ...*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget { return all }

// The answers are those of kubernetes-facts.md 3.2, observed on a server.
func TestPredictionMatches(t *testing.T) {
	budget := []kube.Cause{{Type: string(policyv1.DisruptionBudgetCause)}}
	answers := map[string]kube.Answer{
		"created": {Code: 201}, "ok": {Code: 200}, "budget": {Code: 429, Causes: budget},
		"not observed": {Code: 429, Causes: budget, RetryAfter: 10 * time.Second}, "throttled": {Code: 429, RetryAfter: time.Second},
		"multiple": {Code: 500}, "conflict": {Code: 409}, "forbidden": {Code: 403},
	}
	table := map[Prediction]string{
		{201, "", WayNone}:                 "created",
		{429, CauseBudget, WaySpends}:      "budget",
		{429, CauseNotObserved, WaySpends}: "not observed",
		{429, CauseRaced, WayFree}:         "not observed",
		{500, CauseMultiple, WaySeveral}:   "multiple",
		{409, CauseOtherPod, WayNone}:      "conflict",
		{403, CauseNegative, WaySpends}:    "forbidden",
	}
	for prediction, its := range table {
		for name, a := range answers {
			want := name == its || its == "created" && name == "ok"
			if got := prediction.Matches(a); got != want {
				t.Errorf("%+v and %q: %v", prediction, name, got)
			}
		}
	}
}

// Matches reports whether an answer of a server is the predicted one.
func (p Prediction) Matches(a kube.Answer) bool {
	if a.Code != p.Code && !(p.Goes() && a.Code == http.StatusOK) {
		return false
	}
	budget := a.HasCause(string(policyv1.DisruptionBudgetCause))
	switch p.Cause {
	case CauseBudget:
		return budget && a.RetryAfter == 0
	case CauseNotObserved, CauseRaced:
		return budget && a.RetryAfter > 0
	}
	return !budget
}
