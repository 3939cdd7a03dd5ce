package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// awaitDetach tells whether volumes of drained nodes are still on their way off
// them, and that is worth waiting for before the nodes are judged. On a node whose
// kubelet is silent nobody unmounts anything (Cluster API shouldWaitForNodeVolumes:
// an unreachable node is not waited for).
func (st *stepper) awaitDetach() bool {
	st.followVolumes()
	if st.s.Run.Options.MaxParallelVolumes <= 0 {
		return false
	}
	for _, p := range st.s.Pods {
		n := st.s.Node(p.Node)
		if len(p.Volumes) == 0 || n == nil || n.State != NodeDrained || !p.State.Left() || !p.holdsVolumeTurn() {
			continue
		}
		if node := st.snap.Node(p.Node); node != nil && node.Ready != kube.NodeUnknown {
			return true
		}
	}
	return false
}

// awaitAttachments reports whether it is worth waiting for the attachments: what a
// snapshot without them shows is not what the nodes have. Their first list is always
// waited for, since a run may end before it is in; that they become readable again only
// where a volume was moved. They are given the time that a detach is given.
func (st *stepper) awaitAttachments() bool {
	if st.attachmentsSeen() || st.attachmentsDenied() {
		return false
	}
	first := st.snap.Sync(kube.KindAttachments).Phase == kube.NotSynced
	for _, n := range st.s.Nodes {
		if n.State == NodeDrained && (first || st.movedVolumes(n.Name)) && !st.past(n.Ended.Add(st.s.Run.Options.DetachTimeout)) {
			return true
		}
	}
	return false
}

func (st *stepper) attachmentsSeen() bool { return st.snap.Trusted(kube.KindAttachments) }

func (st *stepper) attachmentsDenied() bool {
	return st.snap.Sync(kube.KindAttachments).Phase == kube.Denied
}

// lookPowerOff says of a drained node whether it is safe to power off, and which
// volumes it still has. Nothing is safe that nobody looked at.
func (st *stepper) lookPowerOff(n *NodeRun) {
	e := Event{Kind: EventVolumes, Node: n.Name}
	if st.attachmentsSeen() {
		e.Volumes = volume.LeftAttached(n.Name, st.snap)
	}
	verdict := st.s.Checklist(st.snap, n, st.now)
	e.PowerOff, e.Message = &verdict, verdict.Sentence()
	st.emit(e)
}

// movedVolumes tells whether a pod was moved off the node with a volume that may
// have been attached to it.
func (st *stepper) movedVolumes(node string) bool {
	for _, p := range st.podsOf(node) {
		if p.State.Left() && slices.ContainsFunc(p.Volumes, func(v volume.VolumeRun) bool { return v.State != volume.VolumeUnattached }) {
			return true
		}
	}
	return false
}
