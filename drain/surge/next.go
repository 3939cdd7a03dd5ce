package surge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const (
	// shownWithin is how long the watch may take to show what an answer accepted before
	// it is asked for again.
	shownWithin = 15 * time.Second
	// verifyWithin is how long the controller may take to remove pods that it has too many.
	verifyWithin = 30 * time.Second
)

// View is what is decided from about the surge of a workload.
type View struct {
	Run, By, Reason string
	Managed         bool          // the number may be another tool's
	Then            Fallback      // what becomes of pods whose replacements are not Ready in time
	Timeout         time.Duration // until when replacements are to be Ready, zero for no limit
	Snap            *kube.Snapshot
	Trusted         bool // the workload and its pods are complete and live
	// Moves are the pods of the run that may begin: on nodes being drained, not asked for yet.
	Moves []*kube.Pod
	// Wanted reports whether a pod of the batch is still to leave.
	Wanted func(kube.UID) bool
	Stays  func(*kube.Pod) bool // whether the run leaves a pod of its nodes where it is
	// Asked is when the run asked for a pod to go, zero where it did not: it goes, or has left.
	Asked func(kube.UID) time.Time
	// Out reports whether the status of a budget no longer counts a pod that the run asked to go.
	Out    func(*kube.Budget, kube.UID) bool
	End    bool   // the run ends: what stands is taken back
	Abort  bool   // and it does not wait for a server that is away
	ByHand string // the command that takes the raise back
	Paused bool
	Slots  int       // requests that may be sent now
	From   time.Time // since when time counts: the last interruption of the run
	Now    time.Time
}

// Send is a request of a surge.
type Send struct {
	Verb    attempt.Verb
	Version string // resourceVersion that it expects, or the UID of its object; "" for none
	Request request.Request
	Cost    *CostFacts // what it changes of a pod, nil where it changes the workload
}

// Decision is what is to be done about a surge now.
type Decision struct {
	Change *Change
	Sends  []Send
	Wake   time.Time // when to decide again if nothing changes before, zero for never
}

func become(state State, message string) Decision {
	return Decision{Change: &Change{State: state, Message: message}}
}

// Decide decides about the surge. After a change it is to be asked again.
func (r *Record) Decide(v View) Decision {
	if !v.Trusted {
		return r.unseen(v)
	}
	w := v.Snap.Workload(r.UID)
	if v.Paused || r.State.ended() || w == nil && !r.raised() {
		return Decision{}
	}
	if w == nil {
		return r.verifying(v, nil)
	}
	if found := r.Batch.later(v.Snap, w, v.Run); found != nil && !r.Waiting() {
		c := Change{State: Starting, Batch: &found.Batch,
			Message: "its annotation tells of a batch that the journal does not"}
		for i := range found.Costs {
			c.Costs = append(c.Costs, found.Costs[i].CostFacts)
		}
		return Decision{Change: &c}
	}
	switch r.State {
	case Raising:
		return r.raising(v, w)
	case Starting:
		return r.starting(v, w)
	case Lowering:
		return r.lowering(v, w)
	case Verifying:
		return r.verifying(v, w)
	}
	return r.begin(v, w)
}

// unseen decides where the cluster cannot be seen: nothing is done, and a run that is aborted
// ends without it after a while.
func (r *Record) unseen(v View) Decision {
	ends := later(r.Since, v.From).Add(shownWithin)
	switch {
	case !v.Abort || !r.stands() || r.Waiting() || r.State.ended():
		return Decision{}
	case v.Now.Before(ends):
		return Decision{Wake: ends}
	}
	return leave("the API server does not answer", v.ByHand)
}

func leave(why, byHand string) Decision {
	return become(Orphaned, "not set back: "+why+"; to do it: "+byHand)
}

