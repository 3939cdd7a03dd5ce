package drain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// removeTries is how often the removal of a temporary budget is tried before
// the run ends without it and says that it is still there.
const removeTries = 4

// guard makes the temporary budgets and waits until the disruption controller
// has observed each: before that, the server refuses every eviction under it.
func (st *stepper) guard() {
	if !st.snap.Trusted(kube.KindPods, kube.KindBudgets, kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets) {
		return
	}
	if len(st.s.Budgets) == 0 {
		st.planBudgets()
	}
	waiting := false
	for _, b := range st.s.Budgets {
		switch b.State {
		case BudgetPlanned:
			waiting = true
			if b.InFlight != 0 || !st.adoptBudget(b) {
				st.makeBudget(b)
			}
		case BudgetMade:
			if live := st.snap.BudgetNamed(b.Namespace, b.Name); live != nil && live.UID == b.UID &&
				live.Observed() && live.ExpectedPods > 0 {
				st.setBudget(b, BudgetObserved, "")
				continue
			}
			waiting = true
		case BudgetFailed:
			st.stopForGuard(b)
			return
		}
	}
	if !waiting {
		st.emit(Event{Kind: EventPhase, Phase: PhaseGuard, PhaseStatus: PhaseDone})
		st.ask(PhaseCordon, "")
	}
}

// stopForGuard ends the run before anything else was touched: what was to be
// protected is not.
func (st *stepper) stopForGuard(b *BudgetRun) {
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeStopped, fmt.Sprintf("no guard over %s: %s", b.Owner, b.Message))
		}
	}
	st.emit(Event{Kind: EventPhase, Phase: PhaseGuard, PhaseStatus: PhaseFailed})
	st.emit(Event{Kind: EventPhase, Phase: PhaseClose, PhaseStatus: PhaseRuns})
}

// planBudgets finds the workloads that the run moves pods of, that have more
// than one replica, and over no pod of which any budget stands: a second budget
// over one pod makes the server refuse its eviction altogether.
func (st *stepper) planBudgets() {
	var seen []kube.UID
	for _, p := range st.s.Pods {
		live := st.snap.Pod(p.UID)
		if p.Action != ActionEvict || live == nil || live.Owner == nil {
			continue
		}
		w := scaledBy(st.snap, live.Owner)
		if w == nil || w.Replicas < 2 || w.Selector == nil || slices.Contains(seen, w.UID) {
			continue
		}
		seen = append(seen, w.UID)
		if !st.unprotected(w) {
			continue
		}
		st.emit(Event{Kind: EventBudget, BudgetState: BudgetPlanned, Budget: &BudgetFacts{
			Namespace: w.Namespace, Name: "kdrain-" + st.s.Run.ID + "-" + w.Name, Owner: w.Kind + "/" + w.Name,
			OwnerUID: w.UID, Selector: w.Selector.String(),
		}})
	}
}

// unprotected tells whether no pod that the workload selects is under a budget.
func (st *stepper) unprotected(w *kube.Workload) bool {
	for _, p := range st.snap.PodsIn(w.Namespace) {
		if w.Selector.Matches(p.Labels) && len(st.snap.BudgetsOf(p)) > 0 {
			return false
		}
	}
	return true
}

func (st *stepper) makeBudget(b *BudgetRun) {
	w := st.snap.Workload(b.OwnerUID)
	switch {
	case b.InFlight != 0 || st.s.Paused || b.retryAt.After(st.now):
		st.wakeAt(b.retryAt)
		return
	case w == nil:
		st.setBudget(b, BudgetRemoved, "its workload is gone")
		return
	}
	facts := b.BudgetFacts
	st.send(Write{Verb: VerbGuard, Guard: &kube.BudgetRequest{
		Namespace: b.Namespace, Name: b.Name, Selector: b.Selector, MaxUnavailable: string(st.s.Run.Options.Guard),
		Owner: kube.Owner{APIVersion: "apps/v1", Kind: w.Kind, Name: w.Name, UID: w.UID},
		Run:   st.s.Run.ID, At: st.snap.ServerTime(st.now),
	}}, Event{Namespace: b.Namespace, Budget: &facts, Action: &ActionFacts{Verb: VerbGuard}})
}

