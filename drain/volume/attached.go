package volume

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// LeftAttached are the volumes attached to a node, without those that pods still
// on it use: a DaemonSet's pods stay, and so do their volumes. An attachment
// without a volume of ours counts all the same, for the machine has it.
func LeftAttached(node string, s *kube.Snapshot) []Facts {
	var used map[string]bool
	var left []Facts
	for _, a := range s.Storage().AttachmentsOn(node) {
		if !a.Attached {
			continue
		}
		if used == nil {
			used = VolumesUsedOn(node, s)
		}
		if a.Volume != "" && used[a.Volume] {
			continue
		}
		left = append(left, AttachmentFacts(a, s))
	}
	return left
}

func AttachmentFacts(a *kube.VolumeAttachment, s *kube.Snapshot) Facts {
	f := Facts{Name: a.Name, Volume: a.Volume, Driver: a.Driver, State: VolumeStillAttached}
	if volume := s.Storage().Volume(a.Volume); volume != nil {
		f.Handle = volume.Handle
		if volume.Claim != nil {
			f.Claim = volume.Claim.Namespace + "/" + volume.Claim.Name
		}
	}
	return f
}

// VolumesUsedOn are the volumes of the pods that are on the node and stay.
func VolumesUsedOn(node string, s *kube.Snapshot) map[string]bool {
	used := map[string]bool{}
	for _, p := range s.PodsOn(node) {
		if p.Terminating() || p.Finished() {
			continue
		}
		for i := range p.Spec.Volumes {
			if claim := s.Storage().Claim(p.Namespace, p.Spec.Volumes[i].Claim); claim != nil &&
				p.Spec.Volumes[i].Claim != "" {
				used[claim.Volume] = true
			}
		}
	}
	return used
}

// StillAttached names the volumes of a pod that is on its node that are attached
// to it, by the exact names of the PersistentVolumes: no new pod elsewhere gets one
// that a single node may have. What cannot be read is not named.
func StillAttached(live *kube.Pod, s *kube.Snapshot) []string {
	var names []string
	for i := range live.Spec.Volumes {
		claim := s.Storage().Claim(live.Namespace, live.Spec.Volumes[i].Claim)
		if live.Spec.Volumes[i].Claim == "" || claim == nil || claim.Volume == "" ||
			attachedTo(claim.Volume, live.Node, s) == nil {
			continue
		}
		if !slices.Contains(names, claim.Volume) {
			names = append(names, claim.Volume)
		}
	}
	return names
}
