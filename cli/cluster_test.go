package cli

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// smallCluster is two nodes: worker-1 with a free pod, a pod under an exhausted
// budget whose unhealthy pod is on worker-2, and a pod of a DaemonSet; worker-2
// with that pod and a bare pod.
func smallCluster() *kube.Snapshot { return smallClusterWith(false) }

func smallClusterWith(worker1Unschedulable bool) *kube.Snapshot {
	return smallStore(worker1Unschedulable).Snapshot()
}

func smallStore(worker1Unschedulable bool) *kube.Store {
	objects := []runtime.Object{
		node("worker-1", "blue", worker1Unschedulable), node("worker-2", "green", true),
		replicaSet("api", 1), replicaSet("web", 2), daemonSet("exporter"),
		pod("worker-1", "api-1", "ReplicaSet", "api", true),
		pod("worker-1", "web-1", "ReplicaSet", "web", true),
		pod("worker-1", "exporter-1", "DaemonSet", "exporter", true),
		pod("worker-2", "web-2", "ReplicaSet", "web", false),
		pod("worker-2", "bare", "", "", true),
		givenBudget("web", 1, 1, 0, 2),
	}
	return kubetest.StoreOf(noon, objects...)
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID("uid-" + name),
		CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour)), Generation: 1,
	}
}

func node(name, pool string, unschedulable bool) *corev1.Node {
	n := &corev1.Node{ObjectMeta: meta(name)}
	n.Namespace, n.Labels = "", map[string]string{"pool": pool}
	n.Spec.Unschedulable = unschedulable
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

func pod(node, name, kind, owner string, ready bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: meta(name)}
	p.Labels = map[string]string{"app": owner}
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.NewTime(noon.Add(-5 * time.Minute)),
	}}
	if !ready {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}},
		}}
	}
	if kind != "" {
		yes := true
		p.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: kind, Name: owner, UID: types.UID("uid-" + owner), Controller: &yes,
		}}
	}
	return p
}

func replicaSet(name string, replicas int32) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{ObjectMeta: meta(name)}
	rs.Spec.Replicas = &replicas
	rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	return rs
}

func daemonSet(name string) *appsv1.DaemonSet { return &appsv1.DaemonSet{ObjectMeta: meta(name)} }

func givenBudget(app string, needed, present, allowed, expected int32) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: meta(app)}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	b.Status = policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: 1, DesiredHealthy: needed, CurrentHealthy: present,
		DisruptionsAllowed: allowed, ExpectedPods: expected,
	}
	return b
}

// notSynced is a cluster of which nothing has come in yet.
func notSynced() *kube.Snapshot {
	s := kube.NewStore(func() time.Time { return noon })
	for _, k := range kube.Kinds {
		s.SetSync(k, kube.SyncState{Phase: kube.NotSynced})
	}
	return s.Snapshot()
}
