package convert

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Budget is the compact record of a PodDisruptionBudget.
func Budget(b *policyv1.PodDisruptionBudget) *kube.Budget {
	s := &b.Status
	record := &kube.Budget{
		Namespace: Share(b.Namespace), Name: Share(b.Name), UID: b.UID, ResourceVersion: b.ResourceVersion,
		Labels: labels.Set(copyMap(b.Labels)), Annotations: keptAnnotations(b.Annotations),
		Owner: controllerOf(b.OwnerReferences), Created: b.CreationTimestamp.Time,
		Selector: selectorOf(b.Spec.Selector), MinAvailable: b.Spec.MinAvailable, MaxUnavailable: b.Spec.MaxUnavailable,
		UnhealthyPolicy: valueOr(b.Spec.UnhealthyPodEvictionPolicy, ""),
		Generation:      b.Generation, ObservedGeneration: s.ObservedGeneration,
		DisruptionsAllowed: s.DisruptionsAllowed, CurrentHealthy: s.CurrentHealthy,
		DesiredHealthy: s.DesiredHealthy, ExpectedPods: s.ExpectedPods,
	}
	for name, at := range s.DisruptedPods {
		if record.DisruptedPods == nil {
			record.DisruptedPods = make(map[string]time.Time, len(s.DisruptedPods))
		}
		record.DisruptedPods[name] = at.Time
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if c.Type == policyv1.DisruptionAllowedCondition {
			record.ConditionStatus, record.ConditionReason = Share(kube.CleanText(string(c.Status))),
				Share(kube.CleanText(c.Reason))
			record.ConditionMessage = kube.CleanText(c.Message)
		}
	}
	return record
}
