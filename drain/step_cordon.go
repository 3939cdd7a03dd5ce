package drain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// CordonShown is how long the watch may take to show an accepted cordon before it is sent again.
const CordonShown = 15 * time.Second

// CordonPatience is how often the cordon of a node is tried before the others go on without it: about eight seconds.
const CordonPatience = 5

// AdoptTries is how often a run tries to put its mark in the place of another
// run's. A cluster that will not have it (an admission webhook) delays no other node:
// the node is cordoned, as it was.
const AdoptTries = 6

// cordonPhase cordons the nodes.
type cordonPhase struct{ *stepper }

func (st *stepper) cordoning() cordonPhase { return cordonPhase{st} }

// cordon makes every open node unschedulable and waits until the cluster shows
// it: a node is never drained on the word of an answer alone.
func (st cordonPhase) cordon() {
	st.volumes().countVolumes()
	st.leases().refuseTogether()
	if !st.s.Run.Options.AllOrNothing || !st.leases().leasesOpen() { // one that cannot be had refuses all
		st.cordonNodes()
	}
	st.evicting().deadlines()
	st.leases().refuseTogether()
	cordoned, open := 0, st.openNodes()
	for _, n := range st.s.Nodes {
		switch {
		case n.State == NodeCordoned:
			cordoned++
		case n.State == NodeWaiting, n.State == NodeCordoning && !st.cordonHeld(n):
			return
		}
	}
	if open > 0 && cordoned == 0 {
		return
	}
	if open == 0 {
		st.enter(PhaseClose, PhaseFailed)
		return
	}
	st.emit(Event{Kind: EventPhase, Phase: PhaseCordon, PhaseStatus: PhaseDone})
	if len(st.s.Run.Surges) > 0 {
		st.ask(PhaseSurge, st.s.Surges.Word())
		return
	}
	st.ask(PhaseEvict, st.evictWord())
}

// cordonNodes goes on with the nodes that are not cordoned yet: also while others
// are drained, for one that is refused holds only itself.
func (st cordonPhase) cordonNodes() {
	for _, n := range st.s.Nodes {
		if n.uncordoned() && st.snap.On(n.Name).Sync(kube.KindNodes).Phase == kube.Synced {
			st.cordonNode(n)
		}
	}
}

// uncordoned reports whether the node is still to be cordoned.
func (n *NodeRun) uncordoned() bool { return n.State == NodeWaiting || n.State == NodeCordoning }

// cordonHeld reports whether the cordon of the node has failed so often that the others do not wait for it.
func (st cordonPhase) cordonHeld(n *NodeRun) bool {
	return n.State == NodeCordoning && n.Tries >= CordonPatience && !st.s.Run.Options.AllOrNothing
}

func (st cordonPhase) cordonNode(n *NodeRun) {
	node := st.snap.Node(n.Name)
	if reason := checklist.Lost(node, n.UID); reason != "" {
		st.setNode(n, NodeFailed, reason)
		return
	}
	if !st.leases().mayTouch(n) {
		return // its Lease comes first
	}
	exclude := st.s.Run.Options.ExcludeFromLB > 0 && !node.ExcludedFromLB()
	other, adopts := annotation.Adoptable(node, st.s.Run.ID)
	adopts = adopts && n.Attempts < AdoptTries
	if node.Unschedulable && !exclude && !adopts {
		st.setNode(n, NodeCordoned, annotation.Foreign(node, st.s.Run.ID))
		return
	}
	if n.InFlight != 0 || st.s.Paused {
		return
	}
	// Until its time is up, a try is only repeated after a conflict, on a node that
	// has changed since. A cordon that does not stay waits as any other.
	if !n.Outdated(node.ResourceVersion) && st.waits(n.Attempt) {
		return
	}
	if n.State != NodeCordoning {
		why := ""
		if adopts {
			why = "takes over the cordon of run " + other.Run + " by " + other.Maker()
		}
		st.setNode(n, NodeCordoning, why)
	}
	mark := annotation.ForNode(node, annotation.Mark{
		Run: st.s.Run.ID, By: st.s.Run.User, Reason: st.s.Run.Options.Reason, Was: "schedulable",
		At: st.snap.ServerTime(st.now).UTC().Truncate(time.Second), ExcludedFromLB: exclude,
	}, adopts, exclude)
	request := request.Cordon{
		Node: n.Name, UID: n.UID, ResourceVersion: node.ResourceVersion, Unschedulable: true, Mark: mark.String(),
	}
	if exclude {
		request.ExcludeFromLB = &exclude
	}
	st.send(Write{Verb: attempt.VerbCordon, Node: n.Name, Request: request},
		Event{Node: n.Name, Action: &attempt.ActionFacts{Verb: attempt.VerbCordon, Version: node.ResourceVersion}})
}

