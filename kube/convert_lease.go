package kube

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// LeaseRecord is the compact record of a Lease.
func LeaseRecord(l *coordinationv1.Lease) *Lease {
	record := &Lease{
		Namespace: l.Namespace, Name: l.Name, UID: l.UID, ResourceVersion: l.ResourceVersion,
		Holder: CleanText(valueOr(l.Spec.HolderIdentity, "")), By: CleanText(l.Annotations[ByAnnotation]),
		Reason: CleanText(l.Annotations[ReasonAnnotation]), Since: CleanText(l.Annotations[MadeAtAnnotation]),
		Duration:    time.Duration(valueOr(l.Spec.LeaseDurationSeconds, 0)) * time.Second,
		Transitions: valueOr(l.Spec.LeaseTransitions, 0),
	}
	// One that would lapse sooner than its holder can renew it is not believed.
	record.Duration = max(record.Duration, LeaseDuration)
	return record
}
