package preflight

import (
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/plan/plantest"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func givenService(name string, selector map[string]string) *corev1.Service {
	return &corev1.Service{ObjectMeta: kubetest.Meta("Service", name), Spec: corev1.ServiceSpec{Selector: selector}}
}

// givenWebhook is a webhook behind the Service, asked about that operation on
// those resources of the core group.
func givenWebhook(name, service, operation string, resources ...string) *admissionv1.ValidatingWebhookConfiguration {
	namespace, service, _ := strings.Cut(service, "/")
	return &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name, UID: kube.UID(name)}, Webhooks: []admissionv1.ValidatingWebhook{{
		Name: name, ClientConfig: admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: namespace, Name: service}},
		Rules: []admissionv1.RuleWithOperations{{Operations: []admissionv1.OperationType{admissionv1.OperationType(operation)},
			Rule: admissionv1.Rule{APIGroups: []string{""}, Resources: resources}}},
	}}}
}

func givenAutoscaler(name string, least, most int32, able corev1.ConditionStatus) *autoscalingv2.HorizontalPodAutoscaler {
	a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: kubetest.Meta("HorizontalPodAutoscaler", name)}
	a.Spec.MinReplicas, a.Spec.MaxReplicas = &least, most
	a.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: a.Name}
	a.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale, Status: able, Message: "the server could not find the requested resource"}}
	return a
}

// findingsOf are code, message and objects of the findings, those about room left out.
func findingsOf(t *testing.T, s *kube.Snapshot, nodes ...string) []plan.Finding {
	t.Helper()
	found := mustCheck(t, s, plantest.Options(), nodes...).Findings
	return slices.DeleteFunc(found, func(f plan.Finding) bool { return f.Code == FindingNoRoom })
}

func labelsOf(s string) map[string]string { return map[string]string{"app": s} }

