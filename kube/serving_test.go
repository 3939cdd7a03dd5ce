package kube_test

import (
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestServiceServes(t *testing.T) {
	service := func(change func(*corev1.Service)) *kube.Service {
		o := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", UID: "s1"}}
		o.Spec.Selector = map[string]string{"app": "web", "tier": "front"}
		change(o)
		return kubetest.Convert(o).(*kube.Service)
	}
	as := func(*corev1.Service) {}
	pod := func(change func(*kube.Pod)) *kube.Pod {
		p := &kube.Pod{Namespace: "a", Labels: labels.Set{"app": "web", "tier": "front", "more": "x"}, Ready: true, Phase: corev1.PodRunning}
		change(p)
		return p
	}
	plain := func(*kube.Pod) {}
	table := []struct {
		name    string
		service *kube.Service
		pod     *kube.Pod
		serves  bool
	}{
		{"all labels", service(as), pod(plain), true},
		{"one label is another", service(as), pod(func(p *kube.Pod) { p.Labels = labels.Set{"app": "web", "tier": "back"} }), false},
		{"one label is missing", service(as), pod(func(p *kube.Pod) { p.Labels = labels.Set{"app": "web"} }), false},
		{"another namespace", service(as), pod(func(p *kube.Pod) { p.Namespace = "b" }), false},
		{"not Ready", service(as), pod(func(p *kube.Pod) { p.Ready = false }), false},
		{"terminating", service(as), pod(func(p *kube.Pod) { p.Deleted = time.Unix(1, 0) }), false},
		{"finished", service(as), pod(func(p *kube.Pod) { p.Phase = corev1.PodSucceeded }), false},
		{"not Ready, but published", service(func(o *corev1.Service) { o.Spec.PublishNotReadyAddresses = true }),
			pod(func(p *kube.Pod) { p.Ready = false }), true},
		{"no selector selects nothing", service(func(o *corev1.Service) { o.Spec.Selector = nil }), pod(plain), false},
		{"only another name", service(func(o *corev1.Service) { o.Spec.Type = corev1.ServiceTypeExternalName }), pod(plain), false},
	}
	for _, row := range table {
		if serves := row.service.Serves(row.pod); serves != row.serves {
			t.Errorf("%s: %v", row.name, serves)
		}
	}
}

func TestWebhookRecords(t *testing.T) {
	ignore, url := admissionv1.Ignore, "https://example.com"
	inside := admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "guard", Name: "gate"}}
	rules := []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, Resources: []string{"pods"}},
	}}
	validating := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "gate", UID: "v1"}, Webhooks: []admissionv1.ValidatingWebhook{
		{Name: "closed", ClientConfig: inside, Rules: rules, ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
		{Name: "outside", ClientConfig: admissionv1.WebhookClientConfig{URL: &url}},
		{Name: "open", ClientConfig: inside, FailurePolicy: &ignore, MatchConditions: []admissionv1.MatchCondition{{Name: "x", Expression: "true"}}},
	}}
	mutating := &admissionv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "gate", UID: "m1"},
		Webhooks: []admissionv1.MutatingWebhook{{Name: "same name", ClientConfig: inside}}}
	store := kubetest.StoreOf(time.Unix(0, 0), validating, mutating)
	all := store.Snapshot().WebhookConfigurations()
	if len(all) != 2 || all[0].Kind() != "ValidatingWebhookConfiguration" || all[1].Kind() != "MutatingWebhookConfiguration" {
		t.Fatalf("%+v", all)
	}
	hooks := all[0].Webhooks
	if len(hooks) != 3 || !hooks[0].Closed || hooks[1].Service != "" || hooks[2].Closed || hooks[0].Service != "gate" || hooks[0].Namespace != "guard" || !hooks[2].Conditional {
		t.Fatalf("%+v", hooks)
	}
	if r := hooks[0].Rules; len(r) != 1 || !slices.Equal(r[0].Operations, []admissionv1.OperationType{"CREATE"}) || !slices.Equal(r[0].Resources, []string{"pods"}) || !slices.Equal(r[0].APIGroups, []string{""}) {
		t.Errorf("rules %+v", r)
	}
	if hooks[0].Objects.Matches(labels.Set{}) || !hooks[0].Namespaces.Matches(labels.Set{}) {
		t.Error("a selector that is missing selects all, one that is there what it says")
	}
	if !all[1].Webhooks[0].Closed {
		t.Error("without a failure policy a webhook fails closed")
	}
	store.Remove(all[0])
	if left := store.Snapshot().WebhookConfigurations(); len(left) != 1 || !left[0].Mutating {
		t.Errorf("after removing the validating one: %+v", left)
	}
}

