package drain

import (
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

func (st *stepper) makeBudget(b *BudgetRun) {
	w := st.snap.Workload(b.OwnerUID)
	switch {
	case st.waits(b.Attempt) || st.s.Paused:
		return
	case w == nil:
		st.setBudget(b, BudgetRemoved, "its workload is gone")
		return
	}
	facts := b.BudgetFacts
	st.send(Write{Verb: attempt.VerbGuard, Request: kube.BudgetRequest{
		Namespace: b.Namespace, Name: b.Name, Selector: b.Selector, MaxUnavailable: string(st.s.Run.Options.Guard),
		Owner: kube.Owner{APIVersion: budget.VersionOf(w), Kind: w.Kind, Name: w.Name, UID: w.UID},
		Run:   st.s.Run.ID, At: st.snap.ServerTime(st.now),
	}}, Event{Namespace: b.Namespace, Budget: &facts, Action: &attempt.ActionFacts{Verb: attempt.VerbGuard}})
}

// lookAtBudget finds out whether a budget stands whose request had no clear answer: the
// watch shows it with the label of the run, else the server is asked.
func (st *stepper) lookAtBudget(b *BudgetRun) {
	switch live := st.snap.BudgetNamed(b.Namespace, b.Name); {
	case b.InFlight != 0:
	case b.UID == "" && live != nil && live.TemporaryOf() == st.s.Run.ID:
		st.budgetMade(b, live.UID)
	case !st.waits(b.Attempt):
		facts := b.BudgetFacts
		st.send(Write{Verb: attempt.VerbLook, Request: kube.BudgetLook{Namespace: b.Namespace, Name: b.Name, Run: st.s.Run.ID}},
			Event{Namespace: b.Namespace, Budget: &facts, Action: &attempt.ActionFacts{Verb: attempt.VerbLook}})
	}
}

func (st *stepper) budgetMade(b *BudgetRun, uid kube.UID) {
	facts := b.BudgetFacts
	facts.UID = uid
	st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: BudgetMade})
}

// onBudgetAnswer notes what came back for the making, the look or the removal.
func (st *stepper) onBudgetAnswer(namespace, name string, a kube.Answer, e Event, take func(*BudgetRun, kube.Answer, kube.AnswerClass)) {
	named := &BudgetFacts{Namespace: namespace, Name: name}
	b := st.s.budget(named)
	if b == nil {
		return
	}
	facts, class := b.BudgetFacts, st.classOf(a, b.Attempt)
	e.Namespace, e.Budget = b.Namespace, &facts
	st.emit(e)
	take(st.s.budget(named), a, class)
}

// takeMade: what broke off may have been done, and a name that is taken may be taken
// by an earlier try of our own.
func (st *stepper) takeMade(b *BudgetRun, a kube.Answer, class kube.AnswerClass) {
	switch {
	case class == kube.AnswerDone:
		st.budgetMade(b, a.UID)
	case class == kube.AnswerConflict:
		st.setBudget(b, BudgetInDoubt, attempt.AnswerWords(a))
	case class == kube.AnswerTransient && attempt.MayBeDone(a):
		st.retryBudget(b, BudgetInDoubt, a)
	case class == kube.AnswerTransient:
		st.retryBudget(b, BudgetPlanned, a)
	default:
		st.setBudget(b, BudgetFailed, attempt.AnswerWords(a))
	}
}

func (st *stepper) onLookAtBudget(b *BudgetRun, a kube.Answer, class kube.AnswerClass) {
	making := st.s.Phase == PhaseGuard && !st.s.Aborting
	unreadable := class == kube.AnswerForbidden && st.snap.Trusted(kube.KindBudgets)
	live := st.snap.BudgetNamed(b.Namespace, b.Name)
	switch {
	case class == kube.AnswerDone && a.UID != "" && (b.UID == "" || b.UID == a.UID):
		st.budgetMade(b, a.UID)
	case class == kube.AnswerDone && b.UID == "" && making:
		st.setBudget(b, BudgetFailed, "another budget has its name")
	case class == kube.AnswerDone:
		st.setBudget(b, BudgetRemoved, "another budget has its name")
	case class == kube.AnswerGone || unreadable && live == nil:
		if b.UID == "" && making {
			st.setBudget(b, BudgetPlanned, "")
		} else {
			st.setBudget(b, BudgetRemoved, "")
		}
	case making || b.Tries < attempt.RemoveTries:
		st.retryBudget(b, BudgetInDoubt, a)
	default:
		st.setBudget(b, BudgetLeft, "whether it stands is not known: "+attempt.AnswerWords(a)+"; to remove it: "+st.removeCommand(b))
	}
}

func (st *stepper) takeRemoved(b *BudgetRun, a kube.Answer, class kube.AnswerClass) {
	switch {
	case class == kube.AnswerDone, class == kube.AnswerGone:
		st.setBudget(b, BudgetRemoved, "")
	case class == kube.AnswerConflict && b.Tries < attempt.RemoveTries: // another budget has the name, or the server is not sure
		st.retryBudget(b, BudgetInDoubt, a)
	case class == kube.AnswerTransient && b.Tries < attempt.RemoveTries:
		st.retryBudget(b, b.State, a)
	default:
		st.setBudget(b, BudgetLeft, "not removed: "+attempt.AnswerWords(a)+"; to do it: "+st.removeCommand(b))
	}
}

func (st *stepper) removeCommand(b *BudgetRun) string {
	left := tempbudget.Leftover{BudgetRef: kube.BudgetRef{Namespace: b.Namespace, Name: b.Name}}
	return st.s.Run.Target().Line(tempbudget.RemoveCommands([]tempbudget.Leftover{left})[0])
}

// retryBudget notes that what was asked for a budget is asked again.
func (st *stepper) retryBudget(b *BudgetRun, state BudgetState, a kube.Answer) {
	after := b.Pause(a)
	facts := b.BudgetFacts
	st.emit(Event{Kind: EventBudget, Namespace: b.Namespace, Budget: &facts, BudgetState: state, Message: attempt.AnswerWords(a),
		Wait: &Wait{For: WaitForServer, Until: st.now.Add(after)}})
	st.wakeAt(st.now.Add(after))
}

// unguard removes the temporary budgets, by UID. One of which it is not known whether
// it stands is looked at first.
func (st *stepper) unguard() {
	for _, b := range st.s.Budgets {
		switch {
		case b.State == BudgetPlanned && b.InFlight == 0:
			st.setBudget(b, BudgetRemoved, "") // it was never made
		case b.State == BudgetInDoubt:
			st.lookAtBudget(b)
		}
	}
	for _, b := range st.s.Budgets {
		if b.Standing() {
			st.removeBudget(b)
		}
	}
}

func (st *stepper) removeBudget(b *BudgetRun) {
	if st.waits(b.Attempt) {
		return
	}
	facts := b.BudgetFacts
	st.send(Write{Verb: attempt.VerbUnguard, Request: kube.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}},
		Event{Namespace: b.Namespace, Budget: &facts, Action: &attempt.ActionFacts{Verb: attempt.VerbUnguard}})
}
