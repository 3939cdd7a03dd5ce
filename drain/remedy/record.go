package remedy

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// State is what has become of a remedy that was confirmed.
type State string

// The states of a remedy.
const (
	Requested State = "Requested" // confirmed; its request is out
	Refused   State = "Refused"   // not done: the server said no, or it is no longer what was confirmed
	InDoubt   State = "InDoubt"   // no answer came: it may have been done
	Done      State = "Done"      // the server accepted it
	Undone    State = "Undone"    // by the run
	Kept      State = "Kept"      // no longer ours: left as it is
	Orphaned  State = "Orphaned"  // could not be undone: it is still there
)

// Words say the state in plain words.
func (s State) Words() string {
	return map[State]string{
		Requested: "asked for", Refused: "not done", InDoubt: "in doubt", Done: "done",
		Undone: "undone", Kept: "not undone", Orphaned: "still there",
	}[s]
}

// Record is a remedy that was confirmed in a run. The fold of the run's events calls its
// transitions, Become and Resume; TakeBack and After decide by it.
type Record struct {
	Facts
	attempt.Attempt // its request, then that which takes it back
	State           State
	By              string
	Seq             uint64    // number of the event that began it: the one after the control's
	At              time.Time // when it was confirmed
	Since           time.Time
	Message         string
}

// Become is the transition to the state that an event tells of; retry is when it is tried
// again to take it back, zero where it is not.
func (r *Record) Become(state State, message string, retry, at time.Time) {
	if r.State != state {
		r.Since = at
	}
	r.State, r.Message, r.Next = state, message, time.Time{}
	if !retry.IsZero() {
		r.Failed(retry)
	}
}

// Resume is the record in another process: what had no answer is in doubt.
func (r *Record) Resume() {
	r.Attempt.Resume()
	r.Last = nil
	if r.State == Requested {
		r.State, r.Message = InDoubt, "the process ended before the answer came"
	}
}

// lasts reports whether there is something to take back once the remedy was applied.
func (f *Facts) lasts() bool { return f.Kind == Scale || f.Kind == OutOfService || f.setsFields() }

// setsFields reports whether the remedy sets fields that stay. An annotation of a pod goes with the pod.
func (f *Facts) setsFields() bool { return f.Kind == AskController && f.Object != "Pod" }

// Deletes reports whether its request deletes the pod of the run itself.
func (f *Facts) Deletes() bool { return f.Kind == Delete || f.Kind == ForceDelete }

// Open reports whether what the remedy changed is, or may be, still in the cluster and ours.
func (r *Record) Open() bool {
	return r.lasts() && (r.State == Requested || r.State == Done || r.State == InDoubt)
}

// MayStand reports whether the remedy may have left something in the cluster that a rollback
// takes back.
func (r *Record) MayStand() bool { return r.Open() || r.State == Orphaned }

// Awaited reports whether a run may not end before the remedy is undone.
func (r *Record) Awaited(now time.Time) bool {
	return r.InFlight != 0 || r.Open() && (r.Kind != OutOfService || r.Next.After(now))
}

// Change is a state that a remedy comes to.
type Change struct {
	State   State
	Message string
	Retry   time.Time // when it is tried again to take it back, zero where it is not
}

// Send is the request of a remedy, or that which takes it back.
type Send struct {
	Verb    attempt.Verb
	Node    string // that it changes, "" for none
	Version string // resourceVersion that it expects, where it takes back
	Request request.Request
}

// Decision is what is to be done about a remedy now: at most one of both.
type Decision struct {
	Change *Change
	Send   *Send
	Wake   time.Time // when to decide again if nothing changes before, zero for never
}

