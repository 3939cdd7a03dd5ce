package page

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// A pod that is gone is not over while its volumes are still attached to the node
// that it left: the next pod's turn, or the machine's switch, waits for them.

// attachedTo are the volumes that are on their way off the node, or still there
// after the time for that.
func attachedTo(p *drain.PodRun) (leaving, stuck []string) {
	if !p.State.Left() {
		return nil, nil
	}
	return p.Detaching(), p.StillAttached()
}

// volumeState is the state of a pod whose volumes decide what happens next: glyph
// and word, nil for any other.
func volumeState(p *drain.PodRun) paint.Line {
	leaving, stuck := attachedTo(p)
	switch {
	case len(stuck) > 0:
		return paint.L(themes.Bad, paint.Warn+" attached")
	case len(leaving) > 0:
		return paint.L(themes.Busy, paint.Asked+" detaching")
	case p.State == drain.PodPlanned && p.Wait != nil && p.Wait.For == drain.WaitForVolumeTurn:
		return paint.L(themes.Muted, paint.Hollow+" in line")
	}
	return nil
}

// volumeWait says which volumes have not left the node, and how much time is left for
// that; "" where all have.
func volumeWait(p *drain.PodRun, now time.Time) string {
	leaving, stuck := attachedTo(p)
	switch {
	case len(stuck) > 0:
		return "still attached to " + p.Node + ": " + List(stuck, 3)
	case len(leaving) > 0:
		text := "volumes " + List(leaving, 3) + " leave " + p.Node
		if len(leaving) == 1 {
			text = "volume " + leaving[0] + " leaves " + p.Node
		}
		if left := p.DetachBy.Sub(now).Round(time.Second); !p.DetachBy.IsZero() && left > 0 {
			text += ", " + Spell(left) + " left"
		}
		return text
	}
	return ""
}

// volumeFor is since when the volumes of a pod that is gone are waited for.
func volumeFor(p *drain.PodRun, now time.Time) string {
	if p.Ended.IsZero() {
		return ""
	}
	return Clock(now.Sub(p.Ended))
}

// detachingOn counts the pods of a node that are gone while their volumes are not.
func detachingOn(s *drain.State, node string) int {
	n := 0
	for _, p := range s.Pods {
		if leaving, stuck := attachedTo(p); p.Node == node && len(leaving)+len(stuck) > 0 {
			n++
		}
	}
	return n
}

// powerOff says of the drained nodes which are safe to power off, and what keeps the
// others from it. Where nobody looked, nothing is said.
func (r *resulting) powerOff(s *drain.State) {
	var safe []string
	for _, n := range s.Nodes {
		if n.SafeToPowerOff() {
			safe = append(safe, n.Name)
		}
		if n.Warning != "" {
			r.add("power off", themes.Warning, n.Name+": "+n.Warning+".")
		}
	}
	if len(safe) > 0 {
		r.add("power off", themes.Text, List(safe, 6)+": no volume is attached, no pod is left but those that stay on every node.")
	}
}
