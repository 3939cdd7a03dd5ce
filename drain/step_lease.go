package drain

import (
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// leasing tells whether the run takes Leases at all.
func (st *stepper) leasing() bool { return st.s.Run.Options.LeaseNamespace != "" }

// mayTouch tells whether something may be sent for the node now.
func (st *stepper) mayTouch(n *NodeRun) bool {
	if !st.leasing() {
		return true
	}
	l := n.Lease
	return l != nil && (l.State == LeaseOff || l.State == LeaseHeld && attempt.Elapsed(l.Renewed, st.now) < OverdueAfter)
}

// tendLeases takes, renews, misses and gives back the Leases of all nodes. It
// comes before anything else of a step, so that a lost one stops its node at once.
func (st *stepper) tendLeases() {
	if !st.leasing() || st.s.Outcome != "" {
		return
	}
	for i := range st.s.Nodes {
		n := st.s.Nodes[i]
		switch l := n.Lease; {
		case n.State.Final():
			st.findLease(n)
			st.releaseLease(st.s.Nodes[i])
		case l == nil, l.State == "", l.State == LeaseAwaited: // never asked for, asked in vain, another's
			st.acquireLease(n)
		case l.State == LeaseHeld, l.State == LeaseOverdue, l.State == LeaseOff && !l.Renewed.IsZero():
			if !st.missLease(n) {
				st.keepLease(st.s.Nodes[i])
			}
		}
	}
}

// wanted tells whether Leases are due: once the cordon is confirmed.
func (st *stepper) leasesWanted() bool {
	switch {
	case st.s.Aborting || st.s.Phase == PhaseCheck || st.s.Phase == PhaseGuard:
		return false
	case st.s.Phase == PhaseCordon:
		return st.s.Phases[PhaseCordon] == PhaseRuns
	}
	return true
}

// acquireLease asks for the Lease of a node that the run does not hold: a free one, one
// of its own from before, one whose holder has been silent for its whole time,
// and one that the operator said to take over. For any other it waits until its
// holder shows itself.
func (st *stepper) acquireLease(n *NodeRun) {
	live := st.snap.LeaseOf(n.UID)
	if !st.leasesWanted() || st.s.Paused || n.Lease != nil && st.notYet(n.Lease, live) {
		return
	}
	if state := st.snap.Sync(kube.KindLeases); state.Phase == kube.Denied {
		st.leaseOff(n, state.Reason)
		return
	}
	if !st.snap.Trusted(kube.KindLeases) {
		return // what is there shows in a moment
	}
	run := st.s.Run.ID
	switch {
	case live == nil:
		st.sendTake(n, nil)
	case live.Holder == run, live.Holder == "", st.s.Run.Options.TakesOver(live.Holder),
		!st.now.Before(st.snap.LeaseEnds(live)):
		st.sendTake(n, live)
	case st.snap.LeaseAlive(live, st.now):
		st.heldByOther(n, live)
	default:
		if n.Lease == nil || n.Lease.Holder != live.Holder || n.Lease.State != LeaseAwaited {
			facts := factsOf(live)
			st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseAwaited,
				Message: "held by " + lease.HolderWords(live) + "; whether that run lives shows within " + words.ShortTime(live.Duration)})
		}
		st.wakeAt(st.snap.LeaseEnds(live))
	}
}

// notYet tells whether an answer is out or the pause after a failed try is not over. That after a
// conflict is, once the snapshot shows what it was about.
func (st *stepper) notYet(l *LeaseRun, live *kube.Lease) bool {
	shown := ""
	if live != nil {
		shown = live.ResourceVersion
	}
	return !l.Outdated(shown) && st.waits(l.Attempt)
}

// heldByOther leaves a node to the run that is at work on it.
func (st *stepper) heldByOther(n *NodeRun, live *kube.Lease) {
	words := "held by " + lease.HolderWords(live) + ", which is at work on it; only --take-over takes it from there"
	if n.State == NodeWaiting && n.Attempts == 0 {
		st.setNode(n, NodeRefused, words)
		return
	}
	facts := factsOf(live)
	st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseLost, Message: "taken over by " + lease.HolderWords(live)})
	st.setNode(n, NodeStopped, words)
}

// missLease tells whether another run has taken the Lease, and stops the node if
// so. What the snapshot shows of before our own take is not another's.
func (st *stepper) missLease(n *NodeRun) bool {
	live := st.snap.LeaseOf(n.UID)
	if live == nil || live.Holder == "" || live.Holder == st.s.Run.ID || live.ResourceVersion == n.Lease.under {
		return false
	}
	facts := factsOf(live)
	words := "taken over by " + lease.HolderWords(live)
	st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseLost, Message: words})
	st.setNode(n, NodeStopped, words)
	return true
}

