package surge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// State is where the surge of a workload is.
type State string

// The states of a surge. From Raising to Verifying a batch of its pods is on its way.
const (
	Planned   State = "Planned"
	Raising   State = "Raising"   // its replicas are being raised
	Starting  State = "Starting"  // the replacements start, the deletion costs are set
	Lowering  State = "Lowering"  // the replicas are being set back
	Verifying State = "Verifying" // who leaves is seen by UID
	Done      State = "Done"      // the batch is over; another may follow
	Undone    State = "Undone"    // for the reason of the message
	Refused   State = "Refused"   // nothing was changed
	Kept      State = "Kept"      // no longer ours: left as it is
	Orphaned  State = "Orphaned"  // could not be undone: it is still there
)

// ended reports whether no further batch begins.
func (s State) ended() bool { return s == Undone || s == Refused || s == Kept || s == Orphaned }

// Facts are a workload of a plan whose pods surge.
type Facts struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	UID       kube.UID `json:"uid"`
	// AtOnce is how many replicas it may have more at a time.
	AtOnce int32 `json:"atOnce"`
	// Pods is how many of its pods the plan moves.
	Pods int `json:"pods"`
}

// Title names the workload.
func (f *Facts) Title() string { return f.Kind + " " + f.Namespace + "/" + f.Name }

// Mover is a pod of a batch.
type Mover struct {
	Name string   `json:"name"`
	UID  kube.UID `json:"uid"`
}

// Batch is what is raised at a time, and for which pods.
type Batch struct {
	Was  int32   `json:"was"` // replicas before
	To   int32   `json:"to"`
	Mark string  `json:"mark"` // the text of the annotation
	Pods []Mover `json:"pods"`
	// Others is how many pods of the workload were available beside those, of the pods that it wants.
	Others int `json:"others"`
	// Second are those of the pods that were in the batch before: its controller removed other pods.
	Second []kube.UID `json:"second,omitempty"`
	// Unavailable are the other pods that were not available then.
	Unavailable []kube.UID `json:"unavailable,omitempty"`
	At          time.Time  `json:"at"` // by the server's clock
	// Began is when the replacements of these pods first started, zero unless somebody else has
	// set another number since: the batch was begun again from that.
	Began time.Time `json:"began,omitzero"`
}

// again reports whether the batch was raised before, from another number.
func (b *Batch) again() bool { return !b.Began.IsZero() }

// Has reports whether the pod is of the batch.
func (b *Batch) Has(uid kube.UID) bool {
	return slices.ContainsFunc(b.Pods, func(m Mover) bool { return m.UID == uid })
}

// CostFacts are a deletion cost that is asked for.
type CostFacts struct {
	Mover
	Was string `json:"was,omitempty"` // before the run, "" for none
	To  string `json:"to,omitempty"`  // "" removes it
}

// Costs are what a surge did to the deletion costs of pods.
type Costs []Cost

// Cost is what the run did to the deletion cost of a pod.
type Cost struct {
	attempt.Attempt
	CostFacts
}

// leftOver reports whether the server refused to restore the cost. If somebody else has changed the cost since, the
// test in our patch fails with 422, and nothing of ours remains; any other 422 is from admission.
func (c *Cost) leftOver() bool {
	switch c.Last.Class() {
	case kube.AnswerDone, kube.AnswerGone:
		return false
	case kube.AnswerInvalid:
		return c.To == c.Was && !attempt.PatchFails(kube.Answer{Code: c.Last.Code, Message: c.Last.Message})
	}
	return c.To == c.Was
}

// Record is the surge of a workload in a run. The fold of the run's events calls its
// transitions, Become to Resume; Decide decides by it.
type Record struct {
	Facts
	attempt.Attempt // of the workload itself
	State           State
	Since           time.Time
	Message         string
	Batch           Batch
	Costs           Costs // of the pods of the batch, and of replacements that are to go instead
	// Tried are the pods that were in a batch that is over, Spent those of them that are in no further one.
	Tried, Spent []kube.UID
	// HeldSince is when the hold began that a batch waits for now, zero for none.
	HeldSince time.Time
	// Why is the reason for which the batch is undone, "" while it is not. Late tells
	// that the replacements were not Ready in time.
	Why  string
	Late bool
	// MarkLeft tells that the last annotation could not be removed, or the replicas not be returned to their owners.
	MarkLeft bool
}