func TestLastEndpoint(t *testing.T) {
	two := []string{"w1", "w2"}
	table := []struct {
		name    string
		objects []runtime.Object
		want    []string // objects of the finding
	}{
		{"one stays", append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w3"}), givenService("shop/api", labelsOf("api"))), nil},
		{"all go", append(kubetest.Ready("shop/api", 2, 2, two), givenService("shop/api", labelsOf("api"))), []string{"Service/shop/api"}},
		{"two services of the same pods", append(kubetest.Ready("shop/api", 2, 2, two), givenService("shop/b", labelsOf("api")), givenService("shop/a", labelsOf("api"))),
			[]string{"Service/shop/a", "Service/shop/b"}},
		{"the one that stays is not Ready", append(kubetest.Ready("shop/api", 3, 2, two), kubetest.Pod("shop/api-9", kubetest.ByDeployment("api"), kubetest.On("w3"), kubetest.NotReady(time.Hour)), givenService("shop/api", labelsOf("api"))),
			[]string{"Service/shop/api"}},
		{"the one that stays is about to end", append(kubetest.Ready("shop/api", 3, 3, two), kubetest.Pod("shop/api-9", kubetest.ByDeployment("api"), kubetest.On("w3"), kubetest.Deleted(0)), givenService("shop/api", labelsOf("api"))),
			[]string{"Service/shop/api"}},
		{"another owner's pod stays behind it", append(append(kubetest.Ready("shop/api", 2, 2, two), kubetest.Ready("shop/old", 1, 1, []string{"w3"})...),
			givenService("shop/api", labelsOf("api")), kubetest.Pod("shop/stable", kubetest.On("w3"), func(p *corev1.Pod) { p.Labels = labelsOf("api") })), nil},
		{"a budget lets them go one by one", append(kubetest.Ready("shop/api", 2, 2, two), givenService("shop/api", labelsOf("api")), kubetest.Budget("shop/api", 1, 2, 1, 2)), nil},
		{"no selector", append(kubetest.Ready("shop/api", 2, 2, two), givenService("shop/api", nil)), nil},
		{"DNS has a finding of its own", append(kubetest.Ready("kube-system/coredns", 2, 2, two, dnsPod), givenService("kube-system/kube-dns", map[string]string{"k8s-app": "kube-dns"})), nil},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range findingsOf(t, kubetest.SnapshotOf(kubetest.Now, append(row.objects, kubetest.Node("w1"), kubetest.Node("w2"))...), two...) {
				if f.Code == FindingLastEndpoint {
					got = append(got, f.Objects...)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestWebhookFindings(t *testing.T) {
	base := func() []runtime.Object {
		return append(kubetest.Ready("guard/gate", 2, 2, []string{"w1", "w2"}), givenService("guard/gate", labelsOf("gate")), kubetest.Node("w1"), kubetest.Node("w2"))
	}
	ignored := givenWebhook("open", "guard/gate", "CREATE", "pods")
	ignore := admissionv1.Ignore
	ignored.Webhooks[0].FailurePolicy = &ignore
	elsewhere := givenWebhook("careful", "guard/gate", "CREATE", "pods")
	elsewhere.Webhooks[0].NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"guard"}}}}
	table := []struct {
		name  string
		hook  runtime.Object
		nodes []string
		want  string // code and message
	}{
		{"asked about its own pods", givenWebhook("gate", "guard/gate", "CREATE", "pods"), []string{"w1", "w2"},
			"WebhookDeadlock an admission webhook that must admit its own new pods is evicted, and may never come back: ValidatingWebhookConfiguration gate (new pods)"},
		{"not about its own namespace", elsewhere, []string{"w1", "w2"},
			"Webhook no pod of an admission webhook is left, requests are refused until one is Ready: ValidatingWebhookConfiguration careful (new pods)"},
		{"evictions", givenWebhook("gate", "guard/gate", "*", "pods/eviction", "secrets"), []string{"w1", "w2"},
			"Webhook no pod of an admission webhook is left, requests are refused until one is Ready: ValidatingWebhookConfiguration gate (evictions, writes of secrets)"},
		{"everything", givenWebhook("gate", "guard/gate", "*", "*/*"), []string{"w1", "w2"},
			"WebhookDeadlock an admission webhook that must admit its own new pods is evicted, and may never come back: ValidatingWebhookConfiguration gate (new pods, evictions, writes of everything it is asked about)"},
		{"fails open", ignored, []string{"w1", "w2"}, "LastEndpoint no ready endpoint is left, calls fail until a new pod is Ready: Service guard/gate"},
		{"one of its pods stays", givenWebhook("gate", "guard/gate", "CREATE", "pods"), []string{"w1"}, ""},
		{"another service", givenWebhook("gate", "guard/other", "CREATE", "pods"), []string{"w1", "w2"}, "LastEndpoint no ready endpoint is left, calls fail until a new pod is Ready: Service guard/gate"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range findingsOf(t, kubetest.SnapshotOf(kubetest.Now, append(base(), row.hook)...), row.nodes...) {
				if f.Code != FindingLastReady {
					got = append(got, f.Code+" "+f.Message)
				}
			}
			if strings.Join(got, "\n") != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestAutoscalersMinimumDecides(t *testing.T) {
	table := []struct {
		name    string
		objects []runtime.Object
		single  bool
		command string
	}{
		{"none", kubetest.Ready("shop/api", 1, 1, []string{"w1"}), true, "kubectl scale deployment -n shop api --replicas=2"},
		{"minimum 1", append(kubetest.Ready("shop/api", 1, 1, []string{"w1"}), givenAutoscaler("shop/api", 1, 5, "True")), true,
			`kubectl patch hpa -n shop api --type=merge -p '{"spec":{"minReplicas":2}}'`},
		{"minimum and maximum 1", append(kubetest.Ready("shop/api", 1, 1, []string{"w1"}), givenAutoscaler("shop/api", 1, 1, "True")), true,
			`kubectl patch hpa -n shop api --type=merge -p '{"spec":{"minReplicas":2,"maxReplicas":2}}'`},
		{"minimum 2, which it will see to", append(kubetest.Ready("shop/api", 1, 1, []string{"w1"}), givenAutoscaler("shop/api", 2, 5, "True")), false, ""},
		{"minimum 2, and it cannot scale", append(kubetest.Ready("shop/api", 1, 1, []string{"w1"}), givenAutoscaler("shop/api", 2, 5, "False")), true,
			"kubectl scale deployment -n shop api --replicas=2"},
		{"another's", append(kubetest.Ready("shop/api", 1, 1, []string{"w1"}), givenAutoscaler("shop/web", 2, 5, "True")), true, "kubectl scale deployment -n shop api --replicas=2"},
		{"three now, minimum 1", append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w3"}), givenAutoscaler("shop/api", 1, 5, "True")), false, ""},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, append(row.objects, kubetest.Node("w1"))...)
			command := ""
			for _, f := range findingsOf(t, s, "w1") {
				if f.Code == FindingSingleReplica {
					command = f.Advice[0].Command
				}
			}
			if (command != "") != row.single || command != row.command {
				t.Errorf("advice %q, want %q", command, row.command)
			}
			block := plantest.Options()
			block.BlockSingleReplica = true
			if refused := plan.Classify(s.PodsOn("w1")[0], s, block, kubetest.Now).Action == plan.ActionRefuse; refused != row.single {
				t.Errorf("--block-single-replica refuses: %v, want %v", refused, row.single)
			}
		})
	}
}

// Owners of kinds that are not watched count by the scale that was read of them.
func TestScaleOfOtherOwners(t *testing.T) {
	clone := func(replicas int32, change func(*kube.Workload)) *kube.Snapshot {
		store := kubetest.StoreOf(kubetest.Now, kubetest.Node("w1"), kubetest.Pod("shop/game-0", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "CloneSet", "game"), kubetest.On("w1")))
		owner := store.Snapshot().PodsOn("w1")[0].Owner
		w := &kube.Workload{Kind: "CloneSet", Namespace: "shop", Name: "game", UID: owner.UID, APIVersion: owner.APIVersion,
			Resource: "clonesets.apps.kruise.io", Replicas: replicas}
		if change != nil {
			change(w)
		}
		store.Put(w)
		return store.Snapshot()
	}
	table := []struct {
		name   string
		s      *kube.Snapshot
		want   string
		refuse bool
	}{
		{"one", clone(1, nil), "SingleReplica CloneSet/shop/game kubectl scale clonesets.apps.kruise.io -n shop game --replicas=2", true},
		{"two, and this is the only Ready one", clone(2, nil), "LastReady CloneSet/shop/game", false},
		{"hidden", clone(0, func(w *kube.Workload) { w.Hidden = "no right to get clonesets/scale.apps.kruise.io" }), "ScaleUnknown CloneSet/shop/game", true},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			for _, f := range findingsOf(t, row.s, "w1") {
				got += f.Code + " " + strings.Join(f.Objects, ",")
				if len(f.Advice) > 0 {
					got += " " + f.Advice[0].Command
				}
			}
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			block := plantest.Options()
			block.BlockSingleReplica = true
			if refused := plan.Classify(row.s.PodsOn("w1")[0], row.s, block, kubetest.Now).Action == plan.ActionRefuse; refused != row.refuse {
				t.Errorf("--block-single-replica refuses: %v, want %v", refused, row.refuse)
			}
		})
	}
}

