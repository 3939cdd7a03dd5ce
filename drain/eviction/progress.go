package eviction

import (
	"iter"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// Progress counts the pods of a node or a run.
type Progress struct {
	Total       int // pods that the run is to move
	Left        int // have left their node
	Terminating int
	Blocked     int
	Failed      int
	Skipped     int
}

// Count adds a pod, if the run is to move it.
func (p *Progress) Count(r *Record) {
	if r.Action == plan.ActionSkip || r.Action == plan.ActionRefuse {
		return
	}
	p.Total++
	switch {
	case r.State.Left():
		p.Left++
	case r.State == Skipped:
		p.Skipped++
	case r.State == Failed:
		p.Failed++
	case r.State.Blocked():
		p.Blocked++
	case r.State.Ends():
		p.Terminating++
	}
}

// heldAfter is how long a node must have made no progress before it counts as
// held: kubectl's own pause between two tries of a pod. Where what it waits for
// usually comes by itself (a replacement that starts), comesUpIn counts instead,
// so that no place is given away between two waves of a budget.
const heldAfter = 5 * time.Second

// HeldFrom says from when on a node counts as held, as far as its pods are known now: none of
// them is asked for, ends within its grace or can be sent. From is since when they could have
// been. It is zero while the node makes progress.
func HeldFrom(pods iter.Seq[*Record], from time.Time) time.Time {
	patience := time.Duration(0)
	later := func(t time.Time) {
		if t.After(from) {
			from = t
		}
	}
	for r := range pods {
		later(r.Accepted)
		later(r.Ended)
		if r.State.Final() {
			continue
		}
		after, held := r.heldAfter()
		if !held {
			return time.Time{}
		}
		patience = max(patience, after)
		later(r.BlockedSince)
	}
	return from.Add(patience)
}

// heldAfter reports whether the pod makes no progress, and how long that must last
// until it counts. A try in between, which a blocked pod gets now and then, is no
// progress.
func (r *Record) heldAfter() (after time.Duration, held bool) {
	switch {
	case r.State == StuckTerminating:
		return 0, true
	case r.State == Terminating || r.Wait == nil:
		return 0, false
	case r.BlockedSince.IsZero() && (r.State != Planned || r.Wait.For == waits.ForSlot):
		return 0, false
	case r.Wait.Lasts():
		return heldAfter, true
	}
	return budget.ComesUpIn, true
}
