package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
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
	if !volume.VolumesReadable(st.snap) {
		return
	}
	draining := map[string]bool{}
	for _, n := range st.s.Nodes {
		draining[n.Name] = n.State == NodeDraining
	}
	for _, p := range st.s.Pods {
		if p.State.Final() || p.Volumes != nil && !p.Volumes.Settles() {
			continue
		}
		live := st.snap.Pod(p.UID)
		if live == nil || live.Node != p.Node || !volume.HasVolumes(live) || !draining[p.Node] && !live.Terminating() {
			continue
		}
		st.setVolumes(p, volume.VolumesOf(live, st.snap), "")
	}
}

// setVolumes notes the volumes of a pod, if anything about them is new.
func (st volumeStep) setVolumes(p *PodRun, now []volume.Facts, message string) {
	if message == "" && p.Volumes.Same(now) {
		return
	}
	e := Event{Kind: EventVolumes, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Volumes: now, Message: message}
	if slices.ContainsFunc(now, func(v volume.Facts) bool { return v.State == volume.VolumeDetaching }) {
		e.Wait = &waits.Wait{For: waits.ForDetach, Since: p.Ended, Until: st.detachDue(p)}
	}
	st.emit(e)
}

// followVolumes follows the volumes of pods that have left their node: first
// until they are detached from it or their time is up, then to where they go,
// which is shown and never waited for.
func (st volumeStep) followVolumes() {
	seen := st.attachmentsSeen() || st.attachmentsDenied()
	for _, p := range st.s.Pods {
		switch {
		case !p.State.Left() || !p.Volumes.Open() || st.snap.SyncOn(kube.KindNodes, p.Node).Phase != kube.Synced:
		case seen:
			st.followPod(p)
		default:
			st.followBlind(p)
		}
	}
}

// followBlind gives the volumes of a pod up that may have been detached or not: the
// attachments could not be read until their time was over.
func (st volumeStep) followBlind(p *PodRun) {
	if !p.Volumes.Awaited() || st.past(st.detachDue(p)) {
		st.setVolumes(p, p.Volumes.GiveUp(), "")
	}
}

func (st volumeStep) followPod(p *PodRun) {
	n := st.s.Node(p.Node)
	node := st.snap.Node(p.Node)
	gone := node == nil || n != nil && node.UID != n.UID
	o := st.s.Run.Options
	facts, still, late, wake := p.Volumes.Follow(p.Node, gone, st.snap, st.detachDue(p), o.ReattachTimeout, st.now)
	st.wakeAt(wake)
	st.setVolumes(p, facts, lateWords(p, still, late, o))
}

// past reports whether that moment has come; if not, it is a moment to look.
func (st *stepper) past(due time.Time) bool {
	if st.now.Before(due) {
		st.wakeAt(due)
		return false
	}
	return true
}

func lateWords(p *PodRun, still, adrift []string, o plan.Options) string {
	switch {
	case len(still) > 0:
		return fmt.Sprintf("%s still attached to %s, %s after its pod could have ended: not waited for any longer",
			words.VolumeNames(still), p.Node, o.DetachTimeout)
	case len(adrift) > 0:
		return fmt.Sprintf("%s not attached to another node %s after leaving %s", words.VolumeNames(adrift), o.ReattachTimeout, p.Node)
	}
	return ""
}

// detachDue is until when the detach of the pod's volumes is waited for:
// --detach-timeout after the pod's grace, or after its end if that was later. (Of
// gardener's waitForDetach, which counts both from the eviction; a pod that ended
// late has its volumes given their time here too.)
func (st volumeStep) detachDue(p *PodRun) time.Time {
	from := p.Ended
	if st.s.Run.Options.DetachTimeout > 0 && !p.Accepted.IsZero() {
		if graceEnds := p.Accepted.Add(st.grace(p)); graceEnds.After(from) {
			from = graceEnds
		}
	}
	return from.Add(st.s.Run.Options.DetachTimeout)
}

// grace is the grace period with which the pod is evicted.
func (st *stepper) grace(p *PodRun) time.Duration {
	if asked := st.s.Run.Options.GracePeriodSeconds; asked >= 0 {
		return time.Duration(asked) * time.Second
	}
	return time.Duration(p.GraceSeconds) * time.Second
}

// volumeTurn says what a pod with volumes waits for before its eviction: nothing
// (nil), or the pods of its drivers that are terminating or whose volumes are still
// attached. A pod that is blocked or stuck holds no turn.
func (st volumeStep) volumeTurn(p *PodRun, live *kube.Pod) *waits.Wait {
	switch {
	case st.s.Run.Options.MaxParallelVolumes <= 0:
		return nil
	case p.Volumes == nil && volume.HasClaims(live) && !volume.VolumesReadable(st.snap):
		return &waits.Wait{For: waits.ForVolumes}
	case p.Volumes == nil:
		return nil
	}
	driver, ahead := st.queue().Full(p.Node, p.Volumes.Drivers())
	if driver == "" {
		return nil
	}
	wait := &waits.Wait{For: waits.ForVolumeTurn, Driver: driver}
	if ahead != nil {
		wait.Ahead = &waits.Ahead{Namespace: ahead.Namespace, Pod: ahead.Name, Node: ahead.Node, Volumes: ahead.Detaching}
	}
	return wait
}

