package roll

import (
	"maps"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/process"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The roll holds the Lease of a node while it works there itself: from before its --before command to the run of the
// batch, which takes it over for the drain, and from the end of that to the end of the node in the roll. No other run
// and no other roll works on the node meanwhile.

// Leases are the Leases of nodes as this process has them, by node. No journal keeps them: another process acquires
// again what names the roll.
type Leases map[string]*lease.Record

// WriteLease wants a Lease written, once. Only one of a node is out at a time.
type WriteLease struct {
	Node    string
	Verb    attempt.Verb
	Request request.Request
}

// LeaseAnswered tells what came back for it.
type LeaseAnswered struct {
	WriteLease
	Answer kube.Answer
}

func (WriteLease) action()   {}
func (LeaseAnswered) input() {}

// leasing reports whether the roll keeps others off its nodes by Leases.
func (f *Facts) leasing() bool { return f.Run.Options.LeaseNamespace != "" }

// tendLeases acquires, renews, misses and releases the Leases of the batch's nodes. It comes before anything else, so
// that nothing begins on a node whose Lease is lost.
func (st *stepper) tendLeases() {
	if !st.s.Facts.leasing() || st.s.Outcome != "" {
		return
	}
	for _, n := range st.s.inBatch() {
		switch {
		case st.s.Suspended && n.Running() == "": // whoever resumes the roll acquires it again
		case n.State == Draining && st.s.Run != "": // that run takes it over once it has begun
			if r := st.leases[n.Name]; st.run() != nil && r != nil && r.State != lease.Disabled {
				st.leases = maps.Clone(st.leases)
				delete(st.leases, n.Name)
			}
		default:
			for st.tendLease(n) {
			}
		}
	}
}

// tendLease does what is to be done about the Lease of a node, and tells whether there is more to decide after that.
func (st *stepper) tendLease(n *Node) (more bool) {
	held := st.holds(n)
	d := lease.Next(st.leases[n.Name], st.leaseView(n, held))
	st.wakeAt(d.Wake)
	if c := d.Change; c != nil {
		st.editLease(n.Name, func(r *lease.Record) { r.Become(c.Facts, c.State, c.Message, st.v.Now) })
		switch c.State {
		case lease.Disabled:
			st.emit(Event{Kind: EventWarning, Message: "node " + n.Name + ": " + c.Message})
		case lease.Expiring:
			st.emit(Event{Kind: EventWarning, Message: "Lease of node " + n.Name + ": " + c.Message})
		}
	}
	r := st.leases[n.Name]
	if s := d.Send; s != nil {
		st.editLease(n.Name, func(r *lease.Record) {
			r.Sent(s.Facts, &attempt.ActionFacts{ID: 1, Verb: s.Verb, Version: s.Version}, st.v.Now)
		})
		st.once = append(st.once, WriteLease{Node: n.Name, Verb: s.Verb, Request: s.Request})
	}
	switch why := d.Refuse; {
	case !held || n.Running() != "" || st.v.Left[n.Name].Life == process.Runs: // its command is not left alone
	case why != "":
		st.become(n, Failed, "not drained: %s", why)
	case r != nil && r.State == lease.Lost:
		st.become(n, Failed, "%s", r.Message)
	}
	return d.Change != nil
}

// holds reports whether the roll is to hold the Lease of a node.
func (st *stepper) holds(n *Node) bool {
	switch {
	case st.s.Aborting || st.s.Suspended:
		return n.Running() != ""
	case n.State == Draining:
		return st.s.Run == "" && st.s.Facts.Options.Before != ""
	}
	return !n.State.final()
}

func (st *stepper) leaseView(n *Node, held bool) lease.View {
	run := &st.s.Facts.Run
	return lease.View{
		Run: run.ID, By: run.User, Reason: run.Options.Reason, Namespace: run.Options.LeaseNamespace, Node: n.Name,
		UID: n.UID, Wanted: held, Untouched: n.State == Draining, Final: !held, Resumed: st.s.Started,
	}.WithSnapshot(st.v.Snap, st.v.Now, run.Options.TakesOver)
}

const leaseWait = "waits for its Lease"

// inHand reports whether a command may begin on the node, as far as its Lease says. A wait of more than an answer is
// told on the node.
func (st *stepper) inHand(n *Node) bool {
	if !st.s.Facts.leasing() {
		return true
	}
	r := st.leases[n.Name]
	in, wait := r.InHand(st.v.Now), leaseWait
	if r != nil && r.Message != "" {
		wait += ": " + r.Message
	}
	switch told := strings.HasPrefix(n.Message, leaseWait); {
	case in && told:
		st.become(n, n.State, "")
	case !in && wait != leaseWait && wait != n.Message:
		st.become(n, n.State, "%s", wait)
	}
	return in
}

// leaseAnswered notes what became of a write.
func (st *stepper) leaseAnswered(in LeaseAnswered) {
	r := st.leases[in.Node]
	if r == nil || r.InFlight == 0 {
		return
	}
	facts, expected, now, was := r.FactsAfter(in.Request, in.Answer), "", st.v.Now, r.State
	if sent, writes := in.Request.(request.WriteLease); writes {
		expected = sent.ResourceVersion
	}
	starting := attempt.RefusedAtStart(in.Answer, st.v.Snap.Sync(kube.KindLeases).Since, now)
	st.editLease(in.Node, func(r *lease.Record) {
		r.Answered(facts, in.Verb, attempt.AnswerFactsOf(in.Answer), now)
		if c := r.After(in.Verb, facts, expected, in.Answer, starting); c != nil {
			r.Become(c.Facts, c.State, c.Message, now)
		}
	})
	if r = st.leases[in.Node]; r.State == lease.Disabled && was != lease.Disabled {
		st.emit(Event{Kind: EventWarning, Message: "node " + in.Node + ": " + r.Message})
	}
}

// editLease replaces the record of a Lease by a changed copy.
func (st *stepper) editLease(node string, edit func(*lease.Record)) {
	r := lease.Record{}
	if known := st.leases[node]; known != nil {
		r = *known
	}
	edit(&r)
	st.leases = maps.Clone(st.leases)
	if st.leases == nil {
		st.leases = Leases{}
	}
	st.leases[node] = &r
}

// leaseStands reports whether a Lease of the batch is still to be released.
func (st *stepper) leaseStands() bool {
	return slices.ContainsFunc(st.s.inBatch(), func(n *Node) bool { return st.leases[n.Name].Standing() })
}
