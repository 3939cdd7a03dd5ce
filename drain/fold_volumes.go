package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// applyVolumes takes over where the volumes of a pod are, or, of an event that
// names no pod, what is still attached to a drained node and whether it is safe to
// power off. Journals from before that was judged make no node safe.
func (s *State) applyVolumes(e Event) {
	if e.Pod == "" {
		s.editNode(e.Node, func(n *NodeRun) {
			n.Attached, n.Warning, n.PowerOff = e.Volumes, e.Message, e.PowerOff
		})
		return
	}
	s.editPod(e.UID, func(p *PodRun) {
		volumes := make([]volume.VolumeRun, len(e.Volumes))
		for i, facts := range e.Volumes {
			v := volume.VolumeRun{Facts: facts}
			if i < len(p.Volumes) && p.Volumes[i].Name == facts.Name { // volumes of a pod never change
				v.DetachedAt, v.ReattachedAt = p.Volumes[i].DetachedAt, p.Volumes[i].ReattachedAt
			}
			if v.DetachedAt.IsZero() && (facts.State == volume.VolumeDetached || facts.State == volume.VolumeReattached) {
				v.DetachedAt = e.Time
			}
			if v.ReattachedAt.IsZero() && facts.State == volume.VolumeReattached {
				v.ReattachedAt = e.Time
			}
			volumes[i] = v
		}
		p.Volumes, p.DetachBy = volumes, time.Time{}
		if e.Wait != nil {
			p.DetachBy = e.Wait.Until
		}
	})
}