// cordonGone reports whether the node is seen to be schedulable or deleted.
func (st *stepper) cordonGone(n *NodeRun) bool {
	node := st.snap.Node(n.Name)
	return st.sees(n) && (checklist.Lost(node, n.UID) != "" || !node.Unschedulable)
}

// onCordonAnswer handles what came back for a cordon. Success says nothing yet: the snapshot must show it.
func (st cordonPhase) onCordonAnswer(n *NodeRun, a kube.Answer, class kube.AnswerClass) {
	if n.State != NodeCordoning {
		return // the snapshot was quicker than the answer
	}
	switch class {
	case kube.AnswerDone:
		st.retryCordon(n, CordonShown, "")
	case kube.AnswerConflict:
		// The node changed (a heartbeat is enough): again as soon as that is seen.
		st.retryCordon(n, attempt.RetryMost, "the node changed meanwhile")
	case kube.AnswerTransient:
		after := n.Pause(a.RetryAfter)
		if attempt.MissingRight(a) {
			after = rightsRetry
		}
		st.retryCordon(n, after, attempt.AnswerWords(a))
	default:
		st.setNode(n, NodeFailed, "cordon refused: "+attempt.AnswerWords(a))
	}
}

func (st cordonPhase) retryCordon(n *NodeRun, after time.Duration, why string) {
	st.emit(Event{Kind: EventNode, Node: n.Name, NodeState: NodeCordoning, Message: why,
		Wait: &waits.Wait{For: waits.ForServer, Until: st.now.Add(after), Words: why}})
	st.wakeAt(st.now.Add(after))
}

// notCordoned ends a node whose time is up before it was cordoned. Where all nodes are
// drained or none, and none was touched, it refuses all; one that only waits for it is
// refused along with it.
func (st cordonPhase) notCordoned(n *NodeRun) {
	state := NodeFailed
	if st.s.Run.Options.AllOrNothing && untouched(st.s.Nodes) {
		if state = NodeRefused; refusedNode(st.s.Nodes) != "" || st.leases().leasesOpen() && st.leases().mayTouch(n) {
			return
		}
	}
	st.setNode(n, state, fmt.Sprintf("not cordoned within %s: %s",
		format.Duration(st.s.Run.Options.Timeout), n.cordonWords()))
}

// untouched tells whether no cordon was sent yet.
func untouched(nodes []*NodeRun) bool {
	return !slices.ContainsFunc(nodes, func(n *NodeRun) bool {
		return n.Attempts > 0 || !n.State.Final() && n.State != NodeWaiting
	})
}

// refusedNode is the first node that is refused, "" for none.
func refusedNode(nodes []*NodeRun) string {
	for _, n := range nodes {
		if n.State == NodeRefused {
			return n.Name
		}
	}
	return ""
}

// cordonWords say why the node is not cordoned, in the server's last words.
func (n *NodeRun) cordonWords() string {
	switch {
	case n.Last.Class() == kube.AnswerDone:
		return "the server accepted the cordon, but the node does not show it"
	case n.Attempts > 0:
		return cmp.Or(n.Message, "no answer")
	case n.Lease != nil && n.Lease.Message != "":
		return n.Lease.Message
	}
	return "its Lease is not held"
}
