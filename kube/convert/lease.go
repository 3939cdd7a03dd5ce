package convert

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// lease is the compact record of a Lease.
func lease(l *coordinationv1.Lease) *kube.Lease {
	record := &kube.Lease{
		Namespace: l.Namespace, Name: l.Name, UID: l.UID, ResourceVersion: l.ResourceVersion,
		Holder:      kube.CleanText(valueOr(l.Spec.HolderIdentity, "")),
		By:          kube.CleanText(l.Annotations[kube.ByAnnotation]),
		Reason:      kube.CleanText(l.Annotations[kube.ReasonAnnotation]),
		Since:       kube.CleanText(l.Annotations[kube.MadeAtAnnotation]),
		Duration:    time.Duration(valueOr(l.Spec.LeaseDurationSeconds, 0)) * time.Second,
		Transitions: valueOr(l.Spec.LeaseTransitions, 0),
	}
	// One that would lapse sooner than its holder can renew it is not believed.
	record.Duration = max(record.Duration, kube.LeaseDuration)
	return record
}
