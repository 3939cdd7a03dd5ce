package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// BindSlack is how long after the cordon was seen a pod may still show up that
// the scheduler had bound before.
const BindSlack = 10 * time.Second

// DaemonSetShows is how long after its pod a DaemonSet may show up: no watch waits for
// another, and where DaemonSets may not be watched they are listed now and then.
const DaemonSetShows = 30 * time.Second

// evictPhase follows the pods of the nodes that are drained.
type evictPhase struct{ *stepper }

func (st *stepper) evicting() evictPhase { return evictPhase{st} }

// evict is one look at the nodes being drained: what has become of their pods,
// which nodes are done, and which evictions can be sent now.
func (st evictPhase) evict() {
	st.cordoning().cordonNodes()
	for {
		open := st.openNodes()
		st.volumes().countVolumes()
		for _, n := range st.s.Nodes {
			if n.State == NodeDraining && st.sees(n) {
				st.observe(n)
			}
		}
		st.follow()
		st.volumes().followVolumes()
		st.replacements().follow()
		st.deadlines()
		if !st.startNodes() && st.openNodes() == open && !st.surges().tend(false) {
			break
		}
	}
	if st.openNodes() == 0 {
		st.enter(PhaseVerify, PhaseDone)
		return
	}
	if !st.s.Paused { // then nothing is sent, also not what takes something back
		st.tempBudgets().yieldToOthers()
		st.remedies().undoRemedies(false)
	}
	st.releasing().release()
	st.awaitPlaces()
}

// awaitPlaces asks for a look at the moment at which a node that this look found held
// gives its place to the next one.
func (st evictPhase) awaitPlaces() {
	if !st.s.PlacesAwaited() {
		return
	}
	for _, n := range st.s.Nodes {
		if n.State == NodeDraining {
			st.givesWay(n)
		}
	}
}

// startNodes lets the next nodes begin where there is room for them. A node that
// is held frees its place; those that have begun go on, whatever becomes of it. It
// tells whether one began.
func (st evictPhase) startNodes() (began bool) {
	o := st.s.Run.Options
	draining, failed, awaited := 0, false, st.s.PlacesAwaited()
	for _, n := range st.s.Nodes {
		switch n.State {
		case NodeDraining:
			if !awaited || !st.givesWay(n) {
				draining++
			}
		case NodeFailed, NodeStopped:
			failed = true
		}
		if n.State.Final() && st.replacements().awaited(n.Name) {
			draining++
		}
	}
	for _, n := range st.s.Nodes {
		switch {
		case failed && o.FailFast && !n.State.Final():
			st.setNode(n, NodeStopped, "another node failed (fail fast)")
		case n.State == NodeCordoned && o.ExcludeFromLB > 0 && st.now.Before(n.CordonAt.Add(o.ExcludeFromLB)):
			st.wakeAt(n.CordonAt.Add(o.ExcludeFromLB)) // load balancers need a while to notice
		case n.State == NodeCordoned && draining < max(1, o.MaxParallelNodes) && !st.s.Paused &&
			st.replacements().mayBegin():
			st.setNode(n, NodeDraining, "")
			draining++
			began = true
		}
	}
	return began
}

// givesWay reports whether a node that has begun leaves its place to the next one.
func (st evictPhase) givesWay(n *NodeRun) bool {
	if st.s.Down != nil {
		return false
	}
	from := st.s.heldFrom(n)
	return !from.IsZero() && st.past(from)
}

// observe compares the pods of a node with the cluster. It runs only on a
// snapshot that can be trusted, where absence means gone.
func (st evictPhase) observe(n *NodeRun) {
	node := st.snap.Node(n.Name)
	if node != nil && node.UID == n.UID && !node.Unschedulable {
		st.setNode(n, NodeStopped, "somebody uncordoned the node")
		return
	}
	for p := range st.s.podsOn(n.Name) {
		if !p.State.Final() {
			st.setPod(p, st.pods().Observe(p))
		}
	}
	if reason := st.nodeLost(n, node); reason != "" {
		st.setNode(n, NodeStopped, reason)
		return
	}
	unplanned, unjudged := st.unplanned(n)
	if stranger := st.admit(n, unplanned); stranger != "" {
		st.setNode(n, NodeStopped, stranger)
		return
	}
	if !unjudged {
		st.closeNode(n)
	}
}

// follow goes on watching the pods of nodes on which nothing more is sent, so
// that the report tells what has become of them.
func (st evictPhase) follow() {
	for _, n := range st.s.Nodes {
		if n.State != NodeFailed && n.State != NodeStopped || !st.sees(n) {
			continue
		}
		for p := range st.s.podsOn(n.Name) {
			if !p.State.Final() {
				st.setPod(p, st.pods().Observe(p))
			}
		}
	}
}

