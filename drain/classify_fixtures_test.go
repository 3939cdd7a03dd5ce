package drain

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The objects that the tests of the rules are made of. Everything happens at
// givenNow; names are "namespace/name", and the UID of an object is its name
// with its kind.
var givenNow = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(givenNow.Add(-d)) }

func givenMeta(kind, name string) metav1.ObjectMeta {
	namespace, short, found := strings.Cut(name, "/")
	if !found {
		namespace, short = "", name
	}
	return metav1.ObjectMeta{
		Namespace: namespace, Name: short, UID: types.UID(kind + "/" + name), CreationTimestamp: ago(time.Hour),
		Generation: 1,
	}
}

type podOption func(*corev1.Pod)

// givenPod is a Ready pod on node w1 with the label app=<first word of its name>
// and no controller.
func givenPod(name string, options ...podOption) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: givenMeta("Pod", name)}
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

func ready(status corev1.ConditionStatus, since time.Duration) podOption {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status, LastTransitionTime: ago(since)}}
	}
}

func notReady(since time.Duration) podOption { return ready(corev1.ConditionFalse, since) }

func on(node string) podOption { return func(p *corev1.Pod) { p.Spec.NodeName = node } }

func phase(phase corev1.PodPhase) podOption {
	return func(p *corev1.Pod) {
		p.Status.Phase = phase
		if phase != corev1.PodRunning {
			p.Status.Conditions = nil
		}
	}
}

func ownedBy(apiVersion, kind, name string) podOption {
	return func(p *corev1.Pod) {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: apiVersion, Kind: kind, Name: name, Controller: &yes,
			UID: types.UID(kind + "/" + p.Namespace + "/" + name),
		}}
	}
}

func withEmptyDir(p *corev1.Pod) {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
		Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	})
}

func mirrored(p *corev1.Pod) {
	p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
}

// deleted makes a pod whose grace period ended that long ago.
func deleted(over time.Duration) podOption {
	return func(p *corev1.Pod) {
		at, grace := ago(over), int64(30)
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, &grace
	}
}

// crashing is the state of a container in a crash loop.
func crashing(since time.Duration) podOption {
	return func(p *corev1.Pod) {
		notReady(since)(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", RestartCount: 7,
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 5m0s"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}},
		}}
	}
}

// unscheduled is a pod that the scheduler found no node for.
func unscheduled(message string) podOption {
	return func(p *corev1.Pod) {
		p.Spec.NodeName = ""
		p.Status.Phase = corev1.PodPending
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
		}}
	}
}

func givenNode(name string, options ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: givenMeta("Node", name)}
	n.Labels = map[string]string{"kubernetes.io/hostname": name}
	n.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: ago(time.Hour),
	}}
	for _, o := range options {
		o(n)
	}
	return n
}

// givenBudget selects app=<its name>; the figures are desired, current, allowed
// and expected.
func givenBudget(name string, desired, current, allowed, expected int32, options ...func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: givenMeta("PodDisruptionBudget", name)}
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

func maxUnavailable(v string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		value := intstr.Parse(v)
		b.Spec.MinAvailable, b.Spec.MaxUnavailable = nil, &value
	}
}

func minAvailable(v string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		value := intstr.Parse(v)
		b.Spec.MinAvailable = &value
	}
}

func policy(p policyv1.UnhealthyPodEvictionPolicyType) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.UnhealthyPodEvictionPolicy = &p }
}

func unobserved(b *policyv1.PodDisruptionBudget) { b.Generation = b.Status.ObservedGeneration + 1 }

func selecting(app string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector.MatchLabels = map[string]string{"app": app} }
}

func syncFailed(message string) func(*policyv1.PodDisruptionBudget) {
	return func(b *policyv1.PodDisruptionBudget) {
		b.Status.Conditions = []metav1.Condition{{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.SyncFailedReason, Message: message,
		}}
	}
}

// givenDeployment is a Deployment with its one ReplicaSet, which bears its name
// followed by "-1".
func givenDeployment(name string, replicas int32) (*appsv1.Deployment, *appsv1.ReplicaSet) {
	d := &appsv1.Deployment{ObjectMeta: givenMeta("Deployment", name)}
	d.Spec.Replicas = &replicas
	rs := givenReplicaSet(name+"-1", replicas)
	yes := true
	rs.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "Deployment", Name: d.Name, UID: d.UID, Controller: &yes,
	}}
	return d, rs
}

func givenReplicaSet(name string, replicas int32) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: givenMeta("ReplicaSet", name)}
	rs.Spec.Replicas = &replicas
	return rs
}

func givenDaemonSet(name string) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{ObjectMeta: givenMeta("DaemonSet", name)}
}

// byDeployment makes a pod one of givenDeployment's.
func byDeployment(name string) podOption { return ownedBy("apps/v1", "ReplicaSet", name+"-1") }

func nobody(kube.UID) bool { return false }

func recordOf(s *kube.Snapshot, p *corev1.Pod) *kube.Pod { return s.Pod(p.UID) }
