package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// volumeStep follows the volumes of pods that leave, and says whose turn it is.
type volumeStep struct{ *stepper }

func (st *stepper) volumes() volumeStep { return volumeStep{st} }

// countVolumes notes the volumes of the pods that are to leave, while they are
// there to be asked, and looks again as long as claims bind. Where a node's turn is
// still to come, that is for the pods that somebody else sent away: they are gone by
// then, and their volumes may not be.
func (st volumeStep) countVolumes() {
	draining := map[string]bool{}
	for _, n := range st.s.Nodes {
		draining[n.Name] = n.State == NodeDraining
	}
	for _, p := range st.s.Pods {
		if p.State.Final() || p.Volumes != nil && !p.Volumes.Settles() {
			continue
		}
		live := st.snap.Pod(p.UID)
		if live == nil || live.Node != p.Node || !volume.HasVolumes(live) ||
			!volume.VolumesReadable(st.snap, live) || !draining[p.Node] && !live.Terminating() {
			continue
		}
		st.setVolumes(p, volume.VolumesOf(live, st.snap), "")
	}
}

// setVolumes notes the volumes of a pod, if anything about them is new.
func (st volumeStep) setVolumes(p *eviction.Record, now []volume.Facts, message string) {
	if message == "" && p.Volumes.Same(now) {
		return
	}
	e := Event{Kind: EventVolumes, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Volumes: now,
		Message: message}
	detaching := slices.ContainsFunc(now, func(v volume.Facts) bool { return v.State == volume.VolumeDetaching })
	if detaching && unmounts(st.snap.Node(p.Node)) {
		e.Wait = &waits.Wait{For: waits.ForDetach, Since: p.Ended, Until: st.pods().DetachDue(p)}
	}
	st.emit(e)
}

// followVolumes follows the volumes of pods that have left their node: first
// until they are detached from it or their time is up, then to where they go,
// which is shown and never waited for.
func (st volumeStep) followVolumes() {
	seen := st.snap.All().Settled(kube.KindAttachments)
	for _, p := range st.s.Pods {
		switch {
		case !p.State.Left() || !p.Volumes.Open() || st.snap.On(p.Node).Sync(kube.KindNodes).Phase != kube.Synced:
		case seen:
			st.followPod(p)
		default:
			st.followBlind(p)
		}
	}
}

// followBlind gives the volumes of a pod up that may have been detached or not: the
// attachments could not be read until their time was over, of which this process had all.
func (st volumeStep) followBlind(p *eviction.Record) {
	if !p.Volumes.Awaited() || st.past(latest(st.pods().DetachDue(p),
		st.s.resumed.Add(st.s.Run.Options.DetachTimeout))) {
		st.setVolumes(p, p.Volumes.GiveUp(), "")
	}
}

func (st volumeStep) followPod(p *eviction.Record) {
	n := st.s.Node(p.Node)
	node := st.snap.Node(p.Node)
	gone := node == nil || n != nil && node.UID != n.UID
	o := st.s.Run.Options
	facts, still, late, wake := p.Volumes.Follow(p.Node, gone, st.snap, st.pods().DetachDue(p), o.ReattachTimeout,
		st.now)
	st.wakeAt(wake)
	st.setVolumes(p, facts, volume.LateWords(p.Node, still, late, o.DetachTimeout, o.ReattachTimeout))
}

// awaitDetach reports whether volumes of drained nodes are still on their way off them before the nodes are judged.
func (st volumeStep) awaitDetach() bool {
	st.followVolumes()
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool { return st.s.AwaitsDetach(n, st.snap) })
}

// unmounts reports whether volumes can leave a node. Where the kubelet is silent nothing is unmounted (Cluster API
// shouldWaitForNodeVolumes: an unreachable node is not waited for), but from a node with the out-of-service taint the
// attach-detach controller detaches by force (KEP-2268).
func unmounts(node *kube.Node) bool { return node != nil && (!node.Silent() || node.OutOfService()) }

// AwaitsDetach reports whether volumes of a drained node are still on their way off it, and that is worth waiting for.
func (s *State) AwaitsDetach(n *NodeRun, snap *kube.Snapshot) bool {
	return s.Run.Options.MaxParallelVolumes > 0 && n.State == NodeDrained && unmounts(snap.Node(n.Name)) &&
		s.anyOn(n.Name, func(p *eviction.Record) bool { return p.State.Left() && p.Volumes.Awaited() })
}

// awaitAttachments reports whether it is worth waiting for the attachments to be readable again: what a snapshot
// without them shows is not what the nodes have. They are given the time that a detach is given. Without a volume that
// moved there is nothing to wait for but their first list, as for all of the checklist.
func (st volumeStep) awaitAttachments() bool {
	if st.snap.All().Settled(kube.KindAttachments) {
		return false
	}
	for _, n := range st.s.Nodes {
		due := st.s.counted(n.Ended).Add(st.s.Run.Options.DetachTimeout)
		if n.State == NodeDrained && st.s.anyOn(n.Name, (*eviction.Record).MovedVolumes) && !st.past(due) {
			return true
		}
	}
	return false
}

// lookPowerOff says of a drained node whether it is safe to power off, and which volumes it still has, unless it has
// said so. Nothing is safe that was not checked.
func (st volumeStep) lookPowerOff(n *NodeRun) (said bool) {
	verdict := st.s.Checklist(st.snap, n, st.now)
	if n.PowerOff != nil && n.PowerOff.Safe == verdict.Safe {
		return false
	}
	e := Event{Kind: EventVolumes, Node: n.Name, CordonGone: st.cordonGone(n)}
	if st.snap.Trusted(kube.KindAttachments) {
		e.Volumes = volume.LeftAttached(n.Name, st.snap)
	}
	e.PowerOff, e.Message = &verdict, verdict.Sentence()
	st.emit(e)
	return true
}
