package eviction

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// countedEvery is the shortest time between two refusals that count for
	// --max-evict-retries: tries follow the events of a budget, and a few lost races for
	// its disruptions say nothing about whether it moves on.
	countedEvery = 5 * time.Second
	// provenFor is how long a refusal by the budget proves that it holds the pod, while
	// the snapshot shows the budget; provenUnseen where budgets cannot be read.
	provenFor    = BudgetPoll
	provenUnseen = time.Second
)

// heldByBudget reports whether the pod waits for a budget and for nothing else. Where
// the last answer was another's refusal, it is not known what the budget would say.
func (r *Record) heldByBudget() bool {
	return (r.State == BudgetBlocked || r.State == MultipleBudgets) &&
		(r.refusal == attempt.NotRefused || r.refusal.ByBudget())
}

// heldFor is how long its budget has held the pod while the run could have evicted
// it: not while the API server was unreachable, the run was paused or had no process, or
// the Lease of the node was not in hand.
func (r *Record) heldFor(now time.Time) time.Duration {
	if r.heldSince.IsZero() {
		return r.Held
	}
	return r.Held + max(0, now.Sub(r.heldSince))
}

// Tend lets the clock of --force-after run or stand; acts tells whether the run could evict
// the pod. It is the record itself where nothing changes, else a changed copy.
func (r *Record) Tend(acts bool, at time.Time) *Record {
	if r.heldSince.IsZero() != (acts && r.heldByBudget()) {
		return r
	}
	next := *r
	if r.heldSince.IsZero() {
		next.heldSince = at
	} else {
		next.Held, next.heldSince = r.heldFor(at), time.Time{}
	}
	return &next
}

// takeBackForce returns a pod whose deletion past its budget was refused, or may
// never have been sent, to evictions: that was decided for one request, and the
// budget may allow one by now.
func (r *Record) takeBackForce() {
	if r.forced {
		r.Action, r.forced = plan.ActionEvict, false
	}
}

// outOfPatience reports whether --force-after or --max-evict-retries have run out for
// the pod (gardener's MaxEvictRetries, but with the pod's own grace period where
// gardener deletes with zero).
func (v *View) outOfPatience(r *Record) bool {
	o := v.Options
	return o.ForceAfter > 0 && r.heldFor(v.Now) >= o.ForceAfter ||
		o.MaxEvictRetries > 0 && r.BudgetRefusals > o.MaxEvictRetries
}

// proven reports whether the server itself said a moment ago that a budget holds the
// pod, and nothing has come between since: no outage, no pause, no other process.
func (v *View) proven(r *Record) bool {
	lasts := provenFor
	if v.Snap.In(r.Namespace).Sync(kube.KindBudgets).Phase == kube.Denied {
		lasts = provenUnseen
	}
	return r.refusal.ByBudget() && r.refusedAt.After(v.Acted) && attempt.Elapsed(r.refusedAt, v.Now) < lasts
}

// forced reports whether the pod, which its budget holds as far as the snapshot
// knows, is deleted past it now.
func (v *View) forced(r *Record, live *kube.Pod, wait *waits.Wait) bool {
	return (wait.For == waits.ForBudget || wait.For == waits.ForOneBudget) &&
		v.outOfPatience(r) && v.proven(r) && v.hasVolumeTurn(r, live)
}

// proofDue reports whether the pod is to be evicted once more, since only the
// server's own refusal allows to delete it past its budget.
func (v *View) proofDue(r *Record) bool {
	if !v.outOfPatience(r) || v.proven(r) {
		return false
	}
	live := v.Snap.Pod(r.UID)
	return live != nil && v.hasVolumeTurn(r, live) && (r.repeats == 0 || v.past(r.refusedAt.Add(r.unseenPause(v.Now))))
}

// giveUpEvicting notes that the next request deletes the pod past its budget.
func (r *Record) giveUpEvicting(now time.Time) Change {
	return Change{State: r.State, Wait: r.Wait, Forced: true,
		Message: fmt.Sprintf("blocked by its budget for %s, which refused it %s: deleted past it, as the flags say",
			format.Duration(r.heldFor(now)), format.Count(r.BudgetRefusals, "time"))}
}
