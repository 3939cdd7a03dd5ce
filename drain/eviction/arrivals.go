package eviction

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// BindSlack is how long after the cordon was seen a pod may still show up that
// the scheduler had bound before.
const BindSlack = 10 * time.Second

// DaemonSetShows is how long after its pod a DaemonSet may show up: no watch waits for
// another, and where DaemonSets may not be watched they are listed now and then.
const DaemonSetShows = 30 * time.Second

// Unplanned are the pods on a node that a drain would not skip and that the run does not know. Unjudged tells that
// there are others, of which that shows soon. A pod that a chosen DaemonSet makes once all others have left takes
// the place of the one that went last: it stays.
func (v OnNode) Unplanned(node string, known func(kube.UID) bool) (pods []*kube.Pod, unjudged bool) {
	for _, live := range v.Snap.PodsOn(node) {
		switch {
		case known(live.UID), plan.Classify(live, v.Snap, *v.Options, v.Now).Action == plan.ActionSkip,
			v.Options.ChoosesDaemonSet(live) && v.othersLeft():
		case v.awaitsDaemonSet(live):
			unjudged = true
		default:
			pods = append(pods, live)
		}
	}
	return pods, unjudged
}

// awaitsDaemonSet reports whether the pod says that it is of a DaemonSet which is not
// known, and may be soon.
func (v OnNode) awaitsDaemonSet(live *kube.Pod) bool {
	if !v.Options.IgnoreDaemonSets && !v.Options.ChoosesDaemonSet(live) ||
		!plan.ToleratesCordon(live.Spec.Tolerations) || checklist.UnknownDaemonSet(v.Snap, live) == "" {
		return false
	}
	shows := live.Created.Add(DaemonSetShows) // in the server's time
	return !v.past(v.Now.Add(shows.Sub(v.Snap.ServerTime(v.Now))))
}

// Stranger says why a pod that the run does not know cannot join it, "" where it can: what would be done with it,
// and why, was confirmed for others, and it was bound before the cordon (design, promise 2), or comes whatever
// the cordon and goes last. Cordon is when that was seen, by the server's clock: ours may be set meanwhile, and resume
// may run on another machine.
func (v OnNode) Stranger(live *kube.Pod, d plan.Decision, planned []Facts, cordon time.Time) string {
	name, last := live.Namespace+"/"+live.Name, slices.ContainsFunc(d.Reasons, plan.Reason.GoesLast)
	when := "before the cordon was seen"
	if last {
		when = "meanwhile"
	}
	switch {
	case !last && plan.ToleratesCordon(live.Spec.Tolerations):
		return name + " was bound to the node after the cordon, which it tolerates" +
			checklist.UnknownDaemonSet(v.Snap, live)
	case !last && v.Snap.ServerTime(v.Now).Sub(cordon) > BindSlack && live.Created.After(cordon):
		return name + " was bound to the node after the cordon, bypassing the scheduler"
	case !confirmed(planned, d):
		return fmt.Sprintf("%s was bound to the node %s, and would be %s, which was not confirmed", name, when,
			d.Phrase())
	}
	return ""
}