// begin begins a batch, if there are pods for one and nothing is in the way.
func (r *Record) begin(v View, w *kube.Workload) Decision {
	moves := slices.DeleteFunc(slices.Clone(v.Moves), func(p *kube.Pod) bool { return slices.Contains(r.Spent, p.UID) })
	switch {
	case v.End, len(moves) == 0 && r.HeldSince.IsZero():
		return Decision{}
	case len(moves) == 0:
		return become(r.State, "") // no pod waits for the other run or the rollout
	case raisedBy(w, v.Run):
		return become(Refused, "it has the annotation of this run, whose journal does not tell of it")
	}
	if why := cmp.Or(whyNot(v.Snap, w, v.Run, v.Managed), losesOther(v.Snap, w, v.Stays)); why != nil {
		return r.held(v, why)
	}
	n := min(len(moves), int(r.AtOnce))
	if n < 1 {
		return become(Refused, "no replacement may start beside its pods")
	}
	b := r.batch(v, w, moves[:n])
	for _, m := range b.Pods {
		if r.Batch.Has(m.UID) {
			b.Second = append(b.Second, m.UID)
		}
	}
	return Decision{Change: &Change{State: Raising, Batch: b}}
}

// batch is one of those pods, from the number of replicas that the workload has now.
func (r *Record) batch(v View, w *kube.Workload, moves []*kube.Pod) *Batch {
	b := &Batch{Was: w.Replicas, To: w.Replicas + int32(len(moves)),
		At: v.Snap.ServerTime(v.Now).UTC().Truncate(time.Second)}
	m := mark{Run: v.Run, By: v.By, Reason: v.Reason, At: b.At, Was: b.Was, To: b.To, Costs: map[kube.UID]string{},
		Owners: r.Batch.ownersOf(v.Snap, w)}
	for _, p := range moves {
		b.Pods = append(b.Pods, Mover{p.Name, p.UID})
		m.Costs[p.UID] = p.Annotations[kube.DeletionCostAnnotation]
		if c := r.Costs.of(p.UID); c != nil {
			m.Costs[p.UID] = c.Was
		}
	}
	others, _ := available(v, w, b) // more than it wants are removed, and are no replacements
	b.Others = min(others, int(b.Was)-len(moves))
	for _, p := range activeOf(v.Snap, w) {
		if !b.Has(p.UID) && !availableNow(v, w, p) {
			b.Unavailable = append(b.Unavailable, p.UID)
		}
	}
	b.Mark = m.String()
	return b
}

// anew begins the batch again where somebody else has set another number since the raise: that is the number
// to which the replicas are set back then. Where they cannot be raised again, what is left of the raise is taken back.
func (r *Record) anew(v View, w *kube.Workload, why string) Decision {
	moves, not, ends := r.wanted(v), whyNot(v.Snap, w, v.Run, v.Managed), r.readyBy(v)
	switch {
	case v.End || len(moves) == 0 || !raisedBy(w, v.Run) || !not.Passes():
		again := r.unmarked(w) && len(r.Batch.Second) > 0 // they are in no third batch
		return Decision{Change: &Change{State: Lowering, Message: why, Late: again}}
	case !ends.IsZero() && !v.Now.Before(ends):
		return late(v, w, &r.Batch)
	case not != nil:
		return Decision{Wake: ends}
	}
	b := r.batch(v, w, moves)
	b.Second = r.Batch.Second
	if b.Began = r.Since; r.Batch.again() {
		b.Began = r.Batch.Began
	}
	if !b.At.After(r.Batch.At) { // each raise has an annotation of its own
		return Decision{Wake: v.Now.Add(time.Second)}
	}
	return Decision{Change: &Change{State: Raising, Message: why, Batch: b}}
}

// readyBy is until when the replacements of the batch are to be Ready, zero for no limit.
func (r *Record) readyBy(v View) time.Time {
	began := r.Since
	if r.Batch.again() {
		began = r.Batch.Began
	}
	if v.Timeout == 0 {
		return time.Time{}
	}
	return later(began, v.From).Add(v.Timeout)
}

// late takes a batch back whose replacements were not Ready in time.
func late(v View, w *kube.Workload, b *Batch) Decision {
	return Decision{Change: &Change{State: Lowering, Late: true,
		Message: fmt.Sprintf("its replacements were not Ready within %s: %s",
			format.Duration(v.Timeout), cause(v, w, b))}}
}

