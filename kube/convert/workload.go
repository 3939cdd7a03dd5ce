package convert

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// workload fills what all owners of pods have in common.
func workload(kind string, m *metav1.ObjectMeta) *kube.Workload {
	return &kube.Workload{
		Kind: kind, Namespace: Share(m.Namespace), Name: Share(m.Name), UID: m.UID,
		Owner: controllerOf(m.OwnerReferences), Created: m.CreationTimestamp.Time,
	}
}

// ReplicaSet is the compact record of a ReplicaSet.
func ReplicaSet(o *appsv1.ReplicaSet) *kube.Workload {
	w := workload("ReplicaSet", &o.ObjectMeta)
	w.Replicas, w.MinReadySeconds, w.Selector = valueOr(o.Spec.Replicas, 1), o.Spec.MinReadySeconds,
		selectorOf(o.Spec.Selector)
	w.ReadyReplicas, w.Available = o.Status.ReadyReplicas, o.Status.AvailableReplicas
	for _, c := range o.Status.Conditions {
		if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue {
			w.Failure = kube.CleanText(c.Message)
		}
	}
	w.SurgeMark = o.Annotations[kube.SurgeAnnotation] // of a Deployment's it is a copy
	if w.Owner == nil {
		scaleRecord(w, &o.ObjectMeta)
		w.Unobserved = o.Status.ObservedGeneration < o.Generation
		w.RollingOut = w.Unobserved
	}
	return w
}

// deployment is the compact record of a Deployment.
func deployment(o *appsv1.Deployment) *kube.Workload {
	w := workload("Deployment", &o.ObjectMeta)
	w.Replicas, w.MinReadySeconds, w.Selector = valueOr(o.Spec.Replicas, 1), o.Spec.MinReadySeconds,
		selectorOf(o.Spec.Selector)
	w.ReadyReplicas, w.Available = o.Status.ReadyReplicas, o.Status.AvailableReplicas
	for _, c := range o.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			w.Failure = kube.CleanText(c.Message)
		}
	}
	scaleRecord(w, &o.ObjectMeta)
	w.Unobserved = o.Status.ObservedGeneration < o.Generation
	w.Rollout, w.RollingOut = rolloutOf(o), w.Unobserved || rollingOut(o)
	return w
}

// statefulSet is the compact record of a StatefulSet.
func statefulSet(o *appsv1.StatefulSet) *kube.Workload {
	w := workload("StatefulSet", &o.ObjectMeta)
	w.Replicas, w.MinReadySeconds, w.Selector = valueOr(o.Spec.Replicas, 1), o.Spec.MinReadySeconds,
		selectorOf(o.Spec.Selector)
	w.ReadyReplicas, w.Available = o.Status.ReadyReplicas, o.Status.AvailableReplicas
	scaleRecord(w, &o.ObjectMeta)
	return w
}

// DaemonSet is the compact record of a DaemonSet.
func DaemonSet(o *appsv1.DaemonSet) *kube.Workload {
	w := workload("DaemonSet", &o.ObjectMeta)
	w.MinReadySeconds, w.Selector = o.Spec.MinReadySeconds, selectorOf(o.Spec.Selector)
	w.Replicas, w.ReadyReplicas = o.Status.DesiredNumberScheduled, o.Status.NumberReady
	w.Available = o.Status.NumberAvailable
	return w
}

// job is the compact record of a Job. Finished follows the job
// controller's own rule (cronjob utils getFinishedStatus).
func job(o *batchv1.Job) *kube.Workload {
	w := workload("Job", &o.ObjectMeta)
	w.Replicas, w.Selector = valueOr(o.Spec.Parallelism, 1), selectorOf(o.Spec.Selector)
	w.ReadyReplicas = valueOr(o.Status.Ready, 0)
	w.Available = w.ReadyReplicas
	for _, c := range o.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			w.Finished, w.FinishedAs = true, string(c.Type)
			if c.Type == batchv1.JobFailed {
				w.Failure = kube.CleanText(c.Message)
			}
			break
		}
	}
	return w
}

// replicationController is the compact record of a ReplicationController.
func replicationController(o *corev1.ReplicationController) *kube.Workload {
	w := workload("ReplicationController", &o.ObjectMeta)
	w.Replicas, w.MinReadySeconds = valueOr(o.Spec.Replicas, 1), o.Spec.MinReadySeconds
	w.Selector = labels.Nothing()
	if len(o.Spec.Selector) > 0 {
		if selector, err := labels.ValidatedSelectorFromSet(o.Spec.Selector); err == nil {
			w.Selector = selector
		}
	}
	w.ReadyReplicas, w.Available = o.Status.ReadyReplicas, o.Status.AvailableReplicas
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.ReplicationControllerReplicaFailure && c.Status == corev1.ConditionTrue {
			w.Failure = kube.CleanText(c.Message)
		}
	}
	scaleRecord(w, &o.ObjectMeta)
	return w
}
