package report

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Volume is one volume of a pod of a report.
type Volume struct {
	drain.VolumeFacts
	DetachSeconds   float64 `json:"detachSeconds,omitempty"`   // from the pod's end until it was detached
	ReattachSeconds float64 `json:"reattachSeconds,omitempty"` // from then until another node had it, if the run saw it
}

func reportVolumes(p *drain.PodRun) []Volume {
	var volumes []Volume
	for _, v := range p.Volumes {
		r := Volume{VolumeFacts: v.VolumeFacts}
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

// volumeLines say what became of the volumes: what a node still has first, then
// how many were detached and how long that took.
func (r Report) volumeLines() string {
	var b strings.Builder
	detached, unknown, slowest := 0, 0, 0.0
	var doubtful string
	for _, n := range r.Nodes {
		if n.Warning != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", n.Name, n.Warning)
		}
		for _, p := range n.Pods {
			for _, v := range p.Volumes {
				switch v.State {
				case drain.VolumeDetached, drain.VolumeReattached:
					detached++
					slowest = max(slowest, v.DetachSeconds)
				case drain.VolumeUnknown:
					if unknown++; doubtful == "" {
						doubtful = fmt.Sprintf("%s of %s/%s: %s", v.Title(), p.Namespace, p.Name, v.Why)
					}
				}
			}
		}
	}
	var parts []string
	if detached > 0 {
		parts = append(parts, fmt.Sprintf("%d detached, the slowest after %s", detached, spell(slowest)))
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d of which nobody can tell (%s)", unknown, doubtful))
	}
	if len(parts) > 0 {
		fmt.Fprintf(&b, "  volumes   %s\n", strings.Join(parts, ", "))
	}
	return b.String()
}
