package lease

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// renewal is how often a Lease is renewed.
	renewal = kube.LeaseDuration / 3
	// OverdueAfter is how old the last renewal may be: a third of the duration later
	// than it was due, and a third before anybody else may acquire the Lease.
	OverdueAfter = renewal + kube.LeaseDuration/3
	// RetryAfter is the pause after a renewal that failed, so that there is never more
	// than one in 5 s.
	RetryAfter = 5 * time.Second
	// shownWithin is how long a Lease may need to show what the server said of it,
	// before the server is asked again.
	shownWithin = 2 * time.Second
	// deniedFor is for how long a right must be missing before a run continues without
	// its Lease: an API server that has just started refuses what it allows later.
	deniedFor = attempt.StartTime
	// releaseTries is how often the release of a Lease is tried that the end of the run waits for: it expires
	// anyway.
	releaseTries = 2
)

// State is where the Lease of a node is in a run.
type State string

// The states of the Lease of a node in a run.
const (
	Awaited  State = "Awaited"  // another run holds it; whether that run is alive shows soon
	Held     State = "Held"     // by this run
	Overdue  State = "Overdue"  // by this run, renewed too long ago: nothing is sent
	Lost     State = "Lost"     // another run has taken it over
	Released State = "Released" // by this run
	Expiring State = "Expiring" // could not be released: it expires by itself
	Disabled State = "Disabled" // the right is missing: the run continues without
)

// Facts are a Lease of a node, as events name it.
type Facts struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       kube.UID `json:"uid,omitempty"`
	Holder    string   `json:"holder,omitempty"` // id of the run that holds it
	// Shown is the resourceVersion by which a write without an answer shows.
	Shown string `json:"shownVersion,omitempty"`
	// RenewedAt is when a Lease that is Overdue was last renewed: renewals are in no journal.
	RenewedAt time.Time `json:"renewedAt,omitzero"`
}

func factsOf(l *kube.Lease) Facts {
	return Facts{Namespace: l.Namespace, Name: l.Name, UID: l.UID, Holder: l.Holder}
}

// Record is the Lease of a node of a run. The fold of the run's events calls its
// transitions, Become to Resume; Next decides by it.
type Record struct {
	Facts
	attempt.Attempt // of the present purpose
	State           State
	Since           time.Time
	Message         string
	Taken           time.Time // when the run first held it
	Renewed         time.Time // when the last write that was accepted was sent

	version  string        // resourceVersion as our last write left it
	under    string        // resourceVersion of what we took it over from
	expected string        // resourceVersion that the last write named
	sent     time.Time     // when the last write was sent
	doubted  time.Time     // when the first write since was sent that may be done without an answer
	released bool          // the last write releases it
	deniedAt time.Time     // since when each answer is that the right is missing, zero if the last was another
	denied   time.Duration // from then to the last answer
}

// Become is the transition to the state that an event tells of.
func (r *Record) Become(f Facts, state State, message string, at time.Time) {
	if r.State != state {
		r.Since = at
	}
	r.Facts, r.State, r.Message = f, state, message
	r.RenewedAt = time.Time{}
	if state == Held && r.Taken.IsZero() {
		r.Taken = at
	}
	if f.Shown != "" {
		r.Renewed, r.version, r.doubted, r.Shown = r.doubted, f.Shown, time.Time{}, ""
		r.Tries, r.Next = 0, time.Time{}
	}
}

// Sent notes that a write of the Lease is out.
func (r *Record) Sent(f Facts, action *attempt.ActionFacts, at time.Time) {
	r.Attempt.Sent(action)
	r.Namespace, r.Name, r.expected, r.sent = f.Namespace, f.Name, action.Version, at
	if release := action.Verb == attempt.VerbRelease; release != r.released {
		r.released, r.Tries = release, 0
	}
	if action.Verb == attempt.VerbAcquire {
		r.under = action.Version
	}
}

// Answered notes what came back for it. A renewal counts from the moment it was sent:
// the server did it later, if at all.
func (r *Record) Answered(f Facts, verb attempt.Verb, a *attempt.AnswerFacts, at time.Time) {
	r.Attempt.Answered(a)
	class := a.Class()
	if class == kube.AnswerDone {
		r.Tries, r.deniedAt, r.denied = 0, time.Time{}, 0
		if verb != attempt.VerbRelease {
			r.Renewed, r.version, r.doubted, r.UID = r.sent, a.ResourceVersion, time.Time{}, f.UID
		}
		return
	}
	if verb != attempt.VerbRelease && a.MayBeDone() && r.doubted.IsZero() {
		r.doubted = r.sent
	}
	switch {
	case class != kube.AnswerForbidden:
		r.deniedAt, r.denied = time.Time{}, 0
	case r.deniedAt.IsZero():
		r.deniedAt = at
	default:
		r.denied = at.Sub(r.deniedAt)
	}
	switch {
	case verb == attempt.VerbRelease:
		r.Failed(at.Add(time.Second))
	case class == kube.AnswerConflict:
		r.Failed(at.Add(shownWithin))
	default:
		r.Failed(at.Add(max(RetryAfter, a.RetryAfter())))
	}
}

// Resume is the record in another process, nil where nothing of it counts: the Lease is
// acquired again, at once where it still names the run. That of a node on which nothing
// more is done (final) is still to be released.
func (r *Record) Resume(final bool) *Record {
	// One whose first write was never answered exists or not: the snapshot tells.
	if r == nil || !final || r.State == "" || r.State == Awaited {
		return nil
	}
	next := *r
	next.Attempt.Resume()
	next.released = false
	next.version = "" // renewals are in no journal: the snapshot tells
	return &next
}

// InHand reports whether something may be sent for the node now, as far as its Lease says.
func (r *Record) InHand(now time.Time) bool {
	return r != nil && (r.State == Disabled || r.State == Held && attempt.Elapsed(r.Renewed, now) < OverdueAfter)
}

// Open reports whether it is not known yet whether the Lease can be had.
func (r *Record) Open() bool { return r == nil || r.State == "" || r.State == Awaited }

// Standing reports whether the Lease is in the cluster and the run's to release, or may be.
func (r *Record) Standing() bool {
	return r != nil && (r.State == Held || r.State == Overdue || r.InFlight != 0)
}

// MayStand reports whether a run that died may have left the Lease in the cluster.
func (r *Record) MayStand() bool {
	return r.State != Released && r.State != Lost && r.State != Disabled
}
