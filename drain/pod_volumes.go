package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
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

// VolumesSentence says where the volumes of a pod are that has left its node: those
// that are still on their way, since when and for how long they are given time,
// those whose time was up, and where the others went. "" where there is nothing to
// say. now is our clock.
func (p *PodRun) VolumesSentence(now time.Time) string {
	if !p.State.Left() {
		return ""
	}
	if names := p.Detaching(); len(names) > 0 {
		words := fmt.Sprintf("%s%s detaching from %s for %s", words.VolumeNames(names), words.BeVerb(names), p.Node, now.Sub(p.Ended).Round(time.Second))
		if !p.DetachBy.IsZero() && p.DetachBy.After(now) {
			words += ", " + waits.Remaining(p.DetachBy, now) + " for it"
		}
		return words
	}
	if names := p.StillAttached(); len(names) > 0 {
		return fmt.Sprintf("%s%s still attached to %s, the time for it is over", words.VolumeNames(names), words.BeVerb(names), p.Node)
	}
	moved, where := p.reattached()
	switch {
	case len(moved) > 0:
		return fmt.Sprintf("%s%s attached to %s now", words.VolumeNames(moved), words.BeVerb(moved), where)
	case len(p.volumesIn(volume.VolumeDetached)) > 0:
		names := p.volumesIn(volume.VolumeDetached)
		words := fmt.Sprintf("%s detached from %s", words.VolumeNames(names), p.Node)
		if p.volumesLate() {
			words += ", attached to no other node yet"
		}
		return words
	case len(p.volumesIn(volume.VolumeUnknown)) > 0:
		names := p.volumesIn(volume.VolumeUnknown)
		return fmt.Sprintf("whether %s%s detached is not known: %s", words.VolumeNames(names), words.BeVerb(names), p.whyUnknown())
	}
	return ""
}

// reattached are the volumes that another node has, and that node: of several, the
// first with its volumes.
func (p *PodRun) reattached() (names []string, node string) {
	for i := range p.Volumes {
		v := &p.Volumes[i]
		if v.State == volume.VolumeReattached && (node == "" || v.Node == node) {
			names, node = append(names, v.Title()), v.Node
		}
	}
	return names, node
}

func (p *PodRun) volumesLate() bool {
	for i := range p.Volumes {
		if p.Volumes[i].Late {
			return true
		}
	}
	return false
}

func (p *PodRun) whyUnknown() string {
	for i := range p.Volumes {
		if p.Volumes[i].State == volume.VolumeUnknown {
			return p.Volumes[i].Why
		}
	}
	return ""
}
