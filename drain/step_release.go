package drain

import (
	"cmp"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// releaseStep decides which evictions are sent now.
type releaseStep struct{ *stepper }

func (st *stepper) releasing() releaseStep { return releaseStep{st} }

// release sends what can be sent now, pod after pod in the order of candidates: a
// pod that is blocked takes no slot, so it never holds up one that is free.
func (st releaseStep) release() {
	if st.s.Paused || !st.canSee() {
		return
	}
	if st.s.QuietUntil.After(st.now) {
		st.wakeAt(st.s.QuietUntil)
		return
	}
	slots := max(1, st.s.Run.Options.MaxParallelEvictions)
	draining := map[string]bool{}
	for _, n := range st.s.Nodes {
		draining[n.Name] = n.State == NodeDraining && st.leases().mayTouch(n) && st.sees(n)
	}
	for _, p := range st.s.Pods {
		if p.InFlight != 0 {
			slots--
		}
	}
	order, kept := st.candidates(draining)
	held, tier := map[string]bool{}, tierOrdinary // nodes on which an earlier tier is not through
	for _, c := range order {
		for ; tier < c.tier; tier++ {
			st.holdLater(held, order, tier)
		}
		p := st.s.Pods[c.place]
		if p.State.Final() || p.InFlight != 0 {
			continue
		}
		room := slots > 0 && (c.chain > 0 || slots > kept)
		if held[p.Node] || st.waitsForAll(p) {
			st.waitForTier(p)
		} else if st.releasePod(p, room) {
			slots--
		}
	}
}

// budgetAtOnce is how many evictions under one budget may be in flight. The
// server takes them one by one: one that meets another, or the controller, at the
// budget's status is tried again after half a second (eviction.go
// EvictionsRetry). A few at a time hide that wait, many only meet more often.
const budgetAtOnce = 2

// canSee reports whether the snapshot says enough to evict by, besides the nodes:
// budgets live or known to be hidden from us (then the server alone judges).
func (st releaseStep) canSee() bool {
	if st.s.Run.Options.Guard != "" && !budget.GuardSees(st.snap) {
		return false // an owner that is not known yet would go unguarded, and its pods are everywhere
	}
	return st.snap.Trusted(kube.KindBudgets) || st.snap.Health().Live && st.snap.Sync(kube.KindBudgets).Phase == kube.Denied
}

// releasePod sends the eviction of one pod if nothing is in its way, else notes
// what is. It reports whether a slot was taken.
func (st releaseStep) releasePod(p *PodRun, slot bool) bool {
	live := st.snap.Pod(p.UID)
	if live == nil || live.Terminating() || p.State == PodTerminating {
		return false
	}
	if !p.retryNow && st.waits(p.Attempt) {
		return false
	}
	if p.Look {
		if slot {
			st.sendLook(p)
		}
		return slot
	}
	budget, wait := st.token(p, live)
	if wait != nil && !st.forced(p, live, wait) {
		st.hold(p, wait)
		return false
	}
	if turn := st.volumes().volumeTurn(p, live); turn != nil {
		st.setPod(p, PodPlanned, turn, "")
		return false
	}
	if !slot {
		if p.State == PodPlanned {
			st.setPod(p, PodPlanned, &waits.Wait{For: waits.ForTurn}, "")
		}
		return false
	}
	if wait != nil {
		p = st.giveUpEvicting(p)
	}
	st.sendPod(p, budget)
	st.charge(budget)
	st.volumes().takeVolumeTurn(st.s.Pod(p.UID))
	return true
}

// wayUnseen is the branch of the eviction handler where budgets cannot be read.
const wayUnseen budget.PredictedWay = "unseen"

// wayOf is the branch of the eviction handler that the eviction of the pod would
// take, and the budgets that select the pod, as far as the snapshot knows.
func (st releaseStep) wayOf(live *kube.Pod) (budget.PredictedWay, []*kube.Budget) {
	if st.snap.Sync(kube.KindBudgets).Phase == kube.Denied {
		return wayUnseen, nil
	}
	budgets := st.budgetsOf(live)
	return budget.Predict(live, budgets, live.UID).Way, budgets
}

// under is what the run knows of a pod's budgets: as long as it stays the same, a
// refusal by them stands.
func under(way budget.PredictedWay, budgets []*kube.Budget) string {
	versions := string(way)
	for _, b := range budgets {
		versions += "/" + b.ResourceVersion
	}
	return versions
}

// token says which budget the eviction draws on (nil: none), or what the pod
// must wait for. The rules are those of Predict; what the server has refused under
// the same budgets as now it would refuse again, whatever they say.
func (st releaseStep) token(p *PodRun, live *kube.Pod) (*kube.Budget, *waits.Wait) {
	if p.waitsForCompletion() && !live.Finished() {
		return nil, &waits.Wait{For: waits.ForCompletion}
	}
	if p.Action == plan.ActionDelete {
		return nil, nil
	}
	way, budgets := st.wayOf(live)
	refused := p.refusal.UnderBudget() && p.sentUnder == under(way, budgets)
	switch way {
	case budget.WaySpends:
		return st.spend(p, live, budgets[0], refused)
	case budget.WaySeveral:
		if st.pollDue(p, live, nil) {
			return nil, nil
		}
		return nil, st.budgetHold(p, live, budgets[0])
	}
	if refused && !st.againDue(p) { // only the server knows of the budget
		return nil, p.refusedWait()
	}
	if way == budget.WayNone || way == wayUnseen {
		return st.guardToken(live)
	}
	return nil, nil
}

// spend is token for a pod whose eviction costs one disruption of the budget.
func (st releaseStep) spend(p *PodRun, live *kube.Pod, b *kube.Budget, refused bool) (*kube.Budget, *waits.Wait) {
	if a := st.account(b); !refused && a.free > 0 && budget.PredictSpending(b).Goes() {
		if a.inFlight >= cmp.Or(st.s.limits.perBudget, budgetAtOnce) {
			return nil, &waits.Wait{For: waits.ForTurn}
		}
		return b, nil
	}
	if st.pollDue(p, live, b) {
		return b, nil
	}
	wait := st.budgetHold(p, live, b)
	if refused && wait.For != waitFor(p.refusal) {
		return nil, p.refusedWait()
	}
	return nil, wait
}

// refusedWait is what a pod waits for that the server refused under budgets of
// which the snapshot shows nothing, or something else.
func (p *PodRun) refusedWait() *waits.Wait {
	if w := waitFor(p.refusal); p.Wait == nil || p.Wait.For != w {
		return &waits.Wait{For: w}
	}
	return p.Wait
}

// guardToken is token for a pod without a budget.
func (st releaseStep) guardToken(live *kube.Pod) (*kube.Budget, *waits.Wait) {
	book := st.guarded(live)
	if book == nil {
		return nil, nil
	}
	remaining, wake := st.s.Assumed.RemainingUnderGuard(book, st.snap, st.now)
	if st.wakeAt(wake); remaining > 0 {
		return &kube.Budget{UID: book.Key}, nil
	}
	return nil, &waits.Wait{For: waits.ForGuard, Budget: &book.Numbers}
}

// hold notes that the pod waits for its budget.
func (st releaseStep) hold(p *PodRun, wait *waits.Wait) {
	if wait.For == waits.ForTurn && p.State != PodPlanned {
		return // it goes in a moment; what it waited for before is more telling
	}
	state := PodBudgetBlocked
	switch wait.For {
	case waits.ForCompletion, waits.ForGuard, waits.ForTurn:
		state = PodPlanned
	case waits.ForObserved:
		state = PodBudgetSyncing
	case waits.ForOneBudget:
		state = PodMultipleBudgets
	}
	if p.Wait != nil && p.State == state && state.Blocked() {
		held := *wait
		held.Words, held.Until = p.Wait.Words, p.Wait.Until
		wait = &held
	}
	st.setPod(p, state, wait, "")
	p = st.s.Pod(p.UID)
	if after := st.s.Run.Options.ForceAfter; after > 0 && !p.heldSince.IsZero() {
		st.wakeAt(st.now.Add(after - p.HeldFor(st.now)))
	}
	st.wakeAt(p.BlockedSince.Add(BudgetPoll))
}

func (st releaseStep) sendLook(p *PodRun) {
	st.send(Write{Verb: attempt.VerbLook, Node: p.Node, Request: request.GetPod{Namespace: p.Namespace, Name: p.Name, UID: p.UID}},
		Event{Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Action: &attempt.ActionFacts{Verb: attempt.VerbLook}})
}

// sendPod sends the eviction (or deletion) of exactly this pod.
func (st releaseStep) sendPod(p *PodRun, b *kube.Budget) {
	var grace *int64
	if seconds := int64(st.s.Run.Options.GracePeriodSeconds); seconds >= 0 {
		grace = &seconds
	}
	facts := &attempt.ActionFacts{Verb: attempt.VerbEvict}
	if live := st.snap.Pod(p.UID); live != nil {
		facts.Under = under(st.wayOf(live))
	}
	if b != nil {
		facts.Budget, facts.Version = b.UID, b.ResourceVersion
	}
	w := Write{Verb: attempt.VerbEvict, Node: p.Node}
	if p.Action == plan.ActionDelete {
		w.Verb, facts.Verb = attempt.VerbDelete, attempt.VerbDelete
		w.Request = request.Delete{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Grace: grace}
	} else {
		w.Request = request.Evict{Namespace: p.Namespace, Name: p.Name, UID: p.UID, Grace: grace}
	}
	st.send(w, Event{Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Action: facts})
}