// begins reports whether a batch may begin.
func (r *Record) begins() bool { return r.State == Planned || r.State == Done }

// raised reports whether the replicas are raised by us, or may be.
func (r *Record) raised() bool {
	switch r.State {
	case Raising:
		return r.InFlight != 0 || r.Last != nil || r.Batch.again()
	case Starting, Lowering, Verifying:
		return true
	}
	return false
}

// Waiting reports whether an answer is out.
func (r *Record) Waiting() bool { return r.InFlight != 0 || Records{r}.InFlightCosts() > 0 }

// stands reports whether something of the surge has to be undone before a run ends.
func (r *Record) stands() bool { return r.State == Raising || r.raised() || r.Waiting() }

// MayStand reports whether the surge may have left something in the cluster.
func (r *Record) MayStand() bool {
	return r.stands() || r.State == Orphaned || len(r.Costs) > 0 || r.MarkLeft
}

// Change is a state that a surge comes to.
type Change struct {
	State   State  `json:"state"`
	Message string `json:"message,omitempty"`
	Late    bool   `json:"late,omitempty"`  // the replacements were not Ready in time
	Batch   *Batch `json:"batch,omitempty"` // that begins
	// Costs are the deletion costs that the run has set already, of pods of the batch and of replacements.
	Costs []CostFacts `json:"costs,omitempty"`
	Held  bool        `json:"held,omitempty"` // a batch waits for what the message says
	// Asked tells that the operator asked for it now, also for pods whose turn is over.
	Asked bool `json:"asked,omitempty"`
}

// Become is the transition to the state that an event tells of.
func (r *Record) Become(c Change, at time.Time) {
	if c.Asked {
		if r.Tried, r.Spent = nil, nil; !r.State.ended() {
			return // it is under way, or begins with the next batch
		}
	}
	if c.State != Verifying {
		undone := c.State == Undone && r.State != Verifying // by a rollback
		r.MarkLeft = r.MarkLeft && c.Batch == nil && !undone || r.State == Verifying && r.notUnmarked() != ""
	}
	if r.State != c.State {
		r.Since, r.Tries, r.Next, r.Last = at, 0, time.Time{}, nil
	}
	switch {
	case !c.Held:
		r.HeldSince = time.Time{}
	case r.HeldSince.IsZero():
		r.HeldSince = at
	}
	switch {
	case c.Batch != nil:
		r.Batch, r.Why, r.Late = *c.Batch, "", false
		for _, cost := range c.Costs {
			if r.Costs.of(cost.UID) == nil {
				r.Costs = append(slices.Clip(r.Costs), Cost{CostFacts: cost})
			}
		}
	case c.State == Lowering && r.State != Lowering:
		r.Why, r.Late = c.Message, c.Late
	case c.State == Done || c.State.ended():
		r.end(c.State)
	}
	r.State, r.Message = c.State, c.Message
}

// end notes that the batch is over. Pods that the controller has not removed although nobody interfered are in one more
// batch: it has removed others, that were not Ready. So are those of a batch whose annotation was removed.
func (r *Record) end(state State) {
	note := func(list []kube.UID, uid kube.UID) []kube.UID {
		if slices.Contains(list, uid) {
			return list
		}
		return append(slices.Clip(list), uid)
	}
	for _, m := range r.Batch.Pods {
		r.Tried = note(r.Tried, m.UID)
		if state != Done || r.Why != "" && r.Why != annotationRemoved || slices.Contains(r.Batch.Second, m.UID) {
			r.Spent = note(r.Spent, m.UID)
		}
	}
	if state == Done || state == Undone {
		r.Costs = slices.DeleteFunc(slices.Clone(r.Costs), func(c Cost) bool { return !c.leftOver() })
	}
}

// Asked notes a request: for the workload, or for the deletion cost of a pod.
func (r *Record) Asked(cost *CostFacts, f *attempt.ActionFacts) {
	if cost == nil {
		r.Sent(f)
		return
	}
	r.Costs = slices.Clone(r.Costs) // records are shared
	if r.Costs.of(cost.UID) == nil {
		r.Costs = append(r.Costs, Cost{CostFacts: *cost})
	}
	c := r.Costs.of(cost.UID)
	if c.To != cost.To {
		c.Tries = 0
	}
	c.To = cost.To
	c.Sent(f)
}

