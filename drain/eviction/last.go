package eviction

import (
	"iter"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// goesLast reports whether the pod is asked for only after all others of its node have left.
func (r *Record) goesLast() bool { return slices.ContainsFunc(r.Reasons, plan.Reason.GoesLast) }

// OnNode is what is decided from about the pods of one node together.
type OnNode struct {
	*View
	Own iter.Seq[*Record] // the pods of the run there
}

// othersLeft reports whether nothing more becomes of the pods of the run on a node but of those that go last.
// The own pod of this program comes after these too.
func (v OnNode) othersLeft() bool {
	for r := range v.Own {
		if !r.goesLast() && !r.Self && !r.State.Final() {
			return false
		}
	}
	return true
}

// LastWaits is what a pod that goes last still waits for, "" for nothing and of any other pod. However the
// others are held they have to leave first, as they may need it until then; their volumes too, which the node gives up
// with the help of a pod of their driver.
func (v OnNode) LastWaits(r *Record) (what waits.For) {
	if !r.goesLast() {
		return ""
	}
	for other := range v.Own {
		switch {
		case other.goesLast() || other.Self:
		case !other.State.Final(), other.InFlight != 0, other.State == Failed, v.StillShown(other), v.LeftBehind(other):
			return waits.ForOthers
		case other.State.Left() && other.Volumes.Awaited():
			what = waits.ForTheirDetach
		}
	}
	return what
}

// HeldByOthers reports whether the pod stays as long as others do: it goes last, and is not on its way.
func (v OnNode) HeldByOthers(r *Record) bool {
	return !r.State.Final() && !r.State.Ends() && r.InFlight == 0 && v.LastWaits(r) == waits.ForOthers
}

// LeftBehind reports whether the run leaves a pod on its node that it was to move.
func (v OnNode) LeftBehind(r *Record) bool {
	return r.State == Skipped && r.Action != plan.ActionSkip && v.Snap.Pod(r.UID) != nil && r.DeletedAt.IsZero()
}
