package eviction

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Record is one pod of a run. The fold of the run's events calls Sent, Answered, Become, Tend and
// Resume; a View says what is done about it.
type Record struct {
	Facts
	attempt.Attempt
	State     State
	Since     time.Time     // since when it is in State
	Wait      *waits.Wait   // nil when it waits for nothing
	Attempts  int           // eviction or delete requests sent
	Refusals  int           // of those, refused by whomever
	Begun     time.Time     // when the drain of its node began, or when it joined that; zero before
	Accepted  time.Time     // when the eviction was accepted
	DeletedAt time.Time     // deletionTimestamp, server time
	Ended     time.Time     // when it reached a final state
	Blocked   time.Duration // sum of the time it was blocked, without the current block
	// BudgetRefusals are those of the Refusals that count for --max-evict-retries.
	BudgetRefusals int
	// Held is how long its budget held it while the run could have evicted it, without
	// the present time: the clock of --force-after.
	Held    time.Duration
	Added   bool          // bound to the node after the plan was made
	Message string        // why it was skipped or failed
	Volumes volume.Record // as far as they matter; nil until they were counted
	// Replacement is what takes its place elsewhere; its State is "" until that is followed.
	Replacement replacement.Record
	DetachBy    time.Time // until when its volumes are given time to leave the node, zero while none is on its way

	BlockedSince time.Time // start of the present block, zero if there is none
	RetryNow     bool      // the operator asked for a try at once
	PutLast      bool      // the operator put it last
	Look         bool      // who has its name must be asked before anything else

	heldSince time.Time       // start of the present time of Held, zero while its clock stands
	countedAt time.Time       // when BudgetRefusals last grew
	sentUnder string          // what was known of its budgets when it was last tried
	sentAs    string          // phase, Ready and labels of the pod then
	refusal   attempt.Refusal // the answer to that, empty before it came
	refusedAt time.Time       // when the server last refused it
	repeats   int             // refusals in a row by a budget, while nothing else moved in its namespace
	forced    bool            // its next request is a deletion past its budget
	saidAt    time.Time       // when what it waits for was last told
	writtenAt time.Time       // the same, to the journal
	unwritten bool            // the journal does not have what it waits for now
}

// New is the record of a pod at its start.
func New(f Facts, at time.Time) *Record {
	r := &Record{Facts: f, State: Planned, Since: at}
	if f.Action == plan.ActionSkip || f.Action == plan.ActionRefuse {
		r.State, r.Ended = Skipped, at
	}
	return r
}

// Sent is the transition when a request for the pod is out.
func (r *Record) Sent(a *attempt.ActionFacts, at time.Time) {
	r.Attempt.Sent(a)
	r.RetryNow, r.Look = false, false
	if a.Verb == attempt.VerbGet {
		return
	}
	r.Attempts++
	r.sentUnder, r.sentAs, r.refusal = a.Under, a.Pod, attempt.NotRefused
	r.State, r.Since, r.Wait, r.unwritten = Requested, at, &waits.Wait{For: waits.ForAnswer}, false
}

// Answered is the transition to an answer. Moved is when an eviction in its namespace was
// last accepted; acts tells whether only the server could keep the run from evicting it.
func (r *Record) Answered(verb attempt.Verb, a *attempt.AnswerFacts, moved time.Time, acts bool, at time.Time) {
	r.Attempt.Answered(a)
	r.Look = a.Look
	switch {
	case verb == attempt.VerbGet && r.Look:
		r.Tries++
	case verb == attempt.VerbGet:
	case a.Class() == kube.AnswerDone:
		r.Accepted, r.Tries, r.repeats = at, 0, 0
	default:
		r.refused(a.Refusal, moved, acts, at)
	}
}