// takeGuardAnswer notes what became of the making or removal of a budget.
func (st *stepper) takeGuardAnswer(w Write, a kube.Answer, e Event) {
	b := st.budgetOfWrite(w)
	if b == nil {
		return
	}
	facts, class := b.BudgetFacts, st.classOf(a, b.lastCode)
	e.Namespace, e.Budget = b.Namespace, &facts
	st.emit(e)
	b = st.budgetOfWrite(w)
	transient := class == kube.AnswerTransient
	switch {
	case w.Guard != nil && a.OK():
		facts.UID = a.UID
		st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: BudgetMade})
	case w.Guard != nil && transient:
		st.retryBudget(b, words(a))
	case w.Guard != nil:
		st.setBudget(b, BudgetFailed, words(a))
	case a.OK(), class == kube.AnswerGone, class == kube.AnswerConflict:
		st.setBudget(b, BudgetRemoved, "") // a conflict means that another budget has the name
	case transient && b.Tries < removeTries:
		st.retryBudget(b, words(a))
	default:
		st.setBudget(b, BudgetLeft, fmt.Sprintf("not removed: %s; to do it: kubectl delete pdb -n %s %s", words(a), b.Namespace, b.Name))
	}
}

func (st *stepper) retryBudget(b *BudgetRun, why string) {
	after := backOff(b.Tries + 1)
	facts := b.BudgetFacts
	st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: b.State, Message: why,
		Wait: &Wait{For: WaitForServer, Until: st.now.Add(after)}})
	st.wakeAt(st.now.Add(after))
}

func (st *stepper) budgetOfWrite(w Write) *BudgetRun {
	namespace, name := "", ""
	if w.Guard != nil {
		namespace, name = w.Guard.Namespace, w.Guard.Name
	} else {
		namespace, name = w.Unguard.Namespace, w.Unguard.Name
	}
	for _, b := range st.s.Budgets {
		if b.Namespace == namespace && b.Name == name {
			return b
		}
	}
	return nil
}

// unguard removes the temporary budgets, by UID. One whose making is still in
// doubt is left to the next look.
func (st *stepper) unguard() {
	for _, b := range st.s.Budgets {
		if b.State == BudgetPlanned && b.InFlight == 0 && !st.adoptBudget(b) {
			st.setBudget(b, BudgetRemoved, "")
		}
	}
	for _, b := range st.s.Budgets {
		if b.Standing() {
			st.removeBudget(b)
		}
	}
}

func (st *stepper) removeBudget(b *BudgetRun) {
	if b.InFlight != 0 || b.retryAt.After(st.now) {
		st.wakeAt(b.retryAt)
		return
	}
	facts := b.BudgetFacts
	st.send(Write{Verb: VerbUnguard, Unguard: &kube.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}},
		Event{Namespace: b.Namespace, Budget: &facts, Action: &ActionFacts{Verb: VerbUnguard}})
}

// Standing tells whether the budget is in the cluster and ours to remove.
func (b *BudgetRun) Standing() bool { return b.State == BudgetMade || b.State == BudgetObserved }

func (st *stepper) budgetsStand() bool {
	return slices.ContainsFunc(st.s.Budgets, (*BudgetRun).Standing)
}

// yieldToOthers removes a temporary budget as soon as somebody else's covers one
// of its pods: under both, none of them could be evicted.
func (st *stepper) yieldToOthers() {
	for _, b := range st.s.Budgets {
		if b.State != BudgetObserved || !st.snap.Trusted(kube.KindBudgets) {
			continue
		}
		live := st.snap.BudgetNamed(b.Namespace, b.Name)
		if live == nil || live.UID != b.UID {
			st.setBudget(b, BudgetRemoved, "somebody else removed it")
			continue
		}
		for _, p := range st.snap.PodsUnder(live) {
			if len(st.snap.BudgetsOf(p)) > 1 {
				st.removeBudget(b)
				break
			}
		}
	}
}

func (st *stepper) setBudget(b *BudgetRun, state BudgetState, message string) {
	facts := b.BudgetFacts
	st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: state, Message: message})
}

// applyBudget is the fold of a temporary budget's events.
func (s *State) applyBudget(e Event) {
	if e.BudgetState == BudgetPlanned && e.Wait == nil && s.budget(e.Budget) == nil {
		s.Budgets = append(s.Budgets, &BudgetRun{BudgetFacts: *e.Budget, State: BudgetPlanned, Since: e.Time})
		return
	}
	s.editBudget(e.Budget, func(b *BudgetRun) {
		if b.State != e.BudgetState {
			b.Since = e.Time
		}
		b.State, b.Message, b.UID = e.BudgetState, e.Message, e.Budget.UID
		b.retryAt = time.Time{}
		if e.Wait != nil {
			b.Tries++
			b.retryAt = e.Wait.Until
		}
	})
}

func (s *State) budget(facts *BudgetFacts) *BudgetRun {
	for _, b := range s.Budgets {
		if b.Namespace == facts.Namespace && b.Name == facts.Name {
			return b
		}
	}
	return nil
}

func (s *State) editBudget(facts *BudgetFacts, edit func(b *BudgetRun)) {
	for i, b := range s.Budgets {
		if b.Namespace == facts.Namespace && b.Name == facts.Name {
			changed := *b
			edit(&changed)
			s.Budgets[i] = &changed
		}
	}
}