// TakeBack decides whether the change of a remedy is undone now. Replicas and fields are restored at the end of a run,
// whose last pod has left at the time over, and a taint is removed when its node has returned.
func (r *Record) TakeBack(run string, snap *kube.Snapshot, end bool, over, now time.Time) Decision {
	if !r.Open() {
		return Decision{}
	}
	if r.Waits(now) {
		return Decision{Wake: r.Next}
	}
	if r.othersNumber(snap) {
		return Decision{Change: &Change{State: Kept, Message: "somebody else has set its number"}}
	}
	until, why := r.held(run, snap, over, now)
	switch held := end && now.Before(until); {
	case held && why != "" && why != r.Message:
		return Decision{Change: &Change{State: r.State, Message: why, Retry: now.Add(settles)}}
	case held:
		return Decision{Wake: until}
	}
	switch {
	case r.Kind != OutOfService && end, r.Kind == OutOfService && r.State != Requested &&
		snap.On(r.Name).Sync(kube.KindNodes).Phase == kube.Synced:
		return r.takeBack(run, snap)
	}
	return Decision{}
}

// othersNumber reports whether a scale without an answer was not done: its number is somebody else's, and it tests the
// one before. It is decided while managedFields still tell: a surge of this run makes the number ours.
func (r *Record) othersNumber(snap *kube.Snapshot) bool {
	w := snap.Workload(r.UID)
	return r.State == InDoubt && r.Kind == Scale && w != nil && w.Replicas == r.To && !w.ReplicasOurs
}

// settles is how long another drain that waits for a budget is given to use what a pod that has become Ready allows.
const settles = 5 * time.Second

// held is until when a scale is not undone, with the reason: while another run has raised the workload, whose number
// is beside ours then, and while a budget needs a Ready pod that the controller would remove. Both are waited for as
// long as the replacement of the last pod that left, at the time over, may take to start; then it is waited until the
// pod of the budgets that became Ready last has been so for a moment.
func (r *Record) held(run string, snap *kube.Snapshot, over, now time.Time) (until time.Time, why string) {
	w, starts := snap.Workload(r.UID), over.Add(budget.ComesUpIn)
	if w == nil || r.Kind != Scale {
		return until, ""
	}
	if other := surge.RaisedByOther(w, run); other != "" {
		return starts, other
	}
	ready := slices.DeleteFunc(budget.CountedWith(snap, w), func(p *kube.Pod) bool {
		return !p.Ready || p.Terminating()
	})
	if len(ready) <= int(r.From) { // the controller removes pods that are not Ready
		return until, ""
	}
	for _, b := range snap.BudgetsOf(ready[0]) {
		if b.DisruptionsAllowed < r.To-r.From && now.Before(starts) {
			return starts, "budget " + b.Name + " allows no removal of a pod now"
		}
		for _, p := range snap.PodsUnder(b) {
			if at := now.Add(p.ReadySince.Add(settles).Sub(snap.ServerTime(now))); p.Ready && at.After(until) {
				until = at
			}
		}
	}
	return until, ""
}

func (r *Record) takeBack(run string, snap *kube.Snapshot) Decision {
	if node := snap.Node(r.Name); r.Kind == OutOfService && node != nil && node.UID == r.UID &&
		node.Ready != kube.NodeReady {
		return Decision{} // it is still off, and keeps the taint
	}
	req, left := r.Undo(run, snap)
	if w := snap.Workload(r.UID); r.Kind == Scale && w != nil && w.Replicas != r.To && !r.objected() {
		// The view may be older than the change itself. The request tests the number.
		req, left = r.scaleRequest(r.To, r.From), ""
	}
	switch send := (&Send{Request: req}); {
	case left != "":
		return Decision{Change: &Change{State: Kept, Message: left}}
	case r.Kind == Scale:
		send.Verb = attempt.VerbUnscale
		return Decision{Send: send}
	case r.Kind == AskController:
		send.Verb = attempt.VerbResetFields
		return Decision{Send: send}
	default:
		send.Verb, send.Node = attempt.VerbUntaint, r.Name
		send.Version = req.(request.SetTaints).ResourceVersion
		return Decision{Send: send}
	}
}

// objected reports whether the server refused to take it back, for a reason that may be in
// the object itself.
func (r *Record) objected() bool {
	switch r.Last.Class() {
	case kube.AnswerGone, kube.AnswerConflict, kube.AnswerInvalid:
		return true
	}
	return false
}