// keepLease renews a Lease in time, and says when it did not come to that.
func (st *stepper) keepLease(n *NodeRun) {
	l := n.Lease
	if l.State == LeaseOff {
		return
	}
	age := attempt.Elapsed(l.Renewed, st.now)
	facts := l.LeaseFacts
	switch {
	case age >= OverdueAfter && l.denied >= deniedFor:
		st.leaseOff(n, l.Message)
		return
	case l.State == LeaseHeld && age >= OverdueAfter:
		st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseOverdue,
			Message: "not renewed for " + words.ShortTime(age) + ": nothing is sent for the node until it is"})
	case l.State == LeaseHeld:
		st.wakeAt(st.now.Add(OverdueAfter - age))
	}
	if due := leaseRenewal - age; due > 0 {
		st.wakeAt(st.now.Add(due))
		return
	}
	live := st.snap.LeaseOf(n.UID)
	if st.notYet(l, live) {
		return
	}
	version, changes := l.version, int32(0)
	if live != nil && live.Holder == st.s.Run.ID {
		changes = live.Transitions
		if l.Last.Class() == kube.AnswerConflict { // somebody wrote it, and it is ours all the same
			version = live.ResourceVersion
		}
	}
	st.sendLease(n, attempt.VerbRenew, l.UID, version, changes)
}

func (st *stepper) sendTake(n *NodeRun, live *kube.Lease) {
	if live == nil {
		st.sendLease(n, attempt.VerbTake, "", "", 0)
		return
	}
	changes := live.Transitions
	if live.Holder != st.s.Run.ID {
		changes++
	}
	st.sendLease(n, attempt.VerbTake, live.UID, live.ResourceVersion, changes)
}

func (st *stepper) sendLease(n *NodeRun, verb attempt.Verb, uid kube.UID, version string, changes int32) {
	o := st.s.Run.Options
	now := st.snap.ServerTime(st.now)
	w := kube.LeaseWrite{
		Namespace: o.LeaseNamespace, Node: n.Name, NodeUID: n.UID, Run: st.s.Run.ID, By: st.s.Run.User, Reason: o.Reason,
		Since: now, Renewed: now, Transitions: changes, UID: uid, ResourceVersion: version,
	}
	if n.Lease != nil && !n.Lease.Taken.IsZero() {
		w.Since = st.snap.ServerTime(n.Lease.Taken)
	}
	facts := LeaseFacts{Namespace: o.LeaseNamespace, Name: kube.LeaseName(n.UID), UID: uid, Holder: st.s.Run.ID}
	st.send(Write{Verb: verb, Node: n.Name, Request: w},
		Event{Node: n.Name, Lease: &facts, Action: &attempt.ActionFacts{Verb: verb, Version: version}, passing: verb == attempt.VerbRenew})
}

// findLease notes that a Lease of the run stands over a node that is done: the
// process before had it, and this one found nothing left to take it for.
func (st *stepper) findLease(n *NodeRun) {
	live := st.snap.LeaseOf(n.UID)
	if n.Lease != nil || live == nil || live.Holder != st.s.Run.ID || !st.snap.Trusted(kube.KindLeases) {
		return
	}
	facts := factsOf(live)
	st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseHeld})
}

// releaseLease gives the Lease of a node back on which nothing more is sent. One that
// another run has taken is that run's.
func (st *stepper) releaseLease(n *NodeRun) {
	l := n.Lease
	if l == nil || l.State != LeaseHeld && l.State != LeaseOverdue || st.notYet(l, nil) {
		return
	}
	if l.Tries >= releaseTries && l.released {
		facts := l.LeaseFacts
		st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseLeft,
			Message: "could not be given back; it lapses by itself within " + words.ShortTime(kube.LeaseDuration)})
		return
	}
	facts, version := l.LeaseFacts, l.version
	if version == "" && !st.s.resumed.IsZero() { // the process before wrote it
		if st.leaseUnseen() {
			return
		}
		live := st.snap.LeaseOf(n.UID)
		if live == nil || live.Holder != st.s.Run.ID {
			st.emit(st.notSeen(n, facts))
			return
		}
		version = live.ResourceVersion
	}
	st.send(Write{Verb: attempt.VerbRelease, Node: n.Name, Request: kube.LeaseRef{
		Namespace: l.Namespace, Name: l.Name, UID: l.UID, ResourceVersion: version,
	}}, Event{Node: n.Name, Lease: &facts, Action: &attempt.ActionFacts{Verb: attempt.VerbRelease, Version: version}})
}

