package report

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// Volume is one volume of a pod of a report.
type Volume struct {
	volume.Facts
	DetachSeconds   float64 `json:"detachSeconds,omitempty"`   // from the pod's end until it was detached
	ReattachSeconds float64 `json:"reattachSeconds,omitempty"` // from then until another node had it, if the run saw it
}

func reportVolumes(p *eviction.Record) []Volume {
	var volumes []Volume
	for _, v := range p.Volumes {
		r := Volume{Facts: v.Facts}
		if !v.DetachedAt.IsZero() {
			r.DetachSeconds = seconds(p.Ended, v.DetachedAt)
		}
		if !v.ReattachedAt.IsZero() {
			r.ReattachSeconds = seconds(v.DetachedAt, v.ReattachedAt)
		}
		volumes = append(volumes, r)
	}
	return volumes
}

// words say what became of the volume.
func (v *Volume) words() string {
	detached := "detached after " + spell(v.DetachSeconds)
	switch v.State {
	case volume.VolumeInUse:
		return "with its pod on the node"
	case volume.VolumeDetaching:
		return "detaching"
	case volume.VolumeStillAttached:
		return "still attached when its timeout expired"
	case volume.VolumeDetached:
		if v.Late {
			return detached + ", attached to no other node in time"
		}
		return detached
	case volume.VolumeReattached:
		return fmt.Sprintf("%s, attached to %s %s later", detached, v.Node, spell(v.ReattachSeconds))
	case volume.VolumeShared:
		return "shared with other pods of the node, not waited for"
	case volume.VolumeUnattached:
		return "its driver attaches nothing"
	case volume.VolumeUnknown:
		return "not known: " + v.Why
	}
	return string(v.State)
}

// volumeWords say how many volumes were detached and how long that took.
func (r Report) volumeWords() string {
	var sum volumeSum
	for _, n := range r.Nodes {
		for i := range n.Pods {
			sum.add(&n.Pods[i])
		}
	}
	return sum.words()
}

// volumeSum counts the volumes of a run by what became of them.
type volumeSum struct {
	detached, late, unknown int
	slowest                 float64 // seconds
	doubtful                string  // the first that is not known, and why
}

func (s *volumeSum) add(p *Pod) {
	for i := range p.Volumes {
		switch v := &p.Volumes[i]; v.State {
		case volume.VolumeDetached, volume.VolumeReattached:
			s.detached++
			s.slowest = max(s.slowest, v.DetachSeconds)
			if v.Late && v.State == volume.VolumeDetached {
				s.late++
			}
		case volume.VolumeUnknown:
			if s.unknown++; s.doubtful == "" {
				s.doubtful = fmt.Sprintf("%s of %s/%s: %s", v.Title(), p.Namespace, p.Name, v.Why)
			}
		}
	}
}

func (s *volumeSum) words() string {
	var parts []string
	if s.detached > 0 {
		parts = append(parts, fmt.Sprintf("%d detached, the slowest after %s", s.detached, spell(s.slowest)))
	}
	if s.late > 0 {
		parts = append(parts, fmt.Sprintf("%d of them attached to no other node in time", s.late))
	}
	if s.unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d not known (%s)", s.unknown, s.doubtful))
	}
	return strings.Join(parts, ", ")
}
