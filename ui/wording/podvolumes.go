package wording

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// A pod that is gone is not over while its volumes are still attached to the node
// that it left: the next pod's turn, or the machine's switch, waits for them.

// AttachedTo are the volumes that are on their way off the node, or still there
// after the time for that.
func AttachedTo(p *eviction.Record) (leaving, stuck []string) {
	if !p.State.Left() {
		return nil, nil
	}
	return p.Volumes.In(volume.VolumeDetaching), p.Volumes.In(volume.VolumeStillAttached)
}

// volumeState is the state of a pod whose volumes decide what happens next: glyph
// and word, nil for any other.
func volumeState(p *eviction.Record) paint.Line {
	leaving, stuck := AttachedTo(p)
	switch {
	case len(stuck) > 0:
		return paint.L(themes.Bad, paint.Warn+" attached")
	case len(leaving) > 0:
		return paint.L(themes.Busy, paint.Asked+" detaching")
	case p.State == eviction.Planned && p.Wait != nil && p.Wait.For == waits.ForVolumeQueue:
		return paint.L(themes.Muted, paint.Hollow+" in line")
	}
	return nil
}

// VolumeWait says which volumes have not left the node, and how much time is left for
// that; "" where all have.
func VolumeWait(p *eviction.Record, now time.Time) string {
	leaving, stuck := AttachedTo(p)
	switch {
	case len(stuck) > 0:
		return "still attached to " + p.Node + ": " + format.List(stuck, 3)
	case len(leaving) > 0:
		text := "volumes " + format.List(leaving, 3) + " leave " + p.Node
		if len(leaving) == 1 {
			text = "volume " + leaving[0] + " leaves " + p.Node
		}
		if left := p.DetachBy.Sub(now).Round(time.Second); !p.DetachBy.IsZero() && left > 0 {
			text += ", " + format.Duration(left) + " left"
		}
		return text
	}
	return ""
}