// held waits for what may pass, as long as for a replacement: from when the hold began.
func (r *Record) held(v View, why *Reason) Decision {
	switch {
	case !why.Passes():
		return become(Refused, why.Text)
	case r.HeldSince.IsZero() || r.Message != why.Text:
		return Decision{Change: &Change{State: r.State, Message: why.Text, Held: true}}
	case v.Timeout == 0:
		return Decision{}
	}
	ends := later(r.HeldSince, v.From).Add(v.Timeout)
	if !v.Now.Before(ends) {
		return become(Refused, why.Text)
	}
	return Decision{Wake: ends}
}

func (r *Record) raising(v View, w *kube.Workload) Decision {
	known := r.Last == nil || r.Last.Class() == kube.AnswerConflict // it is not done
	shown := later(later(r.Since, v.From).Add(shownWithin), r.Next)
	ours := raisedBy(w, v.Run) || r.unmarked(w)
	stale := !ours && !r.Batch.names(v.Snap, w)
	switch {
	case ours && (w.SurgeMark == r.Batch.Mark || v.End || w.Replicas != r.Batch.Was):
		return become(Starting, "") // of what was raised before, another number is seen there
	case r.InFlight != 0:
		return Decision{}
	case v.End && known:
		return become(Undone, "the run ended before")
	case v.End && !v.Now.Before(shown):
		return become(Orphaned, "whether its replicas were raised is not known: "+
			cmp.Or(r.Last.Words(), "it was accepted, and does not show")+"; to set them back: "+v.ByHand)
	case RaisedByOther(w, v.Run) != "", w.Replicas != r.Batch.Was, stale && (known || !v.Now.Before(shown)):
		return become(Planned, "") // it is decided again from what it is now
	case v.End, stale:
		return Decision{Wake: shown}
	case known && !r.Batch.again() && len(r.wanted(v)) == 0:
		return become(Planned, "") // nobody is to leave any more
	}
	if !r.Outdated(w.ResourceVersion) && r.Waits(v.Now) {
		return Decision{Wake: r.Next}
	}
	return Decision{Sends: []Send{{Verb: attempt.VerbSurge, Version: w.ResourceVersion, Request: request.Raise{
		Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		ResourceVersion: w.ResourceVersion, To: r.Batch.To, Mark: r.Batch.Mark,
	}}}}
}

// starting waits until there is a replacement for each pod that is to leave.
func (r *Record) starting(v View, w *kube.Workload) Decision {
	if why := r.foreign(v, w); why != "" {
		return r.anew(v, w, why)
	}
	if v.End {
		return become(Lowering, "the run ended before its pods left")
	}
	wanted := r.wanted(v)
	if len(wanted) == 0 {
		return become(Lowering, "")
	}
	if why := r.Costs.refused(wanted, v.End); why != "" {
		return Decision{Change: &Change{State: Lowering, Message: why, Late: true}}
	}
	others, wake := available(v, w, &r.Batch)
	d := r.costs(v, wanted)
	starts := otherStarts(v, w, &r.Batch)
	d.Wake = first(first(d.Wake, wake), starts)
	ends := r.readyBy(v)
	over := !ends.IsZero() && !v.Now.Before(ends)
	switch ready := others-recovered(v, w, &r.Batch) >= r.Batch.Others+len(wanted); {
	case ready && len(d.Sends) == 0 && r.settled(v, wanted) && (over || sawReady(v.Snap, w) && starts.IsZero()):
		return become(Lowering, "")
	case !ready && over:
		return late(v, w, &r.Batch)
	case !over:
		d.Wake = first(d.Wake, ends)
	}
	return d
}

// lowering sets the replicas back once the pods that are to be removed have the lowest
// cost. What our annotation says shows that it was done.
func (r *Record) lowering(v View, w *kube.Workload) Decision {
	if r.InFlight != 0 {
		return Decision{}
	}
	if !raisedBy(w, v.Run) && !r.unmarked(w) {
		return become(Verifying, "")
	}
	if r.Last.Class() == kube.AnswerDone && r.Waits(v.Now) { // the controller may be removing pods by their costs now
		return Decision{Wake: r.Next}
	}
	lower := r.lower(w)
	if lower.Scales() && (r.unmarked(w) || !r.noneMade(v.Snap, w, v.Now)) {
		leaving := leavingOf(v.Snap, w, &r.Batch, r.wanted(v), v.Moves)
		if r.Late || r.unmarked(w) { // replacements are removed, as no pod of the batch has an available one
			leaving = leavingOf(v.Snap, w, &r.Batch, nil, nil)
		}
		if d := r.costs(v, leaving); len(d.Sends) > 0 || !r.settled(v, leaving) {
			return d
		}
	}
	switch {
	case v.End && r.Tries >= attempt.RemoveTries:
		return leave(r.Last.Words(), v.ByHand)
	case r.Waits(v.Now):
		return Decision{Wake: r.Next}
	}
	return Decision{Sends: []Send{{Verb: attempt.VerbEndSurge, Request: lower}}}
}

