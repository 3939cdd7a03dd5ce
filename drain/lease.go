package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A run keeps others off the nodes that it works on by one Lease for each, from
// before its cordon until the node is final. Nothing is sent for a node whose
// Lease is not in hand: taken by another run, or renewed too long ago to be sure
// that nobody has.

const (
	// leaseRenewal is how often a Lease is renewed.
	leaseRenewal = kube.LeaseDuration / 3
	// leaseOverdue is how old the last renewal may be: a third of the duration
	// later than it was due, and a third before anybody else may take the Lease.
	OverdueAfter = leaseRenewal + kube.LeaseDuration/3
	// leaseRetry is the pause after a renewal that failed, so that there is never
	// more than one in 5 s.
	LeaseRetry = 5 * time.Second
	// leaseShown is how long a Lease may take to show what the server said of it,
	// before the server is asked again.
	leaseShown = 2 * time.Second
	// deniedFor is for how long a right must be missing before a run goes on without
	// its Lease: an API server that has just started refuses what it allows later.
	deniedFor = attempt.StartTime
	// releaseTries is how often a Lease is given back at most: it lapses anyway.
	releaseTries = 2
)

// LeaseState is where the Lease over a node is.
type LeaseState string

// The states of the Lease over a node in a run.
const (
	LeaseAwaited  LeaseState = "Awaited"  // another run has it; whether that run lives shows soon
	LeaseHeld     LeaseState = "Held"     // ours
	LeaseOverdue  LeaseState = "Overdue"  // ours, renewed too long ago: nothing is sent
	LeaseLost     LeaseState = "Lost"     // another run has taken it over
	LeaseReleased LeaseState = "Released" // given back
	LeaseLeft     LeaseState = "Left"     // could not be given back: it lapses by itself
	LeaseOff      LeaseState = "Off"      // the right is missing: the run goes on without
)

// LeaseFacts are a Lease over a node, as an event tells of it.
type LeaseFacts struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       kube.UID `json:"uid,omitempty"`
	Holder    string   `json:"holder,omitempty"` // id of the run that has it
}

// LeaseRun is the Lease over a node of a run.
type LeaseRun struct {
	LeaseFacts
	attempt.Attempt // of the present purpose
	State           LeaseState
	Since           time.Time
	Message         string
	Taken           time.Time // when the run first held it
	Renewed         time.Time // when the last write that was accepted was sent

	version  string        // resourceVersion as our last write left it
	under    string        // resourceVersion of what we took it over from
	sent     time.Time     // when the last write was sent
	released bool          // the last write gives it back
	deniedAt time.Time     // since when every answer is that we may not, zero if the last was another
	denied   time.Duration // from then to the last answer
}

// TakenOverBy is the run that took the node over from this one, "" for none: what
// is left on the node is then that run's business.
func (n *NodeRun) TakenOverBy() string {
	if n.Lease == nil || n.Lease.State != LeaseLost {
		return ""
	}
	return n.Lease.Holder
}

// standing tells whether the Lease is in the cluster and ours to give back.
func (l *LeaseRun) standing() bool {
	return l != nil && (l.State == LeaseHeld || l.State == LeaseOverdue || l.InFlight != 0)
}

// editLease replaces the record of a node's Lease by a changed copy.
func (s *State) editLease(node string, edit func(l *LeaseRun)) {
	s.editNode(node, func(n *NodeRun) {
		l := LeaseRun{}
		if n.Lease != nil {
			l = *n.Lease
		}
		edit(&l)
		n.Lease = &l
	})
}

// applyLease is the fold of the events of a Lease's state.
func (s *State) applyLease(e Event) {
	if n := s.Node(e.Node); e.LeaseState == LeaseOverdue && n != nil && n.Lease != nil {
		s.stopClocks(e.Node, n.Lease.Renewed.Add(OverdueAfter)) // the machine may have slept since
	}
	s.editLease(e.Node, func(l *LeaseRun) {
		if l.State != e.LeaseState {
			l.Since = e.Time
		}
		l.LeaseFacts, l.State, l.Message = *e.Lease, e.LeaseState, e.Message
		if e.LeaseState == LeaseHeld && l.Taken.IsZero() {
			l.Taken = e.Time
		}
	})
}

// applyLeaseIntent notes that a write of a Lease is out.
func (s *State) applyLeaseIntent(e Event) {
	s.editLease(e.Node, func(l *LeaseRun) {
		l.Namespace, l.Name = e.Lease.Namespace, e.Lease.Name
		l.sent = e.Time
		if release := e.Action.Verb == attempt.VerbRelease; release != l.released {
			l.released, l.Tries = release, 0
		}
		if e.Action.Verb == attempt.VerbTake {
			l.under = e.Action.Version
		}
	})
}

// applyLeaseAnswer notes what came back for it. A renewal counts from the moment
// it was sent: the server did it later, if at all.
func (s *State) applyLeaseAnswer(e Event) {
	s.editLease(e.Node, func(l *LeaseRun) {
		a, class := e.Answer, e.Answer.Class()
		if class == kube.AnswerDone {
			l.Tries, l.deniedAt, l.denied = 0, time.Time{}, 0
			if e.Action.Verb != attempt.VerbRelease {
				l.Renewed, l.version, l.UID = l.sent, a.ResourceVersion, e.Lease.UID
			}
			return
		}
		switch {
		case class != kube.AnswerForbidden:
			l.deniedAt, l.denied = time.Time{}, 0
		case l.deniedAt.IsZero():
			l.deniedAt = e.Time
		default:
			l.denied = e.Time.Sub(l.deniedAt)
		}
		switch {
		case e.Action.Verb == attempt.VerbRelease:
			l.Failed(e.Time.Add(time.Second))
		case class == kube.AnswerConflict:
			l.Failed(e.Time.Add(leaseShown))
		default:
			l.Failed(e.Time.Add(max(LeaseRetry, plan.FromSeconds(a.RetryAfterSeconds))))
		}
	})
}

// resumeLeases forgets what another process held: the Lease is taken anew, at
// once where it still names the run. That of a node on which nothing more is done
// is still to be given back.
func (s *State) resumeLeases() {
	for _, n := range s.Nodes {
		if n.Lease == nil {
			continue
		}
		s.editNode(n.Name, func(n *NodeRun) {
			// One whose first write was never answered stands or not: the snapshot tells.
			if !n.State.Final() || n.Lease.State == "" || n.Lease.State == LeaseAwaited {
				n.Lease = nil
				return
			}
			l := *n.Lease
			l.Resume()
			l.released = false
			l.version = "" // renewals are in no journal: the snapshot tells
			n.Lease = &l
		})
	}
}
