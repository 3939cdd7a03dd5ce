package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// leaseStep does what is decided about the Leases of the nodes.
type leaseStep struct{ *stepper }

func (st *stepper) leases() leaseStep { return leaseStep{st} }

// leasing reports whether the run takes Leases at all.
func (st leaseStep) leasing() bool { return st.s.Run.Options.LeaseNamespace != "" }

// mayTouch reports whether something may be sent for the node now.
func (st leaseStep) mayTouch(n *NodeRun) bool { return !st.leasing() || n.Lease.InHand(st.now) }

// tendLeases acquires, renews, misses and releases the Leases of all nodes. It comes before
// anything else of a step, so that a lost one stops its node at once.
func (st leaseStep) tendLeases() {
	if !st.leasing() || st.s.Outcome != "" {
		return
	}
	for i := range st.s.Nodes {
		for st.tendLease(st.s.Nodes[i]) {
		}
	}
}

// tendLease acts on what is decided about the Lease of a node. It reports whether it is to be called again.
func (st leaseStep) tendLease(n *NodeRun) bool {
	d := lease.Next(n.Lease, st.leaseView(n))
	st.wakeAt(d.Wake)
	if d.Change != nil {
		st.setLease(n, d.Change)
	}
	switch {
	case d.Refuse != "":
		st.setNode(n, NodeRefused, d.Refuse)
	case d.Stop != "":
		st.setNode(n, NodeStopped, d.Stop)
	}
	if s := d.Send; s != nil {
		st.send(Write{Verb: s.Verb, Node: n.Name, Request: s.Request}, Event{Node: n.Name, Lease: &s.Facts,
			Action: &attempt.ActionFacts{Verb: s.Verb, Version: s.Version}, passing: s.Verb == attempt.VerbRenew})
	}
	return d.Change != nil
}

func (st leaseStep) setLease(n *NodeRun, c *lease.Change) {
	st.emit(Event{Kind: EventLease, Node: n.Name, Lease: &c.Facts, LeaseState: c.State, Message: c.Message})
}

// leaseView is what is decided from about the Lease of a node.
func (st leaseStep) leaseView(n *NodeRun) lease.View {
	o := &st.s.Run.Options
	return lease.View{
		Run: st.s.Run.ID, By: st.s.Run.User, Reason: o.Reason, Namespace: o.LeaseNamespace, Node: n.Name, UID: n.UID,
		Wanted: st.leasesWanted() && !st.s.Paused, Untouched: n.State == NodeWaiting && n.Attempts == 0,
		Final: n.State.Final(), Elsewhere: n.State.Final() && n.Lease.Standing() && st.worksOn(), Resumed: st.s.resumed,
	}.WithSnapshot(st.snap, st.now, o.TakesOver)
}

// worksOn reports whether the run does not end yet, or there is a node on which something may still be done.
func (st leaseStep) worksOn() bool {
	return st.s.working() != PhaseClose || st.countNodes(NodeState.Final) < len(st.s.Nodes)
}

// leasesWanted reports whether Leases are due: once the cordon is confirmed.
func (st leaseStep) leasesWanted() bool {
	p := st.s.working()
	return p == PhaseSurge || p == PhaseEvict || p == PhaseVerify || p == PhaseCordon && st.s.Phases[p] == PhaseRuns
}

// leasesStand reports whether a Lease is still to be released, or its last write is not
// answered: a run does not end before.
func (st leaseStep) leasesStand() bool {
	for _, n := range st.s.Nodes {
		if n.Lease.Standing() {
			return true
		}
		if !n.Lease.Open() || !st.leasing() {
			continue
		}
		v := st.leaseView(n)
		unseen, expired := v.Unseen()
		if st.wakeAt(expired); unseen {
			return true
		}
	}
	return false
}

// leasesOpen reports whether it is not known yet of some node whether its Lease can be had.
func (st leaseStep) leasesOpen() bool {
	for _, n := range st.s.Nodes {
		if st.leasing() && !n.State.Final() && n.Lease.Open() {
			return true
		}
	}
	return false
}

// refuseTogether refuses all nodes, where it is all or nothing and one of them is another run's.
func (st leaseStep) refuseTogether() {
	refused := refusedNode(st.s.Nodes)
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

// onLeaseAnswer notes what became of a write of a Lease.
func (st leaseStep) onLeaseAnswer(w Write, a kube.Answer, e Event) {
	n := st.s.Node(w.Node)
	if n == nil || n.Lease == nil || n.Lease.InFlight != w.ID {
		return
	}
	facts, expected := n.Lease.FactsAfter(w.Request, a), ""
	if sent, writes := w.Request.(request.WriteLease); writes {
		expected = sent.ResourceVersion
	}
	e.Lease, e.Action.Version, e.passing = &facts, expected, w.Verb == attempt.VerbRenew
	st.emit(e)
	n = st.s.Node(w.Node)
	if c := n.Lease.After(w.Verb, facts, expected, a, st.stillStarting(a)); c != nil {
		st.setLease(n, c)
	}
}

// TakenOverBy is the run that took the node over from this one, "" for none: what is left on
// the node is then that run's business.
func (n *NodeRun) TakenOverBy() string {
	if n.Lease == nil || n.Lease.State != lease.Lost {
		return ""
	}
	return n.Lease.Holder
}

// editLease replaces the record of a node's Lease by a changed copy.
func (s *State) editLease(node string, edit func(l *lease.Record)) {
	s.editNode(node, func(n *NodeRun) {
		l := lease.Record{}
		if n.Lease != nil {
			l = *n.Lease
		}
		edit(&l)
		n.Lease = &l
	})
}

// applyLease is the fold of the events of a Lease's state.
func (s folding) applyLease(e Event) {
	if e.LeaseState == lease.Overdue {
		s.stopClocks(e.Node, e.Lease.RenewedAt.Add(lease.OverdueAfter)) // the machine may have slept since
	}
	s.editLease(e.Node, func(l *lease.Record) { l.Become(*e.Lease, e.LeaseState, e.Message, e.Time) })
}

// LeasesMayStand reports whether a run that died may have left a Lease of one of its nodes.
func (s *State) LeasesMayStand() bool { return slices.ContainsFunc(s.Nodes, s.LeaseMayStand) }

// LeaseMayStand tells the same of one node.
func (s *State) LeaseMayStand(n *NodeRun) bool {
	if n.Lease == nil { // a process that took the run up forgot what the one before had
		return !s.resumed.IsZero() && s.Run.Options.LeaseNamespace != ""
	}
	return n.Lease.MayStand()
}
