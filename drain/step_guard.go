package drain

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// GuardPatience is how long the temporary budgets may take to be in force where no
// --timeout says: the disruption controller looks at a budget within seconds.
const GuardPatience = 5 * time.Minute

// guard makes the temporary budgets and waits until the disruption controller
// has observed each: before that, the server refuses every eviction under it.
func (st *stepper) guard() {
	if st.guardOverdue() {
		return
	}
	if !st.snap.Trusted(kube.KindBudgets) || !budget.GuardSees(st.snap) {
		return
	}
	if len(st.s.Budgets) == 0 {
		st.planBudgets()
	}
	waiting := false
	for _, b := range st.s.Budgets {
		if b.State == BudgetInDoubt {
			st.lookAtBudget(b)
			b = st.s.budget(&b.BudgetFacts) // the cluster may show that it stands
		}
		switch b.State {
		case BudgetPlanned:
			waiting = true
			st.makeBudget(b)
		case BudgetInDoubt:
			waiting = true
		case BudgetMade:
			if live := st.snap.BudgetNamed(b.Namespace, b.Name); live != nil && live.UID == b.UID &&
				live.Observed() && (live.ExpectedPods > 0 || st.wantsNone(b)) {
				st.setBudget(b, BudgetObserved, "")
				continue
			}
			waiting = true
		case BudgetFailed:
			st.stopForGuard(b.Owner, b.Message)
			return
		}
	}
	if !waiting {
		st.emit(Event{Kind: EventPhase, Phase: PhaseGuard, PhaseStatus: PhaseDone})
		st.ask(PhaseCordon, "")
	}
}

// wantsNone tells of a workload that was scaled to zero or deleted meanwhile: a
// budget over it counts no pod, and need not.
func (st *stepper) wantsNone(b *BudgetRun) bool {
	w := st.snap.Workload(b.OwnerUID)
	return w == nil || w.Replicas == 0
}

// guardOverdue stops the run where its temporary budgets are not in force in time.
func (st *stepper) guardOverdue() bool {
	within, from := st.s.Run.Options.Timeout, st.s.counted(st.s.guardFrom)
	if within <= 0 {
		within, from = GuardPatience, latest(from, st.s.acted)
	}
	if within == GuardPatience && (st.s.Down != nil || st.s.Paused) || !st.past(from.Add(within)) {
		return false
	}
	for _, b := range st.s.Budgets {
		if b.State != BudgetObserved && b.State != BudgetRemoved {
			st.stopForGuard(b.Owner, fmt.Sprintf("not in force within %s: %s", within,
				cmp.Or(b.Message, "the disruption controller has not looked at budget "+b.Name)))
			return true
		}
	}
	if len(st.s.Budgets) > 0 {
		return false // all are in force
	}
	st.stopForGuard("the workloads", fmt.Sprintf("the cluster could not be read within %s", within))
	return true
}

// stopForGuard ends the run before anything else was touched: what was to be
// protected is not.
func (st *stepper) stopForGuard(owner, why string) {
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeStopped, fmt.Sprintf("no guard over %s: %s", owner, why))
		}
	}
	st.enter(PhaseClose, PhaseFailed)
}

// planBudgets finds the workloads that the run moves pods of, that have more
// than one replica, and over no pod of which any budget stands: a second budget
// over one pod makes the server refuse its eviction altogether.
func (st *stepper) planBudgets() {
	var seen []kube.UID
	for _, p := range st.s.Pods {
		live := st.snap.Pod(p.UID)
		if p.Action != plan.ActionEvict || live == nil || live.Owner == nil {
			continue
		}
		w := budget.ScaledBy(st.snap, live.Owner)
		if w == nil || w.Replicas < 2 || w.Selector == nil || slices.Contains(seen, w.UID) {
			continue
		}
		seen = append(seen, w.UID)
		if !st.unprotected(w) {
			continue
		}
		st.emit(Event{Kind: EventBudget, BudgetState: BudgetPlanned, Budget: &BudgetFacts{
			Namespace: w.Namespace, Name: st.budgetName(w), Owner: w.Kind + "/" + w.Name,
			OwnerUID: w.UID, Selector: w.Selector.String(),
		}})
	}
}

// budgetName is the name of the temporary budget of a workload. Where another of the run
// has it already, or it would be longer than a name may be, part of the workload's UID
// tells them apart.
func (st *stepper) budgetName(w *kube.Workload) string {
	name := "kdrain-" + st.s.Run.ID + "-" + w.Name
	if len(name) <= validation.DNS1123SubdomainMaxLength && st.s.budget(&BudgetFacts{Namespace: w.Namespace, Name: name}) == nil {
		return name
	}
	sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(w.UID)))[:9]
	most := validation.DNS1123SubdomainMaxLength - len(sum)
	return strings.TrimRight(name[:min(len(name), most)], "-.") + sum
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

// Standing tells whether the budget is in the cluster and ours to remove.
func (b *BudgetRun) Standing() bool { return b.State == BudgetMade || b.State == BudgetObserved }

func (st *stepper) budgetsStand() bool {
	return slices.ContainsFunc(st.s.Budgets, func(b *BudgetRun) bool { return b.Standing() || b.State == BudgetInDoubt })
}

// yieldToOthers removes a temporary budget as soon as somebody else's covers one
// of its pods: under both, none of them could be evicted.
func (st *stepper) yieldToOthers() {
	for _, b := range st.s.Budgets {
		if b.State == BudgetInDoubt {
			st.lookAtBudget(b)
			continue
		}
		if !b.Standing() || !st.snap.Trusted(kube.KindBudgets) {
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
		if b.UID != e.Budget.UID { // it was made: what follows is about its removal
			b.Tries = 0
		}
		b.State, b.Message, b.UID = e.BudgetState, e.Message, e.Budget.UID
		b.Next = time.Time{}
		if e.Wait != nil {
			b.Failed(e.Wait.Until)
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
