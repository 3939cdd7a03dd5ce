package convert

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Pod is the compact record of a pod.
func Pod(p *corev1.Pod) *kube.Pod {
	owner := controllerOf(p.OwnerReferences)
	shared := shareMap(p.Labels)
	record := &kube.Pod{
		Namespace: Share(p.Namespace), Name: kube.Visible(p.Name), UID: kube.UID(kube.Visible(string(p.UID))),
		Node:  Share(p.Spec.NodeName),
		Owner: owner, Labels: valueOr(shared, nil), Shared: shared,
		Annotations: keptAnnotations(p.Annotations), Spec: podSpec(p, owner),
		Created: p.CreationTimestamp.Time, Deleted: timeOf(p.DeletionTimestamp),
		Phase: corev1.PodPhase(Share(string(p.Status.Phase))), Reason: Share(kube.CleanText(p.Status.Reason)),
		Message: kube.CleanText(p.Status.Message), Trouble: troubleOf(p), State: podState(p),
		Version: kube.ParseVersion(p.ResourceVersion),
	}
	if p.DeletionTimestamp != nil {
		record.DeletionGrace = valueOr(p.DeletionGracePeriodSeconds, 0)
	}
	for _, f := range p.Finalizers {
		record.Finalizers = append(record.Finalizers, Share(f))
	}
	if ready := podCondition(p, corev1.PodReady); ready != nil {
		record.Ready = ready.Status == corev1.ConditionTrue
		record.ReadySince = ready.LastTransitionTime.Time
	}
	return record
}

func podCondition(p *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}
