package eviction

import (
	"cmp"
	"fmt"
	"hash/fnv"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// budgetAtOnce is how many evictions under one budget may be in flight. The
// server takes them one by one: one that meets another, or the controller, at the
// budget's status is tried again after half a second (eviction.go
// EvictionsRetry). A few at a time hide that wait, many only meet more often.
const budgetAtOnce = 2

// Decision is what is done about a pod now: a change of what it waits for, a request, neither,
// or, where the request deletes it past its budget, first one and then the other.
type Decision struct {
	Change Change
	Send   request.Request      // nil for none
	Action *attempt.ActionFacts // of Send
}

// Release decides about a pod of a node that is being drained: its request if nothing is in
// its way, else what is. Slot tells whether a request may be sent.
func (v *View) Release(r *Record, slot bool) Decision {
	live := v.Snap.Pod(r.UID)
	if live == nil || live.Terminating() || r.State == Terminating ||
		!r.RetryNow && v.waits(&r.Attempt) && !r.changedSinceWebhook(live) {
		return Decision{}
	}
	if r.Look {
		if !slot {
			return Decision{}
		}
		return Decision{Send: request.GetPod{Namespace: r.Namespace, Name: r.Name, UID: r.UID},
			Action: &attempt.ActionFacts{Verb: attempt.VerbGet}}
	}
	if orphaned(r, live, v.Snap, v.Options) {
		return Decision{Change: Change{State: Planned, Wait: &waits.Wait{For: waits.ForController}}}
	}
	if v.later(r) {
		return v.WaitFor(r, waits.ForOrder)
	}
	b, wait := v.token(r, live)
	if wait != nil && !v.forced(r, live, wait) {
		return v.hold(r, wait)
	}
	if turn := v.volumeTurn(r, live); turn != nil {
		return Decision{Change: Change{State: Planned, Wait: turn}}
	}
	if !slot {
		return v.WaitFor(r, waits.ForSlot)
	}
	var d Decision
	if wait != nil {
		d.Change = r.giveUpEvicting(v.Now)
	}
	d.Send, d.Action = v.request(r, live, b, r.Action == plan.ActionDelete || wait != nil)
	if b != nil {
		v.accounts.Charge(b.UID, r.UID)
	}
	v.takeVolumeTurn(r)
	return d
}

// orphaned reports whether the pod has lost the controller that the plan showed, or is about to: its labels were
// changed, or the controller was deleted without its pods. The operator confirmed to move a pod that is recreated.
// Another controller may adopt it.
func orphaned(r *Record, live *kube.Pod, s *kube.Snapshot, o *plan.Options) bool {
	if r.Controller == nil || live.Finished() || o.Force {
		return false
	}
	if live.Owner == nil {
		return true
	}
	// A controller releases pods that its selector no longer matches (controller_ref_manager.go ClaimPods).
	w := s.Workload(live.Owner.UID)
	return w != nil && w.Selector != nil && !w.Selector.Matches(live.Labels)
}

// WaitFor is the decision to let others go before a pod that could go. What a pod waited for
// before is more telling.
func (v *View) WaitFor(r *Record, what waits.For) Decision {
	if r.State != Planned {
		return Decision{}
	}
	return Decision{Change: Change{State: Planned, Wait: &waits.Wait{For: what}}}
}

// token says which budget the eviction draws on (nil: none), or what the pod
// must wait for. The rules are those of Predict; what the server has refused under
// the same budgets as now it would refuse again, whatever they say.
func (v *View) token(r *Record, live *kube.Pod) (*kube.Budget, *waits.Wait) {
	if r.waitsForCompletion() && !live.Finished() {
		return nil, &waits.Wait{For: waits.ForCompletion}
	}
	if r.Action == plan.ActionDelete {
		return nil, nil
	}
	way, budgets := v.accounts.WayOf(v.Snap, live)
	refused := r.refusal.UnderBudget() && r.sentUnder == budget.Under(way, budgets)
	switch way {
	case budget.WaySpends:
		return v.spend(r, live, budgets[0], refused)
	case budget.WaySeveral:
		if v.pollDue(r, live, nil) {
			return nil, nil
		}
		return nil, v.budgetHold(r, live, budgets[0])
	}
	if refused && !v.againDue(r) { // only the server knows of the budget
		return nil, r.refusedWait()
	}
	if way == budget.WayNone || way == budget.WayUnseen {
		return v.guardToken(live)
	}
	return nil, nil
}

// shown is the phase, Ready and a hash of the labels of a pod. A controller that moves its pods itself changes these.
func shown(p *kube.Pod) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Labels.String()))
	return fmt.Sprintf("%s/%t/%x", p.Phase, p.Ready, h.Sum32())
}