// Heard notes what came back, for the workload (pod "") or for the cost of a pod: what was
// accepted is to be shown by the cluster within a while, anything else is asked for again
// after a pause.
func (r *Record) Heard(pod kube.UID, verb attempt.Verb, f *attempt.AnswerFacts, at time.Time) {
	switch {
	case pod == "" && verb == attempt.VerbSurge && r.State != Raising:
		r.Answered(f) // the cluster has shown it before: nothing of it is waited for
		return
	case pod == "":
		heard(&r.Attempt, f, at)
		return
	}
	r.Costs = slices.Clone(r.Costs) // records are shared
	if c := r.Costs.of(pod); c != nil {
		heard(&c.Attempt, f, at)
	}
}

func heard(a *attempt.Attempt, f *attempt.AnswerFacts, at time.Time) {
	if a.Answered(f); f.Class() == kube.AnswerDone {
		a.Next = at.Add(shownWithin)
		return
	}
	a.Failed(at.Add(a.Pause(f.RetryAfter())))
}

// of is the cost of a pod, nil where the run did nothing to it.
func (cs Costs) of(uid kube.UID) *Cost {
	for i := range cs {
		if cs[i].UID == uid {
			return &cs[i]
		}
	}
	return nil
}

// Resume is the record in another process: the cluster shows what became of requests
// without an answer.
func (r *Record) Resume() {
	if r.State == Raising && r.InFlight != 0 {
		r.Last = &attempt.AnswerFacts{Failure: "the process ended before the answer came"}
	}
	r.Attempt.Resume()
	if r.State == Undone && r.Why == "" { // not for a reason of the run, but by a rollback that did not end
		r.State, r.Message, r.Tried, r.Spent = Planned, "", nil, nil
	}
	r.Costs = slices.Clone(r.Costs)
	for i := range r.Costs {
		r.Costs[i].Resume()
	}
}

// leaves reports whether its pods stay where they are: their replacements were not Ready in
// time, or may not start, or the replicas cannot be set back, and that is what was asked for then.
func (r *Record) leaves(then Fallback) bool {
	return then == FallbackLeave && (r.State == Refused || r.State == Orphaned || r.State == Undone && r.Late)
}

// ByHand returns the commands that undo what is left of the surge: first the deletion costs,
// which decide who goes, then the replicas.
func (r *Record) ByHand() (commands []string) {
	var costs []string
	pods := map[string]string{} // by the cost that they had
	namespace := " -n " + format.ShellWord(r.Namespace) + " "
	for i := range r.Costs {
		if c := &r.Costs[i]; c.To != c.Was || c.Last.Class() != kube.AnswerDone {
			if pods[c.Was] == "" {
				costs = append(costs, c.Was)
			}
			pods[c.Was] += format.ShellWord(c.Name) + " "
		}
	}
	for _, cost := range costs {
		annotation := kube.DeletionCostAnnotation + "-"
		if cost != "" {
			annotation = format.ShellWord(kube.DeletionCostAnnotation+"="+cost) + " --overwrite"
		}
		commands = append(commands, "kubectl annotate pods"+namespace+pods[cost]+annotation)
	}
	if r.State != Done && r.State != Undone {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:null}},"spec":{"replicas":%d}}`,
			kube.SurgeAnnotation, r.Batch.Was)
		commands = append(commands, "kubectl patch"+namespace+
			format.ShellWord(strings.ToLower(r.Kind)+"/"+r.Name)+" --type=merge -p "+format.ShellWord(patch))
	}
	return commands
}

// LeftOver says what of the surge is left in the cluster while no process works on its run, "" for nothing.
func (r *Record) LeftOver() string {
	switch {
	case r.State == Orphaned || r.raised(): // by a run that is suspended, or whose process is gone
		return fmt.Sprintf("%s may still have %d replicas: set it back to %d", r.Title(), r.Batch.To, r.Batch.Was)
	case (r.State == Done || r.State == Undone) && len(r.Costs) > 0:
		return "pods of " + r.Title() + " may still have the deletion cost of this run: restore what it was"
	case r.MarkLeft:
		return r.Title() + " may still have something of this run: its annotation " + kube.SurgeAnnotation +
			", or its field manager as the owner of the replicas"
	}
	return ""
}
