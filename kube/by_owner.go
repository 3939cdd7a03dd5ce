package kube

// TopOwner is the owner whose number of pods counts, and what is known of it: the
// Deployment of a ReplicaSet, say, or its Argo Rollout.
func TopOwner(s *Snapshot, owner *Owner) (*Owner, *Workload) {
	w := s.Workload(owner.UID)
	if w != nil && w.Kind == "ReplicaSet" && w.Owner != nil {
		return w.Owner, s.Workload(w.Owner.UID)
	}
	return owner, w
}
