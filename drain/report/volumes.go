package report

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
)

// Volume is one volume of a pod of a report.
type Volume struct {
	volume.Facts
	DetachSeconds   float64 `json:"detachSeconds,omitempty"`   // from the pod's end until it was detached
	ReattachSeconds float64 `json:"reattachSeconds,omitempty"` // from then until another node had it, if the run saw it
}

func reportVolumes(p *drain.PodRun) []Volume {
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
		return "still attached when its time was over"
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
		return "nobody can tell: " + v.Why
	}
	return string(v.State)
}

// volumeLines say what became of the volumes: what a node still has first, then
// how many were detached and how long that took, and which nodes have none left.
func (r Report) volumeLines() string {
	var b strings.Builder
	var sum volumeSum
	var safe []string
	for _, n := range r.Nodes {
		if n.Warning != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", n.Name, n.Warning)
		}
		if n.SafeToPowerOff {
			safe = append(safe, n.Name)
		}
		for i := range n.Pods {
			sum.add(&n.Pods[i])
		}
	}
	if words := sum.words(); words != "" {
		fmt.Fprintf(&b, "  volumes   %s\n", words)
	}
	if len(safe) > 0 {
		fmt.Fprintf(&b, "  power off %s: no volume is attached, no pod is left but those that stay on every node\n", join(safe))
	}
	return b.String()
}

// volumeSum counts the volumes of a run by what became of them.
type volumeSum struct {
	detached, late, unknown int
	slowest                 float64 // seconds
	doubtful                string  // the first of which nobody can tell, and why
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
		parts = append(parts, fmt.Sprintf("%d of which nobody can tell (%s)", s.unknown, s.doubtful))
	}
	return strings.Join(parts, ", ")
}

// volumesInTable is how many volumes the report lists at most, as text and as
// markdown.
const volumesInTable = 120

// eachVolume shows the first volumes of the pods that the run was to move, and
// returns how many there are more.
func (r Report) eachVolume(show func(node string, p *Pod, v *Volume)) (more int) {
	count := 0
	for _, n := range r.Nodes {
		for i := range n.Pods {
			p := &n.Pods[i]
			if !moves(*p) {
				continue
			}
			for k := range p.Volumes {
				if count++; count <= volumesInTable {
					show(n.Name, p, &p.Volumes[k])
				}
			}
		}
	}
	return max(0, count-volumesInTable)
}

func (st story) volumes(r Report) {
	begun := false
	more := r.eachVolume(func(node string, p *Pod, v *Volume) {
		if !begun {
			st.head("Volumes")
			begun = true
		}
		st.row(v.Title(), "of "+p.Namespace+"/"+p.Name, "on "+node, v.words())
	})
	if more > 0 {
		st.row("and " + plural(more, "more", "more"))
	}
}

func (m *markdown) volumes(r Report) {
	begun := false
	more := r.eachVolume(func(node string, p *Pod, v *Volume) {
		if !begun {
			m.line("## Volumes\n")
			m.row("volume", "claim", "pod", "node", "what became of it")
			m.row("---", "---", "---", "---", "---")
			begun = true
		}
		claim := ""
		if v.Claim != "" {
			claim = code(p.Namespace + "/" + v.Claim)
		}
		m.row(code(v.Title()), claim, code(p.Namespace+"/"+p.Name), code(node), code(v.words()))
	})
	if begun {
		m.more(more, "volume", "volumes")
		m.line("")
	}
}
