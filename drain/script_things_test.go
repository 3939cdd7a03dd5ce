package drain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// editWorkload shows a Deployment, ReplicaSet, StatefulSet, ReplicationController or DaemonSet with so many
// replicas; "ours" says that this program wrote their number last.
func (c *shownCluster) editWorkload(name string, e edit) {
	meta := metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: c.nextVersion()}
	if e.has("ours") {
		meta.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: kube.FieldManager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	replicas := int32(1)
	if e.values["replicas"] != "" {
		replicas = e.number("replicas")
	}
	if mark := e.values["surge"]; mark != "" { // of another run
		c.lastOf[name] = fmt.Sprintf(`{"run":%q,"at":%q,"was":%d,"to":%d,"costs":{%q:""}}`, mark, c.now.Add(c.offset).Format(time.RFC3339), replicas-1, replicas, e.values["of"])
		meta.Annotations = map[string]string{kube.SurgeAnnotation: c.lastOf[name]}
		delete(c.marks, name)
	}
	if e.has("unmarked") {
		delete(c.marks, name)
	}
	if mark := c.marks[name]; mark != "" { // of the run of the script
		meta.Annotations = map[string]string{kube.SurgeAnnotation: mark}
	}
	if e.has("gone") {
		if e.values["kind"] == "Deployment" {
			meta.UID += "-deployment"
		}
		c.store.Remove(&kube.Workload{Kind: cmp.Or(e.values["kind"], "ReplicaSet"), Namespace: "default", Name: name, UID: meta.UID})
		return
	}
	ready := int32(0)
	if e.values["min-ready"] != "" {
		ready = int32(e.duration("min-ready").Seconds())
	}
	switch e.values["kind"] {
	case "", "ReplicaSet":
		c.put(&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, MinReadySeconds: ready}})
	case "StatefulSet":
		c.put(&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: &replicas, Selector: selector}})
	case "ReplicationController": // of pods with a label of its own, so that others may have its name
		meta.UID = types.UID(name + "-rc")
		c.put(&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{
			Replicas: &replicas, Selector: map[string]string{"app": name + "-rc"}}})
	case "DaemonSet":
		c.put(&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector}})
	case "Deployment": // its pods are those of its ReplicaSet, which has its name and another UID
		owned, one, none := meta, intstr.FromInt32(1), intstr.FromInt32(0)
		meta.UID += "-deployment"
		if e.has("recreated") { // its ReplicaSet was not deleted
			meta.UID += "'"
			c.onSet[name] = true
		}
		if e.has("restored") { // with all that it had, and its ReplicaSet was
			owned.UID, meta.UID = owned.UID+"'", meta.UID+"'"
		}
		if c.onSet[name] {
			meta.Annotations = nil
		}
		controller := true
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: name, UID: meta.UID, Controller: &controller}}
		if e.has("copied") { // from the Deployment of before
			owned.Annotations = map[string]string{kube.SurgeAnnotation: c.lastOf[name]}
		}
		if e.has("unobserved") {
			meta.Generation++
		}
		c.put(&appsv1.ReplicaSet{ObjectMeta: owned, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, MinReadySeconds: ready}})
		updated := replicas
		if e.has("rolls-out") {
			updated--
		}
		c.put(&appsv1.Deployment{ObjectMeta: meta, Status: appsv1.DeploymentStatus{Replicas: replicas, UpdatedReplicas: updated}, Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &none}}}})
	default:
		panic("no kind of workload: " + e.values["kind"])
	}
	if e.values["seen-ready"] != "" { // by its controller, whose cache is behind
		c.showReady(name, e.number("seen-ready"))
	}
}

// editAutoscaler shows a HorizontalPodAutoscaler of the Deployment of its name.
func (c *shownCluster) editAutoscaler(name string) {
	a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("autoscaler-" + name)}}
	a.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: name}
	c.put(a)
}

// editWebhook shows an admission webhook that is asked before pods are evicted.
func (c *shownCluster) editWebhook(name string) {
	w := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("webhook-" + name)}}
	w.Webhooks = []admissionv1.ValidatingWebhook{{Name: name, Rules: []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create}, Rule: admissionv1.Rule{APIGroups: []string{""}, Resources: []string{"pods/eviction"}}}}}}
	c.put(w)
}

// editLease shows the Lease of a node; each line that is not "gone" is a renewal.
func (c *shownCluster) editLease(node string, e edit) {
	of := types.UID(e.values["of"])
	if of == "" {
		of = c.nodes[node].UID
	}
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kube.DefaultLeaseNamespace,
		Name: kube.LeaseName(of), UID: "lease-" + of, ResourceVersion: c.nextVersion()}}
	if e.values["version"] != "" {
		l.ResourceVersion = e.values["version"]
	}
	holder, seconds := e.values["holder"], int32(kube.LeaseDuration.Seconds())
	l.Spec.HolderIdentity, l.Spec.LeaseDurationSeconds = &holder, &seconds
	l.Annotations = map[string]string{kube.ByAnnotation: "bob"}
	if e.has("gone") {
		c.store.Remove(kubetest.Convert(l))
		return
	}
	c.put(l)
}

// editVolume shows the claim "data", its volume "pv-data" of the CSI driver "disk",
// and on which nodes it is attached.
func (c *shownCluster) editVolume(claim string, e edit) {
	name := "pv-" + claim
	bound := kubetest.BoundClaim(claim, name)
	c.put(bound)
	c.put(kubetest.CsiVolume(name, "disk"))
	for node := range c.nodes {
		a := kubetest.Attachment(name, "disk", node, true)
		if e.values["on"] == node {
			c.store.Put(a)
		} else {
			c.store.Remove(a)
		}
	}
}

