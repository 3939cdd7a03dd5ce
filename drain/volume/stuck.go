package volume

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// stillAttached names the volumes of a pod that is on its node that are attached
// to it, by the exact names of the PersistentVolumes: no new pod elsewhere gets one
// that a single node may have. What cannot be read is not named.
func StillAttached(live *kube.Pod, s *kube.Snapshot) []string {
	var names []string
	for i := range live.Spec.Volumes {
		claim := s.Claim(live.Namespace, live.Spec.Volumes[i].Claim)
		if live.Spec.Volumes[i].Claim == "" || claim == nil || claim.Volume == "" || attachedTo(claim.Volume, live.Node, s) == nil {
			continue
		}
		if !slices.Contains(names, claim.Volume) {
			names = append(names, claim.Volume)
		}
	}
	return names
}
