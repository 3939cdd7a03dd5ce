package eviction

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// View is what is decided from about the pods of a run at one look. It keeps what it has
// worked out once and is asked for often, and is of one Snapshot and moment.
type View struct {
	Snap    *kube.Snapshot
	Now     time.Time
	Options *plan.Options
	Limits  Limits
	Pods    []*Record              // of the run
	Assumed budget.Assumed         // our evictions that their budgets may not show yet
	Tried   map[kube.UID]time.Time // by budget: when an eviction under it was last sent
	Acted   time.Time              // since when nothing has kept the run from evicting

	Wake time.Time // when to decide again if nothing changes before, zero for never

	tracker  *budget.Tracker
	accounts budget.Accounts
	holds    map[kube.UID]*waits.Wait // by budget: what its Ready pods wait for
	guards   budget.GuardTrackers
	queue    *volume.Queue    // of pods with volumes
	lowest   map[string]int32 // by node: the order of the pods whose turn it is
}

// Limits bound what a run sends and tells, for the sake of the server and the journal.
// The zero value has those of a run.
type Limits struct {
	PerBudget    int           // evictions in flight under one budget; zero is budgetAtOnce
	FiguresEvery time.Duration // between two tellings of changed figures; zero is saidEvery, below it never
}

// wakeAt asks for a look at that moment at the latest.
func (v *View) wakeAt(t time.Time) {
	if !t.IsZero() && t.After(v.Now) && (v.Wake.IsZero() || t.Before(v.Wake)) {
		v.Wake = t
	}
}

// past reports whether that moment has come; if not, it is a moment to look.
func (v *View) past(due time.Time) bool {
	v.wakeAt(due)
	return !v.Now.Before(due)
}

// waits reports whether nothing is to be sent now: an answer is out, or a pause is not over.
func (v *View) waits(a *attempt.Attempt) bool {
	v.wakeAt(a.Next)
	return a.Waits(v.Now)
}

// Account is what a budget still allows.
func (v *View) Account(b *kube.Budget) *budget.Account {
	a, wake := v.accounts.Of(b, v.Assumed, v.Snap, v.Now)
	v.wakeAt(wake)
	return a
}

// budgetHold is what a pod waits for while its budget has no token for it: the
// budget's own limit, or our other evictions under it that are not over yet.
// Healthy pods wait for the same.
func (v *View) budgetHold(r *Record, live *kube.Pod, b *kube.Budget) *waits.Wait {
	if hold := v.holds[b.UID]; live.Ready && hold != nil {
		return hold
	}
	wait := v.budgetWait(live)
	if wait == nil {
		numbers := budget.NumbersOf(b)
		wait = &waits.Wait{For: waits.ForBudget, Budget: &numbers,
			UnhealthyPod: budget.UnhealthyPodUnder(b, v.Snap, r.UID, v.Now)}
	}
	if live.Ready {
		if v.holds == nil {
			v.holds = map[kube.UID]*waits.Wait{}
		}
		v.holds[b.UID] = wait
	}
	return wait
}

// budgetWait is what the pod waits for, nil where no budget blocks it.
func (v *View) budgetWait(live *kube.Pod) *waits.Wait {
	if v.tracker == nil {
		v.tracker = budget.NewTracker(v.Snap, v.Now)
	}
	return waits.UnderBudgets(v.tracker, live)
}
