package kubetest

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Now is when everything happens in the tests of the rules. Names are "namespace/name",
// and the UID of an object is its name with its kind.
var Now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func Ago(d time.Duration) metav1.Time { return metav1.NewTime(Now.Add(-d)) }

func Meta(kind, name string) metav1.ObjectMeta {
	namespace, short, found := strings.Cut(name, "/")
	if !found {
		namespace, short = "", name
	}
	return metav1.ObjectMeta{
		Namespace: namespace, Name: short, UID: types.UID(kind + "/" + name), CreationTimestamp: Ago(time.Hour),
		Generation: 1,
	}
}

type PodOption func(*corev1.Pod)

// Pod is a Ready pod on node w1 with the label app=<first word of its name>
// and no controller.
func Pod(name string, options ...PodOption) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: Meta("Pod", name)}
	app, _, _ := strings.Cut(p.Name, "-")
	p.Labels = map[string]string{"app": app}
	p.Spec.NodeName = "w1"
	p.Status.Phase = corev1.PodRunning
	ready(corev1.ConditionTrue, time.Hour)(p)
	for _, o := range options {
		o(p)
	}
	return p
}

func ready(status corev1.ConditionStatus, since time.Duration) PodOption {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status,
			LastTransitionTime: Ago(since)}}
	}
}

func NotReady(since time.Duration) PodOption { return ready(corev1.ConditionFalse, since) }

func On(node string) PodOption { return func(p *corev1.Pod) { p.Spec.NodeName = node } }

func Phase(phase corev1.PodPhase) PodOption {
	return func(p *corev1.Pod) {
		p.Status.Phase = phase
		if phase != corev1.PodRunning {
			p.Status.Conditions = nil
		}
	}
}

func OwnedBy(apiVersion, kind, name string) PodOption {
	return func(p *corev1.Pod) {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: apiVersion, Kind: kind, Name: name, Controller: &yes,
			UID: types.UID(kind + "/" + p.Namespace + "/" + name),
		}}
	}
}

func WithEmptyDir(p *corev1.Pod) {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
		Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	})
}

func Mirrored(p *corev1.Pod) {
	p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
}

// Deleted makes a pod whose grace period ended that long ago.
func Deleted(over time.Duration) PodOption {
	return func(p *corev1.Pod) {
		at, grace := Ago(over), int64(30)
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, &grace
	}
}

// Crashing is the state of a container in a crash loop.
func Crashing(since time.Duration) PodOption {
	return func(p *corev1.Pod) {
		NotReady(since)(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", RestartCount: 7,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1,
				Reason: "Error"}},
		}}
	}
}

// Unscheduled is a pod that the scheduler found no node for.
func Unscheduled(message string) PodOption {
	return func(p *corev1.Pod) {
		p.Spec.NodeName = ""
		p.Status.Phase = corev1.PodPending
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: message,
		}}
	}
}

func Node(name string, options ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: Meta("Node", name)}
	n.Labels = map[string]string{"kubernetes.io/hostname": name}
	n.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: Ago(time.Hour),
	}}
	for _, o := range options {
		o(n)
	}
	return n
}

// Budget selects app=<its name>; the figures are desired, current, allowed
// and expected.
func Budget(name string, desired, current, allowed, expected int32,
	options ...func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: Meta("PodDisruptionBudget", name)}
	least := intstr.FromInt32(desired)
	b.Spec.MinAvailable = &least
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": b.Name}}
	b.Status = policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: 1, DesiredHealthy: desired, CurrentHealthy: current,
		DisruptionsAllowed: allowed, ExpectedPods: expected,
	}
	for _, o := range options {
		o(b)
	}
	return b
}

func MaxUnavailable(v string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		value := intstr.Parse(v)
		b.Spec.MinAvailable, b.Spec.MaxUnavailable = nil, &value
	}
}

func MinAvailable(v string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		value := intstr.Parse(v)
		b.Spec.MinAvailable = &value
	}
}

func Policy(p policyv1.UnhealthyPodEvictionPolicyType) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.UnhealthyPodEvictionPolicy = &p }
}

// ControlledBy gives a budget a controlling owner.
func ControlledBy(apiVersion, kind, name string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		b.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
	}
}

func Unobserved(b *policyv1.PodDisruptionBudget) { b.Generation = b.Status.ObservedGeneration + 1 }

func Selecting(app string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector.MatchLabels = map[string]string{"app": app} }
}

func SyncFailed(message string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		b.Status.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.SyncFailedReason, Message: message,
		}}
	}
}

// Deployment is a Deployment with its one ReplicaSet, which bears its name
// followed by "-1".
func Deployment(name string, replicas int32) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	d := &appsv1.Deployment{ObjectMeta: Meta("Deployment", name)}
	d.Spec.Replicas = &replicas
	rs := ReplicaSet(name+"-1", replicas)
	yes := true
	rs.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "Deployment", Name: d.Name, UID: d.UID, Controller: &yes,
	}}
	return d, rs
}

func ReplicaSet(name string, replicas int32) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: Meta("ReplicaSet", name)}
	app, _, _ := strings.Cut(rs.Name, "-")
	rs.Spec.Replicas, rs.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	return rs
}