// Send is the one request of a remedy that was confirmed; mark is the annotation of the run
// for a node that it changes.
func (f *Facts) Send(mark annotation.Mark, snap *kube.Snapshot, now time.Time) Send {
	switch f.Kind {
	case EvictUnhealthy:
		return Send{Verb: attempt.VerbEvict, Request: request.Evict{Namespace: f.Namespace, Name: f.Name, UID: f.UID}}
	case RolloutRestart:
		version := ""
		if live := snap.Workload(f.UID); live != nil {
			version = live.ResourceVersion
		}
		return Send{Verb: attempt.VerbRolloutRestart, Request: request.Restart{Namespace: f.Namespace, Name: f.Name,
			UID:             f.UID,
			ResourceVersion: version, At: snap.ServerTime(now)}}
	case Scale:
		return Send{Verb: attempt.VerbScale, Request: f.scaleRequest(f.From, f.To)}
	case AskController:
		return Send{Verb: attempt.VerbSetFields, Request: f.fieldsRequest(f.Fields)}
	case OutOfService:
		node := snap.Node(f.Name)
		mark.At = snap.ServerTime(now).UTC().Truncate(time.Second)
		return Send{Verb: attempt.VerbTaint, Request: taintRequest(node, node.TaintsWith(), mark.String())}
	}
	r := request.Delete{Namespace: f.Namespace, Name: f.Name, UID: f.UID}
	if f.Grace >= 0 {
		r.Grace = &f.Grace
	}
	return Send{Verb: attempt.VerbDelete, Request: r}
}

// After is the change that follows from an answer; class is the answer's class in this run,
// byHand the command that takes the remedy back.
func (r *Record) After(verb attempt.Verb, a kube.Answer, class kube.AnswerClass, byHand string, now time.Time) Change {
	if verb == attempt.VerbUnscale || verb == attempt.VerbUntaint || verb == attempt.VerbResetFields {
		return r.afterUndo(a, class, byHand, now)
	}
	switch {
	case a.OK():
		return Change{State: Done}
	case attempt.MayBeDone(a):
		return Change{State: InDoubt, Message: attempt.AnswerWords(a)}
	case class == kube.AnswerConflict:
		return Change{State: Refused, Message: "it changed meanwhile: " + attempt.AnswerWords(a)}
	case attempt.PatchFails(a) && r.Kind == AskController:
		return Change{State: Refused, Message: "its fields have other values than were shown"}
	case a.Code == http.StatusUnprocessableEntity && r.Kind == Scale:
		return Change{State: Refused, Message: fmt.Sprintf("it no longer has %d replicas", r.From)}
	}
	return Change{State: Refused, Message: attempt.AnswerWords(a)}
}

// ChangedSince is why fields are left as they are: the test of the patch fails.
const ChangedSince = "its fields no longer have the values that the run set"

// afterUndo: of replicas and taints only what is read says that somebody has changed them since (Undo), for a refusal
// can have many reasons. It is asked for again, and what cannot be had stays to be done,
// with the server's words.
func (r *Record) afterUndo(a kube.Answer, class kube.AnswerClass, byHand string, now time.Time) Change {
	switch {
	case class == kube.AnswerDone:
		return Change{State: Undone}
	case class == kube.AnswerGone:
		return Change{State: Kept, Message: "it is gone"}
	case attempt.PatchFails(a) && r.Kind == AskController:
		return Change{State: Kept, Message: ChangedSince}
	case class != kube.AnswerForbidden && r.Tries < attempt.RemoveTries:
		return Change{State: r.State, Message: attempt.AnswerWords(a), Retry: now.Add(r.Pause(a.RetryAfter))}
	}
	return Change{State: Orphaned, Message: "not undone: " + attempt.AnswerWords(a) + "; to do it: " + byHand}
}

// Leave is the change at the end of the run of a remedy that stays: a taint whose node is
// still off. From here on nothing takes it back; nil for none.
func (r *Record) Leave(byHand string) *Change {
	if r.Kind != OutOfService || !r.Open() {
		return nil
	}
	return &Change{State: Orphaned, Message: "its machine has not come back; once it has: " + byHand}
}