// said are the answers of API servers that scripts name: code and word. The texts are
// those of kubernetes 1.36 and of the components that give them.
func said(answer string, w Write) (kube.Answer, error) {
	const refused = "Cannot evict pod as it would violate the pod's disruption budget."
	name, right := string(w.pod()), map[attempt.Verb]string{
		attempt.VerbEvict: `create resource "pods/eviction"`, attempt.VerbDelete: `delete resource "pods"`, attempt.VerbCordon: `patch resource "nodes"`,
		attempt.VerbCreateBudget: `create resource "poddisruptionbudgets"`, attempt.VerbAcquire: `create resource "leases"`, attempt.VerbRenew: `update resource "leases"`,
	}[w.Verb]
	a, known := map[string]kube.Answer{
		"200": {}, "201": {},
		"429 budget": {Reason: metav1.StatusReasonTooManyRequests, Message: refused,
			Causes: []kube.Cause{{Type: "DisruptionBudget", Message: "The disruption budget needs more healthy pods"}}},
		"429 syncing": {Reason: metav1.StatusReasonTooManyRequests, Message: refused, RetryAfter: 10e9,
			Causes: []kube.Cause{{Type: "DisruptionBudget", Message: "The disruption budget is still being processed by the server."}}},
		"429 throttled": {Reason: metav1.StatusReasonTooManyRequests, RetryAfter: 1e9,
			Message: "the server has received too many requests and has asked us to try again later",
			Causes:  []kube.Cause{{Type: "UnexpectedServerResponse", Message: "Too many requests, please try again later."}}},
		"429 webhook": {Message: `admission webhook "evict.kubevirt.io" denied the request: Eviction triggered evacuation of VMI default/vm`},
		"500 several": {Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
		"500 webhook": {Message: `Internal error occurred: failed calling webhook "evict.example.com": no endpoints available`},
		"500":         {Message: "etcdserver: leader changed"},
		"503":         {Message: "the server is currently unable to handle the request"},
		"504 budget":  {Reason: metav1.StatusReasonTimeout, RetryAfter: 10e9, Message: `couldn't update PodDisruptionBudget "web" due to conflicts`},
		"504":         {Reason: metav1.StatusReasonTimeout, Message: "request did not complete within the allotted timeout"},
		"403 namespace": {Reason: metav1.StatusReasonForbidden, Message: fmt.Sprintf("pods %q is forbidden: ", name) + "unable to create new content in namespace default because it is being terminated",
			Causes: []kube.Cause{{Type: "NamespaceTerminating"}}},
		"403 negative": {Reason: metav1.StatusReasonForbidden, Message: `poddisruptionbudgets.policy "web" is forbidden: pdb disruptions allowed is negative`},
		"403 too-many": {Reason: metav1.StatusReasonForbidden,
			Message: `poddisruptionbudgets.policy "web" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller`},
		"403 rights":     {Reason: metav1.StatusReasonForbidden, Message: `forbidden: User "ada" cannot ` + right},
		"403 webhook":    {Reason: metav1.StatusReasonForbidden, Message: `admission webhook "policy.example.com" denied the request: not today`},
		"404":            {Reason: metav1.StatusReasonNotFound, Message: fmt.Sprintf("pods %q not found", name)},
		"404 budget":     {Reason: metav1.StatusReasonNotFound, Message: `poddisruptionbudgets.policy "web" not found`},
		"404 its-budget": {Message: `poddisruptionbudgets.policy "web" not found`}, // an eviction's, not about the pod
		"404 lease":      {Reason: metav1.StatusReasonNotFound, Message: `leases.coordination.k8s.io "x" not found`},
		"404 proxy":      {Message: "404 page not found"},
		"409": {Reason: metav1.StatusReasonConflict, Message: fmt.Sprintf("Operation cannot be fulfilled on pods %q: "+
			"the UID in the precondition does not match the UID in record. The object might have been deleted and then recreated", name)},
		"401":     {Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized"},
		"400":     {Reason: metav1.StatusReasonBadRequest, Message: "admission webhook does not support dry run"},
		"422":     {Reason: metav1.StatusReasonInvalid, Message: "the server rejected our request due to an error in our request"},
		"EOF":     {Failure: "EOF"},
		"refused": {Failure: "connection refused", Unsent: true},
	}[answer]
	if !known {
		return a, fmt.Errorf("no such answer: %s", answer)
	}
	if code, _, _ := strings.Cut(answer, " "); a.Failure == "" {
		if _, err := fmt.Sscan(code, &a.Code); err != nil {
			return a, err
		}
	}
	return a, nil
}

// editRule adds a MachineDrainRule for the pods of an app; without any the server has none. A run takes
// those that were there when its plan was made.
func (c *shownCluster) editRule(name string, e edit) {
	rule := clusterapi.Rule{Namespace: "fleet", Name: name, Behavior: cmp.Or(e.values["behavior"], drainrule.Drain)}
	if e.values["order"] != "" {
		rule.Order = e.number("order")
	}
	if app := e.values["app"]; app != "" {
		rule.Pods = []clusterapi.Selector{{Own: labels.SelectorFromSet(labels.Set{"app": app}), Of: labels.Everything()}}
	}
	read := &clusterapi.Rules{}
	if before := c.store.Snapshot().DrainRules; before != nil {
		read.Rules = slices.Clone(before.Rules)
	}
	read.Rules = append(read.Rules, rule)
	c.store.SetDrainRules(read)
}
