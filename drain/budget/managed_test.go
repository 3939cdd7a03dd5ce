package budget

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// hook is a webhook that is asked before a resource of pods is created.
func hook(resource string, edit func(w *admissionv1.ValidatingWebhook)) *admissionv1.ValidatingWebhookConfiguration {
	w := admissionv1.ValidatingWebhook{Name: "x", Rules: []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create}, Rule: admissionv1.Rule{APIGroups: []string{""}, Resources: []string{resource}}}}}
	if edit != nil {
		edit(&w)
	}
	return &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "x", UID: "x"}, Webhooks: []admissionv1.ValidatingWebhook{w}}
}

// A webhook is asked before an eviction where its rules, its namespaces and its objects say so.
func TestMayAct(t *testing.T) {
	pod := &kube.Pod{Namespace: "shop", Name: "web"}
	shop := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "shop"}}
	for name, c := range map[string]struct {
		hook *admissionv1.ValidatingWebhookConfiguration
		want bool
	}{
		"evictions":        {hook("pods/eviction", nil), true},
		"all subresources": {hook("pods/*", nil), true},
		"pods only":        {hook("pods", nil), false},
		"their namespace":  {hook("pods/eviction", func(w *admissionv1.ValidatingWebhook) { w.NamespaceSelector = shop }), true},
		"another namespace": {hook("pods/eviction", func(w *admissionv1.ValidatingWebhook) {
			w.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "db"}}
		}), false},
		"objects with a label": {hook("pods/eviction", func(w *admissionv1.ValidatingWebhook) { w.ObjectSelector = shop }), false},
	} {
		if got := MayAct(kubetest.SnapshotOf(kubetest.Now, c.hook), pod, &kube.Budget{}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if MayAct(kubetest.SnapshotOf(kubetest.Now, kubetest.Pod("shop/web")), pod, &kube.Budget{}) {
		t.Error("without a webhook")
	}
}