// changedSinceWebhook reports whether the pod has changed since an admission webhook refused its eviction. The webhook
// may then allow it: its controller has moved the pod.
func (r *Record) changedSinceWebhook(live *kube.Pod) bool {
	return r.InFlight == 0 && r.refusal == attempt.RefusedByWebhook && r.sentAs != "" && r.sentAs != shown(live)
}

// spend is token for a pod whose eviction costs one disruption of the budget.
func (v *View) spend(r *Record, live *kube.Pod, b *kube.Budget, refused bool) (*kube.Budget, *waits.Wait) {
	if a := v.Account(b); !refused && a.FreeFor(r.UID) > 0 && budget.PredictSpending(b).Goes() {
		if a.InFlight >= cmp.Or(v.Limits.PerBudget, budgetAtOnce) {
			return nil, &waits.Wait{For: waits.ForSlot}
		}
		return b, nil
	}
	if v.pollDue(r, live, b) || r.Attempts == 0 && b.DisruptionsAllowed < 1 && budget.MayAct(v.Snap, live, b) {
		return b, nil
	}
	wait := v.budgetHold(r, live, b)
	if refused && wait.For != waits.After(r.refusal) {
		return nil, r.refusedWait()
	}
	return nil, wait
}

// refusedWait is what a pod waits for that the server refused under budgets of
// which the snapshot shows nothing, or something else.
func (r *Record) refusedWait() *waits.Wait {
	if w := waits.After(r.refusal); r.Wait == nil || r.Wait.For != w {
		return &waits.Wait{For: w}
	}
	return r.Wait
}

// guardToken is token for a pod without a budget.
func (v *View) guardToken(live *kube.Pod) (*kube.Budget, *waits.Wait) {
	if v.Options.Guard != "" && live.Owner != nil && live.Healthy() && !budget.GuardSees(v.Snap) {
		return nil, &waits.Wait{For: waits.ForOwners, Words: string(budget.GuardBlind(v.Snap))}
	}
	guard := v.guards.Of(v.Options.Guard, v.Snap, live)
	if guard == nil {
		return nil, nil
	}
	remaining, wake := v.Assumed.RemainingUnderGuard(guard, live.UID, v.Now)
	if v.wakeAt(wake); remaining > 0 {
		return &kube.Budget{UID: guard.Key}, nil
	}
	return nil, &waits.Wait{For: waits.ForTemporaryBudget, Budget: &guard.Numbers}
}

// hold notes that the pod waits for its budget.
func (v *View) hold(r *Record, wait *waits.Wait) Decision {
	state := BudgetBlocked
	switch wait.For {
	case waits.ForOwners:
		if state = Planned; wait.Words == "" { // they are here again in a moment
			return Decision{}
		}
	case waits.ForSlot: // it goes in a moment
		return v.WaitFor(r, waits.ForSlot)
	case waits.ForCompletion, waits.ForTemporaryBudget:
		state = Planned
	case waits.ForObserved:
		state = BudgetSyncing
	case waits.ForOneBudget:
		state = MultipleBudgets
	}
	if r.Wait != nil && r.State == state && state.Blocked() {
		held := *wait
		held.Words, held.Until = r.Wait.Words, r.Wait.Until
		wait = &held
	}
	return Decision{Change: Change{State: state, Wait: wait}}
}

// Await asks for a look when the patience with what holds the pod is over, and when it is to
// be tried again without a reason.
func (v *View) Await(r *Record) {
	if after := v.Options.ForceAfter; after > 0 && !r.heldSince.IsZero() {
		v.wakeAt(v.Now.Add(after - r.heldFor(v.Now)))
	}
	v.wakeAt(r.BlockedSince.Add(BudgetPoll))
}

// request is the eviction, or the deletion, of exactly this pod.
func (v *View) request(r *Record, live *kube.Pod, b *kube.Budget,
	deletes bool) (request.Request, *attempt.ActionFacts) {
	var grace *int64
	if seconds := int64(v.Options.GracePeriodSeconds); seconds >= 0 {
		grace = &seconds
	}
	facts := &attempt.ActionFacts{Verb: attempt.VerbEvict, Under: budget.Under(v.accounts.WayOf(v.Snap, live)),
		Pod: shown(live)}
	if b != nil {
		facts.Budget, facts.Version = b.UID, b.ResourceVersion
	}
	if deletes {
		facts.Verb = attempt.VerbDelete
		return request.Delete{Namespace: r.Namespace, Name: r.Name, UID: r.UID, Grace: grace}, facts
	}
	return request.Evict{Namespace: r.Namespace, Name: r.Name, UID: r.UID, Grace: grace}, facts
}
