package drain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// GuardPatience is how long the temporary budgets may take to be in force where no
// --timeout says: the disruption controller looks at a budget within seconds.
const GuardPatience = 5 * time.Minute

// guardPhase makes, watches and removes the temporary budgets.
type guardPhase struct{ *stepper }

func (st *stepper) tempBudgets() guardPhase { return guardPhase{st} }

// guard makes the temporary budgets and waits until the disruption controller has observed
// each: before that, the server refuses every eviction under it.
func (st guardPhase) guard() {
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
	for i := range st.s.Budgets {
		for st.onBudget(st.s.Budgets[i], (*tempbudget.Record).Make) { // one decision may follow from another
		}
		b := st.s.Budgets[i]
		if b.State == tempbudget.Failed {
			st.stopForGuard(b.Owner, b.Message)
			return
		}
		waiting = waiting || !b.InForce()
	}
	if !waiting {
		st.emit(Event{Kind: EventPhase, Phase: PhaseGuard, PhaseStatus: PhaseDone})
		st.ask(PhaseCordon, "")
	}
}

// guardOverdue stops the run where its temporary budgets are not in force in time.
func (st guardPhase) guardOverdue() bool {
	within, from := st.s.Run.Options.Timeout, st.s.counted(st.s.guardFrom)
	if within <= 0 {
		within, from = GuardPatience, latest(from, st.s.acted)
	}
	if within == GuardPatience && (st.s.Down != nil || st.s.Paused) || !st.past(from.Add(within)) {
		return false
	}
	for _, b := range st.s.Budgets {
		if !b.InForce() {
			st.stopForGuard(b.Owner, fmt.Sprintf("not in force within %s: %s", format.Duration(within),
				cmp.Or(b.Message, "the disruption controller has not observed budget "+b.Name)))
			return true
		}
	}
	if len(st.s.Budgets) > 0 {
		return false // all are in force
	}
	st.stopForGuard("the workloads", fmt.Sprintf("the cluster could not be read within %s", format.Duration(within)))
	return true
}

// stopForGuard ends the run before anything else was touched: what was to be protected is not.
func (st guardPhase) stopForGuard(owner, why string) {
	for _, n := range st.s.Nodes {
		if !n.State.Final() {
			st.setNode(n, NodeStopped, fmt.Sprintf("no temporary budget for %s: %s", owner, why))
		}
	}
	st.enter(PhaseClose, PhaseFailed)
}

// planBudgets notes the temporary budgets that the run makes.
func (st guardPhase) planBudgets() {
	var evicted []kube.UID
	for _, p := range st.s.Pods {
		if p.Action == plan.ActionEvict {
			evicted = append(evicted, p.UID)
		}
	}
	for _, facts := range tempbudget.Wanted(st.snap, st.s.Run.ID, evicted) {
		st.emit(Event{Kind: EventBudget, BudgetState: tempbudget.Planned, Budget: &facts})
	}
}

// yieldToOthers removes a temporary budget as soon as somebody else's covers one of its pods.
func (st guardPhase) yieldToOthers() {
	for _, b := range st.s.Budgets {
		st.onBudget(b, (*tempbudget.Record).Watch)
	}
}

// removeBudgets removes the temporary budgets at the end of the run.
func (st guardPhase) removeBudgets() {
	for i := range st.s.Budgets {
		for st.onBudget(st.s.Budgets[i], (*tempbudget.Record).TakeBack) { // one decision may follow from another
		}
	}
}

// onBudget does what is decided about a temporary budget, and tells whether its state changed.
func (st guardPhase) onBudget(
	b *tempbudget.Record, decide func(*tempbudget.Record, tempbudget.View) tempbudget.Decision,
) bool {
	d := decide(b, st.budgetView(b))
	st.wakeAt(d.Wake)
	if d.Change != nil {
		st.setBudget(b, d.Change)
	}
	if d.Send != nil {
		facts := b.Facts
		st.send(Write{Verb: d.Send.Verb, Request: d.Send.Request},
			Event{Namespace: b.Namespace, Budget: &facts, Action: &attempt.ActionFacts{Verb: d.Send.Verb}})
	}
	return d.Change != nil
}

// budgetView is what is decided from about a temporary budget.
func (st guardPhase) budgetView(b *tempbudget.Record) tempbudget.View {
	live := st.snap.BudgetNamed(b.Namespace, b.Name)
	return tempbudget.View{
		Run: st.s.Run.ID, Most: string(st.s.Run.Options.Guard), Live: live, Trusted: st.snap.Trusted(kube.KindBudgets),
		Workload: st.snap.Workload(b.OwnerUID), Others: func() bool { return tempbudget.Shared(st.snap, live) },
		Making: st.s.working() == PhaseGuard, Paused: st.s.Paused, Down: st.s.Down != nil && !st.s.Aborting,
		Now: st.now, Offset: st.snap.ServerTime(st.now).Sub(st.now),
	}
}

func (st guardPhase) setBudget(b *tempbudget.Record, c *tempbudget.Change) {
	facts := b.Facts
	facts.UID = c.UID
	st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: c.State, Message: c.Message,
		Wait: waits.Retry(c.Retry)})
	st.wakeAt(c.Retry)
}

// onBudgetAnswer notes what came back for the making, the look or the removal.
func (st guardPhase) onBudgetAnswer(named tempbudget.Facts, w Write, a kube.Answer, e Event) {
	b := st.s.budget(&named)
	if b == nil {
		return
	}
	facts, class := b.Facts, st.classOf(a)
	e.Namespace, e.Budget = b.Namespace, &facts
	st.emit(e)
	b = st.s.budget(&named)
	view := st.budgetView(b)
	left := tempbudget.Leftover{BudgetRef: request.BudgetRef{Namespace: b.Namespace, Name: b.Name}}
	view.Remove = st.s.Run.Target().Line(tempbudget.RemoveCommands([]tempbudget.Leftover{left})[0])
	st.setBudget(b, b.After(w.Request, a, class, view))
}

func (st guardPhase) budgetsStand() bool {
	return slices.ContainsFunc(st.s.Budgets, (*tempbudget.Record).MayStand)
}

// applyBudget is the fold of a temporary budget's events.
func (s folding) applyBudget(e Event) {
	if e.BudgetState == tempbudget.Planned && e.Wait == nil && s.budget(e.Budget) == nil {
		s.Budgets = append(s.Budgets, &tempbudget.Record{Facts: *e.Budget, State: tempbudget.Planned, Since: e.Time})
		return
	}
	s.editBudget(e.Budget, func(b *tempbudget.Record) {
		b.Become(*e.Budget, e.BudgetState, e.Message, e.Wait.End(), e.Time)
	})
}

func (s *State) budget(facts *tempbudget.Facts) *tempbudget.Record {
	for _, b := range s.Budgets {
		if b.Same(facts) {
			return b
		}
	}
	return nil
}

func (s *State) editBudget(facts *tempbudget.Facts, change func(b *tempbudget.Record)) {
	editRecord(s.Budgets, func(b *tempbudget.Record) bool { return b.Same(facts) }, change)
}
