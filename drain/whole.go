package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// inWhole tells whether all objects of the kinds were read, so that none is left
// out of what is counted or compared.
func inWhole(s *kube.Snapshot, kinds ...kube.Kind) bool {
	for _, k := range kinds {
		if phase := s.Sync(k).Phase; phase != kube.Synced && phase != kube.Stale {
			return false
		}
	}
	return true
}
