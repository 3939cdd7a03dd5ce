package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// drivers are the CSI drivers of which the pod takes a turn on its node, each
// once. A pod without any goes without a turn.
func (p *PodRun) drivers() []string {
	var drivers []string
	for i := range p.Volumes {
		if v := &p.Volumes[i]; v.Driver != "" && v.State.Attachable() && !slices.Contains(drivers, v.Driver) {
			drivers = append(drivers, v.Driver)
		}
	}
	return drivers
}

// Detaching are the volumes that have not left the node yet although the pod is
// gone, and that are waited for; nil where there are none.
func (p *PodRun) Detaching() []string { return p.volumesIn(volume.VolumeDetaching) }

// StillAttached are the volumes that had not left the node when the time for that
// was over; nil where there are none.
func (p *PodRun) StillAttached() []string { return p.volumesIn(volume.VolumeStillAttached) }

// volumesIn names the volumes of the pod that are in the state.
func (p *PodRun) volumesIn(state volume.State) []string {
	var names []string
	for i := range p.Volumes {
		if p.Volumes[i].State == state {
			names = append(names, p.Volumes[i].Title())
		}
	}
	return names
}
