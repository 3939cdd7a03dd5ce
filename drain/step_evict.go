package drain

import (
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// evictPhase follows the pods of the nodes that are drained.
type evictPhase struct{ *stepper }

func (st *stepper) evicting() evictPhase { return evictPhase{st} }

// evict is one look at the nodes being drained: what has become of their pods,
// which nodes are done, and which evictions can be sent now.
func (st evictPhase) evict() {
	st.cordoning().cordonNodes()
	for {
		open := st.openNodes()
		for _, n := range st.s.Nodes {
			if n.State == NodeDraining && st.sees(n) {
				st.observe(n)
			}
		}
		st.volumes().countVolumes() // also of pods that have just joined the run
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
	// The turn of those has come that were behind pods which were asked to go now, and of a node where another turned
	// out to be held.
	if st.surges().tend(false) || st.startNodes() {
		st.evict()
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
		who := map[bool]string{false: "somebody", true: "a rollback"}[n.CordonGone]
		st.setNode(n, NodeStopped, who+" uncordoned the node")
		return
	}
	for p := range st.s.podsOn(n.Name) {
		if !p.State.Final() {
			st.setPod(p, st.pods().Observe(p))
		}
	}
	if reason := checklist.Lost(node, n.UID); reason != "" {
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

// admit lets pods join that are on the node and not in the run, or returns why one of them stops it.
func (st evictPhase) admit(n *NodeRun, unplanned []*kube.Pod) string {
	for _, live := range unplanned {
		d := plan.Classify(live, st.snap, st.s.Run.Options, st.now)
		if why := st.podsOn(n.Name).Stranger(live, d, st.s.Run.Pods, n.cordonServerTime); why != "" {
			return why
		}
		facts := eviction.FactsOf(live, d)
		facts.Surges = st.s.Surges.WorkloadOf(st.snap, live)
		st.emit(Event{Kind: EventPodAdded, Node: n.Name, Namespace: live.Namespace, Pod: live.Name, UID: live.UID,
			Added: &facts})
	}
	return ""
}

// unplanned are the pods on the node that the run would move and does not know.
func (st evictPhase) unplanned(n *NodeRun) (pods []*kube.Pod, unjudged bool) {
	known := func(uid kube.UID) bool { return st.s.Pod(uid) != nil }
	return st.podsOn(n.Name).Unplanned(n.Name, known)
}

// awaitDaemonSets reports whether a drained node has a pod that cannot be judged yet.
func (st evictPhase) awaitDaemonSets() bool {
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool {
		_, unjudged := st.unplanned(n)
		return n.State == NodeDrained && unjudged
	})
}

// closeNode ends a node when every pod of it has come to an end. Those that go last stay where another does.
func (st evictPhase) closeNode(n *NodeRun) {
	var failed, left []string
	for p := range st.s.podsOn(n.Name) {
		switch {
		case st.podsOn(n.Name).HeldByOthers(p):
		case !p.State.Final() || p.InFlight != 0 || st.pods().StillShown(p):
			return
		case p.State == eviction.Failed:
			failed = append(failed, p.Namespace+"/"+p.Name+": "+p.Message)
		case st.podsOn(n.Name).LeftBehind(p):
			left = append(left, p.Namespace+"/"+p.Name+": "+p.Message)
		}
	}
	switch {
	case len(failed) > 0:
		st.setNode(n, NodeFailed, format.Count(len(failed), "pod")+" could not be moved; "+failed[0])
	case len(left) > 0:
		st.setNode(n, NodeStopped, format.Count(len(left), "pod")+" left on it; "+left[0])
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
		st.setNode(n, NodeFailed, fmt.Sprintf("not drained within %s: %d of %s still on it",
			format.Duration(timeout), p.Total-p.Left, format.Count(p.Total, "pod")))
	}
}
