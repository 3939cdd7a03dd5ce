package convert

import (
	"math"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// servingRecord makes the record of an object that says what depends on pods, or
// how many of them there may be; nil for any other.
func servingRecord(object any) kube.Record {
	switch o := object.(type) {
	case *corev1.Service:
		return serviceRecord(o)
	case *admissionv1.ValidatingWebhookConfiguration:
		return validatingRecord(o)
	case *admissionv1.MutatingWebhookConfiguration:
		return mutatingRecord(o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		return autoscalerRecord(o)
	case *corev1.ResourceQuota:
		return quotaRecord(o)
	}
	return nil
}

// serviceRecord is the compact record of a Service.
func serviceRecord(o *corev1.Service) *kube.Service {
	record := &kube.Service{Namespace: Share(o.Namespace), Name: Share(o.Name), UID: o.UID,
		Unready: o.Spec.PublishNotReadyAddresses}
	if o.Spec.Type != corev1.ServiceTypeExternalName {
		record.Selector = labels.Set(copyMap(o.Spec.Selector))
	}
	return record
}

// validatingRecord is the compact record of a ValidatingWebhookConfiguration.
func validatingRecord(o *admissionv1.ValidatingWebhookConfiguration) *kube.WebhookConfiguration {
	record := &kube.WebhookConfiguration{Name: Share(o.Name), UID: o.UID}
	for i := range o.Webhooks {
		w := &o.Webhooks[i]
		hook := webhook(w.Name, w.ClientConfig, w.FailurePolicy, w.Rules)
		hook.Namespaces, hook.Objects = allOr(w.NamespaceSelector), allOr(w.ObjectSelector)
		hook.Conditional = len(w.MatchConditions) > 0
		record.Webhooks = append(record.Webhooks, hook)
	}
	return record
}

// mutatingRecord is the compact record of a MutatingWebhookConfiguration.
func mutatingRecord(o *admissionv1.MutatingWebhookConfiguration) *kube.WebhookConfiguration {
	record := &kube.WebhookConfiguration{Name: Share(o.Name), UID: o.UID, Mutating: true}
	for i := range o.Webhooks {
		w := &o.Webhooks[i]
		hook := webhook(w.Name, w.ClientConfig, w.FailurePolicy, w.Rules)
		hook.Namespaces, hook.Objects = allOr(w.NamespaceSelector), allOr(w.ObjectSelector)
		hook.Conditional = len(w.MatchConditions) > 0
		record.Webhooks = append(record.Webhooks, hook)
	}
	return record
}

// allOr follows the API of webhooks, where a missing selector selects all.
func allOr(s *metav1.LabelSelector) labels.Selector {
	if s == nil {
		return labels.Everything()
	}
	return selectorOf(s)
}

// webhook is what both kinds of webhooks have in common. A missing failure
// policy is Fail (admissionregistration/v1 defaults).
func webhook(name string, c admissionv1.WebhookClientConfig, policy *admissionv1.FailurePolicyType,
	rules []admissionv1.RuleWithOperations) kube.Webhook {
	hook := kube.Webhook{
		Name: Share(kube.CleanText(name)), Closed: valueOr(policy, admissionv1.Fail) == admissionv1.Fail,
	}
	if s := c.Service; s != nil {
		hook.Namespace, hook.Service = Share(s.Namespace), Share(s.Name)
	}
	for _, r := range rules {
		hook.Rules = append(hook.Rules, admissionv1.RuleWithOperations{Operations: shareAll(r.Operations),
			Rule: admissionv1.Rule{APIGroups: shareAll(r.APIGroups), Resources: shareAll(r.Resources)}})
	}
	return hook
}

func shareAll[T ~string](texts []T) []T {
	shared := make([]T, len(texts))
	for i, text := range texts {
		shared[i] = T(Share(kube.CleanText(string(text))))
	}
	return shared
}

// autoscalerRecord is the compact record of a HorizontalPodAutoscaler.
func autoscalerRecord(o *autoscalingv2.HorizontalPodAutoscaler) *kube.Autoscaler {
	target := o.Spec.ScaleTargetRef
	record := &kube.Autoscaler{
		Namespace: Share(o.Namespace), Name: Share(o.Name), UID: o.UID,
		Target: kube.Owner{APIVersion: Share(target.APIVersion), Kind: Share(target.Kind), Name: Share(target.Name)},
		Min:    valueOr(o.Spec.MinReplicas, 1), Max: o.Spec.MaxReplicas,
	}
	for _, c := range o.Status.Conditions {
		if c.Type == autoscalingv2.AbleToScale && c.Status == corev1.ConditionFalse {
			record.Stuck = kube.CleanText(c.Message)
			if record.Stuck == "" {
				record.Stuck = kube.CleanText(c.Reason)
			}
		}
	}
	return record
}

// podQuotas are the resources of a quota that every pod of a controller takes
// some of (k8s.io/kubernetes pkg/quota/v1/evaluator/core/pods.go).
var podQuotas = map[corev1.ResourceName]bool{
	corev1.ResourcePods: true, "count/pods": true,
	corev1.ResourceCPU: true, corev1.ResourceMemory: true,
	corev1.ResourceRequestsCPU: true, corev1.ResourceRequestsMemory: true,
	corev1.ResourceLimitsCPU: true, corev1.ResourceLimitsMemory: true,
}

// quotaRecord is the compact record of a ResourceQuota. What its controller has
// not worked out yet is left out.
func quotaRecord(o *corev1.ResourceQuota) *kube.Quota {
	record := &kube.Quota{
		Namespace: Share(o.Namespace), Name: Share(o.Name), UID: o.UID,
		Scoped: len(o.Spec.Scopes) > 0 || o.Spec.ScopeSelector != nil,
	}
	for name, hard := range o.Status.Hard {
		used, known := o.Status.Used[name]
		if known && podQuotas[name] {
			record.Amounts = append(record.Amounts, kube.QuotaAmount{
				Resource: Share(string(name)), Hard: thousandths(hard), Used: thousandths(used),
			})
		}
	}
	slices.SortFunc(record.Amounts, func(a, b kube.QuotaAmount) int { return strings.Compare(a.Resource, b.Resource) })
	return record
}

// thousandths does not overflow, as Quantity.MilliValue may for memory.
func thousandths(q resource.Quantity) int64 {
	return int64(min(max(q.AsApproximateFloat64()*1000, math.MinInt64/2), math.MaxInt64/2))
}