func TestQuotaExceeded(t *testing.T) {
	quota := func(used string, scopes ...corev1.ResourceQuotaScope) *corev1.ResourceQuota {
		q := &corev1.ResourceQuota{ObjectMeta: kubetest.Meta("ResourceQuota", "shop/compute")}
		q.Spec.Scopes = scopes
		q.Status.Hard = corev1.ResourceList{"pods": resource.MustParse("4")}
		q.Status.Used = corev1.ResourceList{"pods": resource.MustParse(used)}
		return q
	}
	table := []struct {
		name  string
		quota *corev1.ResourceQuota
		want  bool
	}{
		{"full", quota("4"), false}, // what goes makes room
		{"exceeded", quota("5"), true},
		{"exceeded by some pods only", quota("5", corev1.ResourceQuotaScopeBestEffort), false},
	}
	for _, row := range table {
		objects := append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w3"}), kubetest.Node("w1"), row.quota)
		found := slices.ContainsFunc(findingsOf(t, kubetest.SnapshotOf(kubetest.Now, objects...), "w1"), func(f plan.Finding) bool {
			return f.Code == FindingQuotaExceeded && slices.Equal(f.Objects, []string{"ResourceQuota/shop/compute"})
		})
		if found != row.want {
			t.Errorf("%s: found %v, want %v", row.name, found, row.want)
		}
	}
}

// What may not be read is unknown, which is not none.
func TestUnforeseen(t *testing.T) {
	store := kubetest.StoreOf(kubetest.Now, append(kubetest.Ready("shop/api", 3, 3, []string{"w1", "w2", "w3"}), kubetest.Node("w1"))...)
	if found := findingsOf(t, store.Snapshot(), "w1"); len(found) != 0 {
		t.Fatalf("%+v", found)
	}
	store.SetSync(kube.KindMutatingWebhooks, kube.SyncState{Phase: kube.Denied})
	store.SetSync(kube.KindQuotas, kube.SyncState{Phase: kube.NotSynced})
	found := findingsOf(t, store.Snapshot(), "w1")
	const want = "not known: admission webhooks without a pod (mutatingwebhookconfigurations denied), quotas (resourcequotas not synced)"
	if len(found) != 1 || found[0].Code != FindingServingUnknown || found[0].Level != plan.LevelInfo || found[0].Message != want {
		t.Errorf("%+v, want %q", found, want)
	}
	// A drain that reads only what it touches has the quotas of the namespaces of its pods.
	quotas := kube.Scope{Kind: kube.KindQuotas, Namespace: "shop"}
	store.Open(quotas)
	store.Replace(quotas, nil, 1, kube.SyncState{Phase: kube.Synced})
	found = findingsOf(t, store.Snapshot(), "w1")
	if want := "not known: admission webhooks without a pod (mutatingwebhookconfigurations denied)"; found[0].Message != want {
		t.Errorf("%+v, want %q", found, want)
	}
}