func DaemonSet(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: Meta("DaemonSet", name)}
}

// ByDeployment makes a pod one of givenDeployment's.
func ByDeployment(name string) PodOption { return OwnedBy("apps/v1", "ReplicaSet", name+"-1") }

func Nobody(kube.UID) bool { return false }

func RecordOf(s *kube.Snapshot, p *corev1.Pod) *kube.Pod { return s.Pod(p.UID) }

// StatefulSet is a StatefulSet with its Ready pods on the nodes named.
func StatefulSet(name string, ready int32, nodes ...string) []runtime.Object {
	replicas := int32(len(nodes))
	set := &appsv1.StatefulSet{ObjectMeta: Meta("StatefulSet", name)}
	app, _, _ := strings.Cut(set.Name, "-")
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	set.Spec.Replicas, set.Status.ReadyReplicas = &replicas, ready
	objects := []runtime.Object{set}
	for i, node := range nodes {
		objects = append(objects, Pod(fmt.Sprintf("%s-%d", name, i), OwnedBy("apps/v1", "StatefulSet", set.Name),
			On(node)))
	}
	return objects
}

// Ready is a Deployment with its Ready pods on the nodes named.
func Ready(name string, replicas, ready int32, nodes []string, options ...PodOption) []runtime.Object {
	d, rs := Deployment(name, replicas)
	d.Status.ReadyReplicas = ready
	objects := []runtime.Object{d, rs}
	for i, node := range nodes {
		objects = append(objects, Pod(fmt.Sprintf("%s-%d", name, i),
			append(options, ByDeployment(d.Name), On(node))...))
	}
	return objects
}

func Failing(kind, message string) func(runtime.Object) {
	return func(o runtime.Object) {
		rs := o.(*appsv1.ReplicaSet)
		rs.Status.Conditions = []appsv1.ReplicaSetCondition{{Type: appsv1.ReplicaSetReplicaFailure,
			Status: corev1.ConditionTrue, Reason: kind, Message: message}}
	}
}

// Came is a pod that was made an hour ago and took that long to be Ready.
func Came(took time.Duration) PodOption {
	return func(p *corev1.Pod) {
		p.CreationTimestamp = Ago(time.Hour)
		ready(corev1.ConditionTrue, time.Hour-took)(p)
	}
}

// Roomy is a node with room for a thousand pods.
func Roomy(n *corev1.Node) {
	n.Status.Allocatable = corev1.ResourceList{
		"cpu": resource.MustParse("1000"), "memory": resource.MustParse("1000Gi"), "pods": resource.MustParse("1000"),
	}
}

var Noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func SelectsAll(b *policyv1.PodDisruptionBudget) { b.Spec.Selector.MatchLabels = nil }

// Cart is a Deployment of three on nodes w1 to w3, each pod changed by its
// option.
func Cart(options ...PodOption) []runtime.Object {
	return DeploymentOf("shop/cart", options...)
}

func DeploymentOf(name string, options ...PodOption) []runtime.Object {
	d, rs := Deployment(name, int32(len(options)))
	objects := []runtime.Object{d, rs}
	for i, o := range options {
		objects = append(objects, Pod(fmt.Sprintf("%s-%d", name, i+1), ByDeployment(d.Name),
			On(fmt.Sprintf("w%d", i+1)), o))
	}
	return objects
}

func Well(*corev1.Pod) {}

func Asking(cpu string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
	}
}

// API is a Deployment of six, three on each of w1 and w2.
func API(options ...PodOption) []runtime.Object {
	d, rs := Deployment("shop/api", 6)
	objects := []runtime.Object{d, rs}
	for i := range 6 {
		objects = append(objects, Pod(fmt.Sprintf("shop/api-%d", i+1), append([]PodOption{
			ByDeployment("api"), On([]string{"w1", "w2"}[i/3]),
		}, options...)...))
	}
	return objects
}

func ControlPlane(n *corev1.Node) { n.Labels["node-role.kubernetes.io/control-plane"] = "" }

func Silent(n *corev1.Node) {
	n.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: Ago(5 * time.Minute),
		Reason: "NodeStatusUnknown",
	}}
}

// CordonedBy is a node that kubectl made unschedulable an hour ago.
func CordonedBy(manager string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		at := Ago(time.Hour)
		n.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &at, APIVersion: "v1",
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`),
		}}
	}
}

func Tolerating(key string, operator corev1.TolerationOperator) PodOption {
	return func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: key, Operator: operator}}
	}
}

func Critical(p *corev1.Pod) {
	priority := int32(kube.SystemCriticalPriority)
	p.Spec.Priority = &priority
}

func CsiDriver(p *corev1.Pod) {
	p.Spec.Volumes = []corev1.Volume{{Name: "plugins", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet/plugins/csi.example.com"}}}}
}

// ExcludeFromLB labels a node out of external load balancers, as that manager.
func ExcludeFromLB(n *corev1.Node, manager, value string) *corev1.Node {
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelNodeExcludeBalancers] = value
	n.ManagedFields = append(n.ManagedFields, metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(
		`{"f:metadata":{"f:labels":{"f:` + corev1.LabelNodeExcludeBalancers + `":{}}}}`)})
	return n
}
