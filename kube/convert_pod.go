package kube

import (
	corev1 "k8s.io/api/core/v1"
)

// PodRecord is the compact record of a pod.
func PodRecord(p *corev1.Pod) *Pod {
	owner := controllerOf(p.OwnerReferences)
	shared := shareMap(p.Labels)
	record := &Pod{
		Namespace: share(p.Namespace), Name: Visible(p.Name), UID: UID(Visible(string(p.UID))), Node: share(p.Spec.NodeName),
		Owner: owner, Labels: valueOr(shared, nil), Shared: shared,
		Annotations: keptAnnotations(p.Annotations), Spec: podSpec(p, owner),
		Created: p.CreationTimestamp.Time, Deleted: timeOf(p.DeletionTimestamp),
		Phase: corev1.PodPhase(share(string(p.Status.Phase))), Reason: share(CleanText(p.Status.Reason)),
		Message: CleanText(p.Status.Message), Trouble: troubleOf(p),
		Version: ParseVersion(p.ResourceVersion),
	}
	if p.DeletionTimestamp != nil {
		record.DeletionGrace = valueOr(p.DeletionGracePeriodSeconds, 0)
	}
	for _, f := range p.Finalizers {
		record.Finalizers = append(record.Finalizers, share(f))
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
