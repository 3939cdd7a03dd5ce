package kube

// A drain of few nodes begins before the whole cluster is read. What it does to a
// pod needs the node, the pods on it, the budgets and the owners; what needs all
// pods or all nodes is not known until they are in, and is not guessed.

// NodeLive tells whether the node itself is known and live.
func NodeLive(s *Snapshot, node string) bool {
	return s.SyncOn(KindNodes, node).Phase == Synced
}

// InWhole tells whether all objects of the kinds were read, so that none is left
// out of what is counted or compared.
func InWhole(s *Snapshot, kinds ...Kind) bool {
	for _, k := range kinds {
		if phase := s.Sync(k).Phase; phase != Synced && phase != Stale {
			return false
		}
	}
	return true
}