// verifying sees who leaves. The others get their cost back: they are evicted as usual. The workload is nil where it
// was deleted: what outlives it is undone.
func (r *Record) verifying(v View, w *kube.Workload) Decision {
	active, wants := []*kube.Pod(nil), 0
	if w != nil {
		active, wants = activeOf(v.Snap, w), int(w.Replicas)
	}
	stay := slices.ContainsFunc(active, func(p *kube.Pod) bool { return r.Batch.Has(p.UID) })
	begun := later(r.Since, v.From)
	ends := begun.Add(verifyWithin)
	if !v.End && !r.Late { // without the costs a controller that is late would remove the newest pods, the replacements
		if ends = begun.Add(max(verifyWithin, v.Timeout)); v.Timeout == 0 {
			ends = time.Time{} // no limit
		}
	}
	if stay && len(active) > wants && (ends.IsZero() || v.Now.Before(ends)) {
		return Decision{Wake: ends}
	}
	if d := r.costs(v, nil); len(d.Sends) > 0 || !r.settled(v, nil) {
		return d
	}
	if d, open := r.unmark(v, w, begun.Add(verifyWithin)); open {
		return d
	}
	if w == nil {
		return become(Kept, "it is gone")
	}
	why := strings.Trim(r.Why+"; "+r.notUnmarked(), "; ")
	// Another run sets back what it has raised, and the next batch waits for that.
	switch other := RaisedByOther(w, v.Run); {
	case w.Replicas == r.Batch.To && (v.End || other == "" && len(v.Moves) == 0):
		return become(Kept, cmp.Or(other, fmt.Sprintf("somebody else keeps it at %d replicas", w.Replicas)))
	case r.Late || v.End && r.Why != "":
		return Decision{Change: &Change{State: Undone, Message: why, Late: r.Late}}
	}
	again := r.wanted(v)
	then := "they surge again"
	if !slices.ContainsFunc(again, func(p *kube.Pod) bool { return !slices.Contains(r.Batch.Second, p.UID) }) {
		then = "they are evicted as usual"
	}
	if r.Why == "" && len(again) > 0 {
		return become(Done, fmt.Sprintf("%d of %d pods were not removed: %s", len(again), len(r.Batch.Pods), then))
	}
	return become(Done, why)
}

// After is the change that follows from the answer to a request about the workload, nil
// for none; class is the answer's class in this run.
func (r *Record) After(verb attempt.Verb, a kube.Answer, class kube.AnswerClass, byHand string) *Change {
	words := attempt.AnswerWords(a)
	switch {
	case class == kube.AnswerDone, class == kube.AnswerTransient, verb == attempt.VerbDeletionCost:
	case r.State == Verifying: // it was about the last annotation
	case class == kube.AnswerGone && verb == attempt.VerbSurge: // else once the watch shows it
		return become(Kept, "it is gone").Change
	case verb == attempt.VerbSurge && class == kube.AnswerConflict:
	case verb == attempt.VerbSurge && r.Batch.again(): // what was raised before stands
		return become(Lowering, words).Change
	case verb == attempt.VerbSurge:
		return become(Refused, words).Change
	case r.Tries >= attempt.RemoveTries:
		return leave(words, byHand).Change
	}
	return nil
}

// foreign says what somebody else has changed since the raise, "" for nothing.
func (r *Record) foreign(v View, w *kube.Workload) string {
	switch {
	case !raisedBy(w, v.Run):
		return cmp.Or(RaisedByOther(w, v.Run), annotationRemoved)
	case !r.lower(w).Scales():
		return fmt.Sprintf("somebody has set it to %d replicas since", w.Replicas)
	}
	return ""
}
