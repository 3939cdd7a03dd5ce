package eviction

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// swallowedAfter is how long an accepted eviction may stay without any effect;
// some webhooks answer yes and do nothing.
const swallowedAfter = 30 * time.Second

// Observe is what has become of a pod. It holds only in a snapshot in which the pods of its
// node are known and live: then absence means gone.
func (v *View) Observe(r *Record) Change {
	live := v.Snap.Pod(r.UID)
	switch {
	case live == nil:
		return v.left(r)
	case live.Node != r.Node:
		return Change{State: Moved}
	case live.Terminating():
		return v.terminating(r, live)
	case r.State == Terminating && !r.Accepted.IsZero() && v.past(r.Accepted.Add(swallowedAfter)):
		return Change{State: Retrying, Wait: &waits.Wait{For: waits.ForServer, Until: v.Now,
			Words: "the eviction was accepted, but the pod is not terminating"}}
	}
	return Change{}
}

// terminating says what a terminating pod waits for. deletionTimestamp
// is the end of its grace, in the server's time. After an outage of the API server its kubelet has time to tell.
func (v *View) terminating(r *Record, live *kube.Pod) Change {
	over := v.Snap.ServerTime(v.Now).Sub(live.Deleted)
	graceEnds := v.Now.Add(-over)
	if skip := v.Options.SkipWaitForDelete; skip > 0 {
		if over > skip {
			return Change{State: Skipped, Message: fmt.Sprintf("terminating for more than %s: not waited for", skip)}
		}
		v.wakeAt(graceEnds.Add(skip + time.Millisecond))
	}
	stuckAt := graceEnds.Add(budget.StuckAfter)
	if told := v.Acted.Add(budget.StuckAfter); told.After(stuckAt) && r.State != StuckTerminating {
		stuckAt = told
	}
	stuck := v.past(stuckAt)
	c := Change{State: Terminating, Wait: waits.Terminating(live, v.Snap.Node(live.Node), graceEnds, stuck)}
	if stuck {
		c.State = StuckTerminating
	}
	if c.Wait.For != waits.ForGrace {
		c.Wait.Volumes = volume.StillAttached(live, v.Snap)
	}
	return c
}

// left tells that the pod is no longer on its node, and what has its name.
func (v *View) left(r *Record) Change {
	if namesake := v.Snap.PodNamed(r.Namespace, r.Name); namesake != nil && namesake.UID != r.UID {
		return Change{State: Replaced}
	}
	return Change{State: Gone}
}

// StillShown reports whether the server said that the pod is gone, and the cluster does not
// show it yet. A watch that does not within a while shows something else.
func (v *View) StillShown(r *Record) bool {
	live := v.Snap.Pod(r.UID)
	return r.State.Left() && live != nil && live.Node == r.Node && !v.past(r.Ended.Add(swallowedAfter))
}

// Leaving is when the pod was on its way at the earliest, by the server's clock: its deletion,
// else what we know of its eviction, whose moment by that clock is exact to a second. KubeVirt starts the pod that a
// virtual machine migrates to after the first request, and before the pod on the node ends.
func (v *View) Leaving(r *Record) time.Time {
	migrates := r.Controller != nil && r.Controller.Kind == "VirtualMachineInstance"
	if live := v.Snap.Pod(r.UID); live != nil && !migrates {
		return live.Deleted.Add(-time.Duration(live.DeletionGrace) * time.Second)
	}
	from := r.Accepted
	if from.IsZero() || migrates {
		from = r.Begun
	}
	return v.Snap.ServerTime(from).Truncate(time.Second).Add(-time.Second)
}
