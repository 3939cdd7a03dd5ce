package volume

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func HasEmptyDir(p *kube.Pod) bool {
	for i := range p.Spec.Volumes {
		if k := p.Spec.Volumes[i].Kind; k == kube.VolumeEmptyDir || k == kube.VolumeMemory {
			return true
		}
	}
	return false
}

// HasClaims reports whether the pod has volumes that must be detached.
func HasClaims(p *kube.Pod) bool {
	for i := range p.Spec.Volumes {
		if k := p.Spec.Volumes[i].Kind; k == kube.VolumeClaim || k == kube.VolumeEphemeral {
			return true
		}
	}
	return false
}

// HasEphemeral reports whether the pod has a volume that was made for it alone and is
// deleted with it.
func HasEphemeral(p *kube.Pod) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v kube.Volume) bool { return v.Kind == kube.VolumeEphemeral })
}

// BoundVolume is the volume that goes from pod to pod; one that was made for this pod
// alone ends with it.
func BoundVolume(s *kube.Snapshot, pod *kube.Pod, v *kube.Volume) *kube.PersistentVolume {
	if v.Kind != kube.VolumeClaim {
		return nil
	}
	claim := s.Storage().Claim(pod.Namespace, v.Claim)
	if claim == nil || !claim.Bound {
		return nil
	}
	return s.Storage().Volume(claim.Volume)
}