// notSeen is what becomes of a Lease that a process before had, and that does not
// show: it is gone or another's, or it may not be read.
func (st *stepper) notSeen(n *NodeRun, facts LeaseFacts) Event {
	e := Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseReleased}
	if !st.snap.Trusted(kube.KindLeases) {
		e.LeaseState, e.Message = LeaseLeft, "it does not show; it lapses by itself within "+words.ShortTime(kube.LeaseDuration)
	}
	return e
}

// leasesStand tells whether a Lease is still to be given back, or its last write
// is not answered: a run does not end before.
func (st *stepper) leasesStand() bool {
	for _, n := range st.s.Nodes {
		if n.Lease.standing() || n.Lease == nil && st.leaseUnseen() {
			return true
		}
	}
	return false
}

// leaseUnseen tells whether a Lease of the process before may stand that does not
// show yet. After the time of a Lease it has lapsed anyway.
func (st *stepper) leaseUnseen() bool {
	if !st.leasing() || st.s.resumed.IsZero() || st.snap.Trusted(kube.KindLeases) || st.snap.Sync(kube.KindLeases).Phase == kube.Denied {
		return false
	}
	lapsed := st.s.resumed.Add(kube.LeaseDuration)
	st.wakeAt(lapsed)
	return st.now.Before(lapsed)
}

// leasesOpen tells whether it is not known yet of some node whether its Lease can
// be had.
func (st *stepper) leasesOpen() bool {
	for _, n := range st.s.Nodes {
		if st.leasing() && !n.State.Final() && (n.Lease == nil || n.Lease.State == "" || n.Lease.State == LeaseAwaited) {
			return true
		}
	}
	return false
}

// refuseTogether refuses all nodes, where it is all or nothing and one of them is
// another run's.
func (st *stepper) refuseTogether() {
	refused := ""
	for _, n := range st.s.Nodes {
		if n.State == NodeRefused && refused == "" {
			refused = n.Name
		}
	}
	if refused == "" || !st.s.Run.Options.AllOrNothing {
		return
	}
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeRefused, plan.RefusedAlong(refused))
		}
	}
	st.tendLeases()
}

func (st *stepper) leaseOff(n *NodeRun, why string) {
	facts := LeaseFacts{Namespace: st.s.Run.Options.LeaseNamespace, Name: kube.LeaseName(n.UID)}
	message := "no Lease keeps other runs off the node"
	if why != "" {
		message += ": " + why
	}
	st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseOff, Message: message})
}

// onLeaseAnswer notes what became of a write of a Lease.
func (st *stepper) onLeaseAnswer(w Write, a kube.Answer, e Event) {
	n := st.s.Node(w.Node)
	if n == nil || n.Lease == nil || n.Lease.InFlight != w.ID {
		return
	}
	facts := n.Lease.LeaseFacts
	sent, writes := w.Request.(kube.LeaseWrite)
	if writes {
		facts = LeaseFacts{Namespace: sent.Namespace, Name: kube.LeaseName(sent.NodeUID), UID: sent.UID, Holder: sent.Run}
		if a.OK() {
			facts.UID = a.UID
		}
		e.Action.Version = sent.ResourceVersion
	}
	e.Lease, e.passing = &facts, w.Verb == attempt.VerbRenew
	was := n.Lease.State
	st.emit(e)
	n = st.s.Node(w.Node)
	class := a.Class()
	gone := class == kube.AnswerGone
	switch {
	case !writes:
		if a.OK() || gone || class == kube.AnswerConflict { // a conflict: it is another's by now
			st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseReleased})
		}
		st.releaseLease(st.s.Node(w.Node))
	case was == LeaseLost || was == LeaseOff:
	case a.OK():
		if was != LeaseHeld || n.Lease.Message != "" {
			st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseHeld})
		}
	case w.Verb == attempt.VerbRenew && gone:
		// Somebody deleted it: it is taken anew.
		facts.UID = ""
		st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: LeaseAwaited, Message: "somebody deleted it"})
	case w.Verb == attempt.VerbRenew: // it is ours until it is overdue, whatever the answer: keepLease
		if attempt.AnswerWords(a) != n.Lease.Message {
			st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &facts, LeaseState: was, Message: attempt.AnswerWords(a)})
		}
	case st.stillStarting(a): // asked for again
	case class == kube.AnswerForbidden, class == kube.AnswerInvalid, gone && sent.ResourceVersion == "":
		st.leaseOff(n, attempt.AnswerWords(a))
	}
}

func factsOf(l *kube.Lease) LeaseFacts {
	return LeaseFacts{Namespace: l.Namespace, Name: l.Name, UID: l.UID, Holder: l.Holder}
}