func TestAutoscalerOf(t *testing.T) {
	scaler := func(name, version, kind, target string, least *int32) *autoscalingv2.HorizontalPodAutoscaler {
		return &autoscalingv2.HorizontalPodAutoscaler{
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: kube.UID("uid-" + name)},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: least, MaxReplicas: 5,
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: version, Kind: kind, Name: target}},
		}
	}
	two := int32(2)
	stuck := scaler("late", "apps/v1", "Deployment", "api", nil)
	stuck.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionFalse, Reason: "FailedGetScale", Message: "no\x1b[2J scale"}}
	store := kubetest.StoreOf(time.Unix(0, 0), scaler("web", "apps/v1", "Deployment", "web", &two), scaler("foreign", "apps.kruise.io/v1alpha1", "StatefulSet", "db", nil), stuck)
	s := store.Snapshot()
	if a := s.AutoscalerOf("apps/v1", "Deployment", "a", "web"); a == nil || a.Min != 2 || a.Max != 5 || a.Stuck != "" {
		t.Errorf("web: %+v", a)
	}
	if a := s.AutoscalerOf("apps/v1beta1", "Deployment", "a", "web"); a == nil {
		t.Error("the version of a group must not matter")
	}
	if a := s.AutoscalerOf("apps/v1", "StatefulSet", "a", "db"); a != nil {
		t.Errorf("a StatefulSet of another group: %+v", a)
	}
	if a := s.AutoscalerOf("", "StatefulSet", "a", "db"); a == nil || a.Min != 1 {
		t.Errorf("any group: %+v", a)
	}
	if a := s.AutoscalerOf("apps/v1", "Deployment", "a", "api"); a == nil || a.Stuck != "no scale" {
		t.Errorf("stuck: %+v", a)
	}
	if a := s.AutoscalerOf("apps/v1", "Deployment", "b", "web"); a != nil {
		t.Errorf("another namespace: %+v", a)
	}
	store.Put(kubetest.Convert(scaler("web", "apps/v1", "Deployment", "shop", nil))) // points elsewhere now
	if s := store.Snapshot(); s.AutoscalerOf("apps/v1", "Deployment", "a", "web") != nil || s.AutoscalerOf("apps/v1", "Deployment", "a", "shop") == nil {
		t.Error("the old target is still scaled, or the new one is not")
	}
}

func TestQuotaRecord(t *testing.T) {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "compute", UID: "q1"}}
	q.Status.Hard = corev1.ResourceList{"pods": resource.MustParse("4"), "requests.memory": resource.MustParse("20Ei"), "requests.cpu": resource.MustParse("1500m"), "count/secrets": resource.MustParse("1")}
	q.Status.Used = corev1.ResourceList{"pods": resource.MustParse("4"), "requests.memory": resource.MustParse("1Gi"), "requests.cpu": resource.MustParse("1501m"), "count/secrets": resource.MustParse("9")}
	s := kubetest.SnapshotOf(time.Unix(0, 0), q)
	quotas := s.QuotasIn("a")
	if len(quotas) != 1 || len(s.QuotasIn("b")) != 0 || quotas[0].Scoped {
		t.Fatalf("%+v", quotas)
	}
	got := map[string]bool{}
	for _, amount := range quotas[0].Amounts {
		got[amount.Resource] = amount.Exceeded()
	}
	if len(got) != 3 || got["pods"] || !got["requests.cpu"] || got["requests.memory"] {
		t.Errorf("exceeded: %v of %+v", got, quotas[0].Amounts)
	}
}

// Services have no Replace of their own: what a list lacks is gone.
func TestServingKindsAreReplaced(t *testing.T) {
	store := kubetest.StoreOf(time.Unix(0, 0), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "old", UID: "1"}},
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "same", UID: "2"}})
	before := store.Snapshot()
	store.Replace(kube.Scope{Kind: kube.KindServices}, []kube.Record{
		kubetest.Convert(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "same", UID: "3"}}),
	}, 0, kube.SyncState{Phase: kube.Synced})
	after := store.Snapshot()
	if after.Service("a", "old") != nil || after.Service("a", "same").UID != "3" || after.Sync(kube.KindServices).Count != 1 {
		t.Errorf("%+v", after.ServicesIn("a"))
	}
	if before.Service("a", "old") == nil || before.Sync(kube.KindServices).Count != 2 {
		t.Error("an older snapshot changed")
	}
}