// refused notes a refusal of its eviction or deletion, by who gave it.
func (r *Record) refused(by attempt.Refusal, moved time.Time, acts bool, at time.Time) {
	r.refusal = by
	if by == attempt.NotRefused { // it is gone
		return
	}
	r.Refusals++
	switch {
	case !by.UnderBudget():
		r.Tries, r.repeats = r.Tries+1, 0
	case moved.Add(unseenFirst).After(r.refusedAt): // one went when this was refused last, or since
		r.Tries, r.repeats = 0, 1
	default:
		r.Tries, r.repeats = 0, r.repeats+1
	}
	if by.ByBudget() && acts && (r.countedAt.IsZero() || at.Sub(r.countedAt) >= countedEvery) {
		r.BudgetRefusals, r.countedAt = r.BudgetRefusals+1, at
	}
	r.refusedAt = at
	r.takeBackForce()
}

// Become is the transition to what an event tells.
func (r *Record) Become(c Change, at time.Time) {
	was := r.State
	r.State, r.Wait, r.saidAt, r.unwritten = c.State, c.Wait, at, c.Passing
	if r.Next = (time.Time{}); c.State.backsOff() && c.Wait != nil {
		r.Next = c.Wait.Until
	}
	if !c.Passing {
		r.writtenAt = at
	}
	if c.Message != "" {
		r.Message = c.Message
	}
	if !c.DeletedAt.IsZero() {
		r.DeletedAt = c.DeletedAt
	}
	if c.Forced {
		r.Action, r.forced = plan.ActionDelete, true
	}
	switch {
	case c.State.Blocked():
		if r.BlockedSince.IsZero() {
			r.BlockedSince = at
		}
		r.Since = r.BlockedSince
	case c.State != Requested:
		r.Blocked, r.BlockedSince = r.BlockedFor(at), time.Time{}
		if was != c.State {
			r.Since = at
		}
	}
	if c.State.Final() {
		r.Ended = at
	}
}

// Resume is the record in another process that takes the run up at that moment; the process before is
// known to have worked on it until last. Who has the name of a pod is asked before anything else is sent,
// where its last request had no answer, or what followed from the answer is not known. A deletion past
// its budget that was decided is decided again.
func (r *Record) Resume(last, at time.Time) {
	r.takeBackForce()
	if !r.BlockedSince.IsZero() {
		r.Blocked, r.BlockedSince = r.BlockedFor(last), at
	}
	if r.InFlight == 0 && r.State != Requested {
		return
	}
	r.Attempt.Resume()
	if r.State.Final() { // its end was seen before the answer to its eviction
		return
	}
	r.Look = true
	r.State, r.Since, r.Wait = Retrying, at, &waits.Wait{For: waits.ForAnswer}
}

// Leave is the transition of a pod to which nothing happens in the run.
func (r *Record) Leave(why string, at time.Time) {
	if !r.State.Final() {
		r.State, r.Since, r.Ended, r.Message = Skipped, at, at, why
	}
}

// BlockedFor is how long the pod has been blocked in all, at that moment.
func (r *Record) BlockedFor(now time.Time) time.Duration {
	if r.BlockedSince.IsZero() {
		return r.Blocked
	}
	return r.Blocked + now.Sub(r.BlockedSince)
}

// Unwritten reports whether the journal does not have what the pod waits for now.
func (r *Record) Unwritten() bool { return r.unwritten }

// WhyLeft says why the run left the pod on its node, "" where it did not.
func (r *Record) WhyLeft() string {
	if r.Message != "" || len(r.Reasons) == 0 {
		return r.Message
	}
	return r.Reasons[0].Message
}

// Followed reports whether it is known whose pod it is; journals from before do not say.
func (r *Record) Followed() bool { return r.Controller != nil || r.Owner == "" }

// MaySurge reports whether the pod takes part in the surge of its workload.
func (r *Record) MaySurge() bool { return !r.Self && plan.MaySurge(r.Action, r.Reasons) }

// Asked is since when the pod goes, or may do so: it was asked for, and not refused. Zero is not. What another process
// asked for and was not answered is in doubt until it was looked for.
func (r *Record) Asked() time.Time {
	if r == nil || r.Attempts == 0 || !r.State.Ends() && !r.State.Left() && r.InFlight == 0 && !r.Look &&
		!r.Last.MayBeDone() {
		return time.Time{}
	}
	return r.Since
}

// waitsForCompletion reports whether the pod is left to run to its end first.
func (r *Record) waitsForCompletion() bool {
	return slices.ContainsFunc(r.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonWaitForCompletion })
}
