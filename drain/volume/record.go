package volume

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Record is where the volumes of one pod of a run are. The fold of the run's events calls
// Become; Follow and GiveUp say what it becomes.
type Record []VolumeRun

// Become is the transition to what an event tells of the volumes.
func (r Record) Become(facts []Facts, at time.Time) Record {
	next := make(Record, len(facts))
	for i, f := range facts {
		v := VolumeRun{Facts: f}
		if i < len(r) && r[i].Name == f.Name { // volumes of a pod never change
			v.DetachedAt, v.ReattachedAt = r[i].DetachedAt, r[i].ReattachedAt
		}
		if v.DetachedAt.IsZero() && (f.State == VolumeDetached || f.State == VolumeReattached) {
			v.DetachedAt = at
		}
		if v.ReattachedAt.IsZero() && f.State == VolumeReattached {
			v.ReattachedAt = at
		}
		next[i] = v
	}
	return next
}

// Same reports whether the record says the same already.
func (r Record) Same(facts []Facts) bool {
	return slices.EqualFunc(r, facts, func(v VolumeRun, f Facts) bool { return v.Facts == f })
}

// Settles reports whether something unknown about the volumes may be known at the next look, or others may
// no longer use one by then.
func (r Record) Settles() bool {
	return slices.ContainsFunc(r, func(v VolumeRun) bool {
		return v.State == VolumeUnknown && settles(v.Why) || v.State == VolumeShared
	})
}

// Open reports whether there is more to learn about the volumes.
func (r Record) Open() bool {
	return slices.ContainsFunc(r, func(v VolumeRun) bool { return v.Open() })
}

// Awaited reports whether the next pod's turn waits for one of the volumes.
func (r Record) Awaited() bool {
	return slices.ContainsFunc(r, func(v VolumeRun) bool { return v.State.awaited() })
}

// Follow is where the volumes are once their pod has left its node (gone tells that the node
// is too). What is detaching at the moment due is given up as still attached; what is attached
// to no other node so long after it was detached is late, zero for never. Both are named the
// first time. Wake is when one of these moments comes, zero for never.
func (r Record) Follow(node string, gone bool, s *kube.Snapshot, due time.Time, lateAfter time.Duration,
	now time.Time) (
	facts []Facts, still, late []string, wake time.Time) {
	past := func(moment time.Time) bool {
		if now.Before(moment) && (wake.IsZero() || moment.Before(wake)) {
			wake = moment
		}
		return !now.Before(moment)
	}
	for i := range r {
		v := r[i].Facts
		if v.Open() {
			v = v.afterPod(node, gone, s)
		}
		switch {
		case v.State == VolumeDetaching && past(due):
			v.State = VolumeStillAttached
			still = append(still, v.Title())
		case v.State == VolumeDetached && !v.Late && lateAfter > 0:
			since := r[i].DetachedAt
			if since.IsZero() {
				since = now
			}
			if v.Late = past(since.Add(lateAfter)); v.Late {
				late = append(late, v.Title())
			}
		}
		facts = append(facts, v)
	}
	return facts, still, late, wake
}

// LateWords say which volumes have just become late by Follow, and after how long; "" for none.
func LateWords(node string, still, late []string, detach, reattach time.Duration) string {
	switch {
	case len(still) > 0:
		return fmt.Sprintf("%s still attached to %s, %s after its pod could have ended: not waited for any longer",
			format.VolumeNames(still), node, format.Duration(detach))
	case len(late) > 0:
		return fmt.Sprintf("%s not attached to another node %s after leaving %s", format.VolumeNames(late),
			format.Duration(reattach), node)
	}
	return ""
}

// GiveUp are the volumes of which it could not be read in time whether they are detached.
func (r Record) GiveUp() []Facts {
	facts := make([]Facts, len(r))
	for i := range r {
		if facts[i] = r[i].Facts; facts[i].State.awaited() {
			facts[i].State, facts[i].Why = VolumeUnknown, WhyUnseen
		}
	}
	return facts
}

// Drivers are the CSI drivers of which the pod takes a turn on its node, each once. A pod
// without any waits for no turn.
func (r Record) Drivers() []string {
	var drivers []string
	for i := range r {
		if v := &r[i]; v.Driver != "" && v.State.attachable() && !slices.Contains(drivers, v.Driver) {
			drivers = append(drivers, v.Driver)
		}
	}
	return drivers
}

// In names the volumes in the state, nil for none.
func (r Record) In(state State) []string {
	var names []string
	for i := range r {
		if r[i].State == state {
			names = append(names, r[i].Title())
		}
	}
	return names
}

// Sentence says where the volumes of a pod are that has left the node for so long: those that
// are still on their way, and for how long they are given time, those whose time was up, and
// where the others are. "" where there is nothing to say.
func (r Record) Sentence(node string, gone time.Duration, by, now time.Time) string {
	if names := r.In(VolumeDetaching); len(names) > 0 {
		text := fmt.Sprintf("%s%s detaching from %s for %s", format.VolumeNames(names), format.BeVerb(names), node,
			format.Duration(gone))
		if !by.IsZero() && by.After(now) {
			text += ", " + format.Remaining(by, now) + " for it"
		}
		return text
	}
	if names := r.In(VolumeStillAttached); len(names) > 0 {
		return fmt.Sprintf("%s%s still attached to %s, its timeout has expired", format.VolumeNames(names),
			format.BeVerb(names), node)
	}
	moved, where := r.reattached()
	detached, unknown := r.In(VolumeDetached), r.In(VolumeUnknown)
	switch {
	case len(moved) > 0:
		return fmt.Sprintf("%s%s attached to %s now", format.VolumeNames(moved), format.BeVerb(moved), where)
	case len(detached) > 0:
		text := fmt.Sprintf("%s detached from %s", format.VolumeNames(detached), node)
		if slices.ContainsFunc(r, func(v VolumeRun) bool { return v.Late }) {
			text += ", attached to no other node yet"
		}
		return text
	case len(unknown) > 0:
		i := slices.IndexFunc(r, func(v VolumeRun) bool { return v.State == VolumeUnknown })
		return fmt.Sprintf("whether %s%s detached is not known: %s", format.VolumeNames(unknown),
			format.BeVerb(unknown), r[i].Why)
	}
	return ""
}

// reattached are the volumes that another node has, and that node: of several, the first
// with its volumes.
func (r Record) reattached() (names []string, node string) {
	for i := range r {
		if v := &r[i]; v.State == VolumeReattached && (node == "" || v.Node == node) {
			names, node = append(names, v.Title()), v.Node
		}
	}
	return names, node
}

// MayBeAttached reports whether a volume may be, or have been, attached to the pod's node.
func (r Record) MayBeAttached() bool {
	return slices.ContainsFunc(r, func(v VolumeRun) bool { return v.State != VolumeUnattached })
}
