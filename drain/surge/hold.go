package surge

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Hold is whether a pod of a workload that surges may be evicted now.
type Hold int

// The holds.
const (
	Free  Hold = iota // it is evicted as usual
	Waits             // for its replacement, or for that of another pod
	Stays             // it is left where it is
)

// Hold is that of a pod; wake is when to ask again if nothing changes before. A pod waits for its batch. One that
// was in a batch, or whose workload cannot be raised any more, goes only while the workload has the pods that it
// wants, for one after the other: else it waits for the replacements that are on their way, as long as for its own. So
// does one whose workload stays raised, by this run or another.
// One that was asked to go already counts as gone for the others, and is asked again. A pod that is not Ready waits for
// nothing, unless it is of a batch that is under way. One that another workload has by now goes by what that wants.
func (r *Record) Hold(v View, p *kube.Pod) (hold Hold, wake time.Time) {
	w, _ := Of(v.Snap, p)
	own := w != nil && w.UID == r.UID
	switch open := (own || !r.begins()) && !r.State.ended() && !slices.Contains(r.Spent, p.UID); {
	case open && (p.Ready || r.Batch.Has(p.UID) && !r.begins()):
		return Waits, time.Time{}
	case !p.Ready:
		return Free, time.Time{}
	case r.leaves(v.Then):
		return Stays, time.Time{}
	case w == nil || own && !isRaised(w) && (r.Late || r.Batch.To == 0) || !v.Asked(p.UID).IsZero() || !short(v, w, p):
		return Free, time.Time{}
	case v.Timeout == 0:
		return Waits, time.Time{}
	}
	since := later(r.Since, v.From)
	for _, uid := range r.Tried {
		since = later(since, v.Asked(uid))
	}
	switch ends := since.Add(v.Timeout); {
	case v.Now.Before(ends):
		return Waits, ends
	case v.Then == FallbackLeave:
		return Stays, time.Time{}
	}
	return Free, time.Time{}
}

// short reports whether the workload of a pod has fewer available pods than it wants, without the others that the run
// has asked to go, or more Ready ones: its controller is about to remove some.
func short(v View, w *kube.Workload, of *kube.Pod) bool {
	serves, ready := int32(0), int32(0)
	for _, p := range activeOf(v.Snap, w) {
		if !p.Ready || p.UID != of.UID && !v.Asked(p.UID).IsZero() {
			continue
		}
		ready++
		if availableNow(v, w, p) {
			serves++
		}
	}
	wants := Wants(w)
	if isRaised(w) { // what could not be set back is wanted, too: a pod takes the place of each that goes
		wants = w.Replicas
	}
	return serves < wants || ready > w.Replicas
}

// Wants is how many pods a workload is to have, without the raise of a surge.
func Wants(w *kube.Workload) int32 {
	m, _ := parseMark(w.SurgeMark)
	return WithoutRun(w, m.Run)
}

// WithoutRun is how many pods a workload is to have, without the raise of that run.
func WithoutRun(w *kube.Workload, run string) int32 {
	if m, marked := parseMark(w.SurgeMark); marked && m.Run == run && w.Replicas == m.To {
		return m.Was
	}
	return w.Replicas
}

func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