// admit judges pods that are on the node and not in the run. One that was
// bound before the cordon joins if what would be done with it, and why, was
// confirmed; any other stops the node (design, promise 2). The reason to stop
// is returned, "" if there is none.
func (st evictPhase) admit(n *NodeRun, unplanned []*kube.Pod) string {
	// Our clock may be set meanwhile, and resume may run on another machine.
	cordon, serverNow := n.cordonServerTime, st.snap.ServerTime(st.now)
	for _, live := range unplanned {
		name := live.Namespace + "/" + live.Name
		d := plan.Classify(live, st.snap, st.s.Run.Options, st.now)
		switch {
		case plan.ToleratesCordon(live.Spec.Tolerations):
			return name + " was bound to the node after the cordon, which it tolerates" +
				checklist.UnknownDaemonSet(st.snap, live)
		case serverNow.Sub(cordon) > BindSlack && live.Created.After(cordon):
			return name + " was bound to the node after the cordon, bypassing the scheduler"
		case !eviction.Confirmed(st.s.Run.Pods, d):
			return fmt.Sprintf("%s was bound to the node before the cordon was seen, and would be %s, which was not confirmed", name, d.Phrase())
		}
		facts := eviction.FactsOf(live, d)
		st.emit(Event{Kind: EventPodJoined, Node: n.Name, Namespace: live.Namespace, Pod: live.Name, UID: live.UID,
			Joined: &facts})
	}
	return ""
}

// unplanned are the pods on the node that a drain would not skip and that the
// run does not know. Unjudged tells that there are others, of which that shows soon.
func (st evictPhase) unplanned(n *NodeRun) (pods []*kube.Pod, unjudged bool) {
	for _, live := range st.snap.PodsOn(n.Name) {
		switch {
		case st.s.Pod(live.UID) != nil, plan.Classify(live, st.snap, st.s.Run.Options,
			st.now).Action == plan.ActionSkip:
		case st.awaitsDaemonSet(live):
			unjudged = true
		default:
			pods = append(pods, live)
		}
	}
	return pods, unjudged
}

// awaitsDaemonSet reports whether the pod says that it is of a DaemonSet which is not
// known, and may be soon.
func (st evictPhase) awaitsDaemonSet(live *kube.Pod) bool {
	if !st.s.Run.Options.IgnoreDaemonSets || !plan.ToleratesCordon(live.Spec.Tolerations) ||
		checklist.UnknownDaemonSet(st.snap, live) == "" {
		return false
	}
	shows := live.Created.Add(DaemonSetShows) // in the server's time
	return !st.past(st.now.Add(shows.Sub(st.snap.ServerTime(st.now))))
}

// awaitDaemonSets reports whether a drained node has a pod that cannot be judged yet.
func (st evictPhase) awaitDaemonSets() bool {
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool {
		_, unjudged := st.unplanned(n)
		return n.State == NodeDrained && unjudged
	})
}

// closeNode ends a node when every pod of it has come to an end.
func (st evictPhase) closeNode(n *NodeRun) {
	var failed, left []string
	for p := range st.s.podsOn(n.Name) {
		switch {
		case !p.State.Final() || p.InFlight != 0 || st.pods().StillShown(p):
			return
		case p.State == eviction.Failed:
			failed = append(failed, p.Namespace+"/"+p.Name+": "+p.Message)
		case p.State == eviction.Skipped && p.Action != plan.ActionSkip && st.snap.Pod(p.UID) != nil &&
			p.DeletedAt.IsZero():
			left = append(left, p.Namespace+"/"+p.Name)
		}
	}
	switch {
	case len(failed) > 0:
		st.setNode(n, NodeFailed, words.Count(len(failed), "pod", "pods")+" could not be moved; "+failed[0])
	case len(left) > 0:
		st.setNode(n, NodeStopped, words.Count(len(left), "pod", "pods")+" left on it as the operator asked: "+left[0])
	default:
		st.setNode(n, NodeDrained, "")
	}
}

// deadlines fails the nodes whose time is up; --timeout counts per node, from
// its first moment of eviction, as kubectl's, and for each process from its start.
// Before that a node may take as long to be cordoned, from the confirmation on.
func (st evictPhase) deadlines() {
	timeout := st.s.Run.Options.Timeout
	if timeout <= 0 {
		return
	}
	for _, n := range st.s.Nodes {
		from := n.Started
		if n.uncordoned() {
			from = st.s.cordonFrom
		} else if n.State != NodeDraining {
			continue
		}
		if !st.past(st.s.counted(from).Add(timeout)) {
			continue
		}
		if n.uncordoned() {
			st.cordoning().notCordoned(n)
			continue
		}
		p := st.s.Progress(n.Name)
		st.setNode(n, NodeFailed, fmt.Sprintf("not drained within %s: %d of %s still on it", timeout, p.Total-p.Left,
			words.Count(p.Total, "pod", "pods")))
	}
}
