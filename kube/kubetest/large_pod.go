package kubetest

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// LargePod is a pod of a cluster with 5,000 nodes, 500 namespaces and 15,000
// ReplicaSets of ten pods, one in five namespaces under a budget.
func LargePod(i int) *corev1.Pod {
	set := i / 10
	namespace := fmt.Sprintf("team-%d", set%500)
	name := fmt.Sprintf("service-%d-7d9f6c5b8", set)
	yes := true
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: fmt.Sprintf("%s-%05d", name, i),
			UID: types.UID(fmt.Sprintf("%08x-1111-4222-8333-%012x", i, i)),
			Labels: map[string]string{"app": fmt.Sprintf("service-%d", set), "pod-template-hash": "7d9f6c5b8",
				"team": namespace},
			Annotations: map[string]string{"prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name,
				UID: types.UID(fmt.Sprintf("rs-%d", set)), Controller: &yes}},
		},
		Spec: corev1.PodSpec{
			NodeName: fmt.Sprintf("node-%d", i%5000), RestartPolicy: corev1.RestartPolicyAlways,
			SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "app",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
				}}}},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists",
				Effect: "NoExecute"}},
			Volumes: []corev1.Volume{{Name: "kube-api-access-x",
				VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{}}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue,
				LastTransitionTime: metav1.NewTime(time.Unix(int64(i), 0))},
		}},
	}
}