// hasVolumeTurn reports whether the pod has to wait for no other pod with volumes.
func (st volumeStep) hasVolumeTurn(p *PodRun, live *kube.Pod) bool {
	switch {
	case st.s.Run.Options.MaxParallelVolumes <= 0:
		return true
	case p.Volumes == nil:
		return !volume.HasClaims(live) || volume.VolumesReadable(st.snap)
	}
	return st.queue().Free(p.Node, p.Volumes.Drivers())
}

// queue are the turns of pods with volumes at this look.
func (st volumeStep) queue() *volume.Queue {
	if st.books.queue == nil {
		st.books.queue = volume.NewQueue(st.s.Run.Options.MaxParallelVolumes)
		for _, p := range st.s.Pods {
			if p.holdsVolumeTurn() {
				st.takeVolumeTurn(p)
			}
		}
	}
	return st.books.queue
}

// takeVolumeTurn notes that the pod is evicted now.
func (st volumeStep) takeVolumeTurn(p *PodRun) {
	if st.books.queue != nil { // else it was not asked for yet
		st.books.queue.Take(volume.Holder{Namespace: p.Namespace, Name: p.Name, Node: p.Node, Detaching: p.Detaching()}, p.Volumes.Drivers())
	}
}

// holdsVolumeTurn reports whether the pod is on its way: asked for, terminating, or gone
// with volumes that are still attached to its node.
func (p *PodRun) holdsVolumeTurn() bool {
	if p.State.Left() {
		return p.Volumes.Awaited()
	}
	return !p.State.Final() && len(p.Volumes) > 0 && (p.InFlight != 0 || p.State == PodTerminating)
}

// awaitDetach reports whether volumes of drained nodes are still on their way off
// them, and that is worth waiting for before the nodes are judged. On a node whose
// kubelet is silent nothing is unmounted (Cluster API shouldWaitForNodeVolumes:
// an unreachable node is not waited for).
func (st volumeStep) awaitDetach() bool {
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

// awaitAttachments reports whether it is worth waiting for the attachments to be
// readable again: what a snapshot without them shows is not what the nodes have.
// They are given the time that a detach is given. Without a volume that moved
// there is nothing to wait for but their first list, as for all of the checklist.
func (st volumeStep) awaitAttachments() bool {
	if st.attachmentsSeen() || st.attachmentsDenied() {
		return false
	}
	for _, n := range st.s.Nodes {
		if n.State == NodeDrained && st.movedVolumes(n.Name) && !st.past(n.Ended.Add(st.s.Run.Options.DetachTimeout)) {
			return true
		}
	}
	return false
}

func (st volumeStep) attachmentsSeen() bool { return st.snap.Trusted(kube.KindAttachments) }

func (st volumeStep) attachmentsDenied() bool {
	return st.snap.Sync(kube.KindAttachments).Phase == kube.Denied
}

// lookPowerOff says of a drained node whether it is safe to power off, and which
// volumes it still has. Nothing is safe that was not checked.
func (st volumeStep) lookPowerOff(n *NodeRun) {
	e := Event{Kind: EventVolumes, Node: n.Name}
	if st.attachmentsSeen() {
		e.Volumes = volume.LeftAttached(n.Name, st.snap)
	}
	verdict := st.s.Checklist(st.snap, n, st.now)
	e.PowerOff, e.Message = &verdict, verdict.Sentence()
	st.emit(e)
}

// movedVolumes reports whether a pod was moved off the node with a volume that may
// have been attached to it.
func (st volumeStep) movedVolumes(node string) bool {
	for _, p := range st.podsOf(node) {
		if p.State.Left() && slices.ContainsFunc(p.Volumes, func(v volume.VolumeRun) bool { return v.State != volume.VolumeUnattached }) {
			return true
		}
	}
	return false
}

// Detaching are the volumes that have not left the node yet although the pod is
// gone, and that are waited for; nil where there are none.
func (p *PodRun) Detaching() []string { return p.Volumes.In(volume.VolumeDetaching) }

// StillAttached are the volumes that had not left the node when the time for that
// was over; nil where there are none.
func (p *PodRun) StillAttached() []string { return p.Volumes.In(volume.VolumeStillAttached) }

// VolumesSentence says where the volumes of a pod are that has left its node. "" where there
// is nothing to say. now is our clock.
func (p *PodRun) VolumesSentence(now time.Time) string {
	if !p.State.Left() {
		return ""
	}
	return p.Volumes.Sentence(p.Node, now.Sub(p.Ended), p.DetachBy, now)
}
