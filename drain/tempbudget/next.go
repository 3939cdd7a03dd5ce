package tempbudget

import (
	"time"

	policyv1 "k8s.io/api/policy/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// removeTries is how often the removal of a budget is tried before the run ends without it
// and says that the budget is still there.
const removeTries = attempt.RemoveTries

// View is what a decision about one temporary budget is made from.
type View struct {
	Run      string
	Most     string         // maxUnavailable of the budgets of the run
	Live     *kube.Budget   // of its name, nil if none shows
	Trusted  bool           // budgets are complete and live
	Workload *kube.Workload // that it protects, nil if it is gone
	Others   func() bool    // another budget selects a pod of it too
	Making   bool           // the run still makes its budgets
	Paused   bool
	Down     bool   // the API server does not answer: nothing is sent, not even a look
	Remove   string // the command that removes it by hand
	Now      time.Time
	Offset   time.Duration // of the server's clock to ours
}

// Change is a state that a budget comes to.
type Change struct {
	UID     kube.UID
	State   State
	Message string
	Retry   time.Time // when what was asked for it is asked again, zero where it is not
}

// Send is a request for a budget.
type Send struct {
	Verb    attempt.Verb
	Request request.Request
}

// Decision is what is to be done about a temporary budget now.
type Decision struct {
	Change *Change
	Send   *Send
	Wake   time.Time // when to decide again if nothing changes before, zero for never
}

func (r *Record) become(state State, message string) Decision {
	return Decision{Change: &Change{UID: r.UID, State: state, Message: message}}
}

// wait reports whether nothing is to be sent now, and until when.
func (r *Record) wait(v View) (Decision, bool) {
	return Decision{Wake: r.Next}, v.Down || r.Waits(v.Now)
}

// Make decides while the run makes its budgets, until each is in force. After a change it is
// to be asked again.
func (r *Record) Make(v View) Decision {
	switch r.State {
	case InDoubt:
		return r.look(v)
	case Planned:
		return r.create(v)
	case Created, Observed:
		if v.Trusted && !v.Paused && v.Others() {
			return r.remove(v)
		}
		if r.State == Observed {
			break
		}
		if v.Live != nil && v.Live.UID == r.UID && v.judged() {
			return r.become(Observed, "")
		}
	}
	return Decision{}
}

// judged reports whether the disruption controller is done with the live budget: it counts its
// pods, has none to count, or says that it cannot (disruption.go, failSafe, which leaves the
// observed generation alone and does not try again by itself). Under a budget that cannot be
// computed no eviction is allowed, so it protects, and the pods wait with its reason.
func (v *View) judged() bool {
	scaledToZero := v.Workload == nil || v.Workload.Replicas == 0
	return v.Live.ConditionReason == policyv1.SyncFailedReason ||
		v.Live.Observed() && (v.Live.ExpectedPods > 0 || scaledToZero)
}

func (r *Record) create(v View) Decision {
	d, waits := r.wait(v)
	switch w := v.Workload; {
	case waits || v.Paused:
	case w == nil:
		return r.become(Removed, "its workload is gone")
	default:
		d.Send = &Send{attempt.VerbCreateBudget, request.CreateBudget{
			Namespace: r.Namespace, Name: r.Name, Selector: r.Selector, MaxUnavailable: v.Most,
			Owner: kube.Owner{APIVersion: budget.VersionOf(w), Kind: w.Kind, Name: w.Name, UID: w.UID},
			Run:   v.Run, At: v.Now.Add(v.Offset),
		}}
	}
	return d
}

// look finds out whether a budget exists whose request had no clear answer: the watch shows
// it with the label of the run, else the server is asked.
func (r *Record) look(v View) Decision {
	if r.InFlight != 0 {
		return Decision{}
	}
	if r.UID == "" && v.Live != nil && v.Live.TemporaryOf() == v.Run {
		return Decision{Change: &Change{UID: v.Live.UID, State: Created}}
	}
	d, waits := r.wait(v)
	if !waits {
		d.Send = &Send{attempt.VerbGet, request.GetBudget{Namespace: r.Namespace, Name: r.Name, Run: v.Run}}
	}
	return d
}

// Watch decides while pods are evicted: a temporary budget is removed as soon as somebody
// else's selects one of its pods, for under both none of them could be evicted.
func (r *Record) Watch(v View) Decision {
	switch {
	case r.State == InDoubt:
		return r.look(v)
	case !r.Standing() || !v.Trusted:
	case v.Live == nil || v.Live.UID != r.UID:
		return r.become(Removed, "somebody else removed it")
	case v.Others():
		return r.remove(v)
	}
	return Decision{}
}

// TakeBack decides at the end of the run: a budget is removed by its UID; whether one exists
// that is in doubt is found out first. After a change it is to be asked again.
func (r *Record) TakeBack(v View) Decision {
	switch {
	case r.State == Planned && r.InFlight == 0:
		return r.become(Removed, "") // it was never made
	case r.State == InDoubt:
		return r.look(v)
	case r.Standing():
		return r.remove(v)
	}
	return Decision{}
}

func (r *Record) remove(v View) Decision {
	d, waits := r.wait(v)
	if !waits {
		d.Send = &Send{attempt.VerbDeleteBudget, request.BudgetRef{Namespace: r.Namespace, Name: r.Name, UID: r.UID}}
	}
	return d
}

// After is the change that follows from the answer to a request for the budget, nil for
// none; class is the answer's class in this run.
func (r *Record) After(req request.Request, a kube.Answer, class kube.AnswerClass, v View) *Change {
	switch req.(type) {
	case request.CreateBudget:
		return r.afterCreate(a, class, v)
	case request.GetBudget:
		return r.afterLook(a, class, v)
	}
	return r.afterRemove(a, class, v)
}

// afterCreate: what broke off may have been done, and a name that is in use may be in use by
// an earlier try of our own.
func (r *Record) afterCreate(a kube.Answer, class kube.AnswerClass, v View) *Change {
	switch {
	case class == kube.AnswerDone:
		return &Change{UID: a.UID, State: Created}
	case class == kube.AnswerConflict:
		return r.become(InDoubt, attempt.AnswerWords(a)).Change
	case class == kube.AnswerTransient && attempt.MayBeDone(a):
		return r.again(InDoubt, a, v)
	case class == kube.AnswerTransient:
		return r.again(Planned, a, v)
	}
	return r.become(Failed, attempt.AnswerWords(a)).Change
}

func (r *Record) afterLook(a kube.Answer, class kube.AnswerClass, v View) *Change {
	unreadable := class == kube.AnswerForbidden && v.Trusted
	switch {
	case class == kube.AnswerDone && a.UID != "" && (r.UID == "" || r.UID == a.UID):
		return &Change{UID: a.UID, State: Created}
	case class == kube.AnswerDone && r.UID == "" && v.Making:
		return r.become(Failed, "another budget has its name").Change
	case class == kube.AnswerDone:
		return r.become(Removed, "another budget has its name").Change
	case class == kube.AnswerGone || unreadable && v.Live == nil:
		if r.UID == "" && v.Making {
			return r.become(Planned, "").Change
		}
		return r.become(Removed, "").Change
	case v.Making || r.Tries < removeTries:
		return r.again(InDoubt, a, v)
	}
	return r.become(Orphaned,
		"whether it exists is not known: "+attempt.AnswerWords(a)+"; to remove it: "+v.Remove).Change
}

func (r *Record) afterRemove(a kube.Answer, class kube.AnswerClass, v View) *Change {
	switch {
	case class == kube.AnswerDone, class == kube.AnswerGone:
		return r.become(Removed, "").Change
	// another budget has the name, or the server is not sure
	case class == kube.AnswerConflict && r.Tries < removeTries:
		return r.again(InDoubt, a, v)
	case class == kube.AnswerTransient && r.Tries < removeTries:
		return r.again(r.State, a, v)
	}
	return r.become(Orphaned, "not removed: "+attempt.AnswerWords(a)+"; to do it: "+v.Remove).Change
}

// again tries what was asked for the budget once more after a pause.
func (r *Record) again(state State, a kube.Answer, v View) *Change {
	return &Change{UID: r.UID, State: state, Message: attempt.AnswerWords(a), Retry: v.Now.Add(r.Pause(a.RetryAfter))}
}
