package waits

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// UnderBudgets says what a pod waits for that its budgets hold back. It is nil
// where they would let it go, and where they cannot be seen.
func UnderBudgets(l *budget.Tracker, p *kube.Pod) *Wait {
	j, under := l.Judge(p, func(kube.UID) bool { return false })
	w := &Wait{UnhealthyPod: j.UnhealthyPod, Never: j.Verdict == budget.VerdictNever}
	if j.Verdict == budget.VerdictManaged || w.Never && budget.Managed(under) {
		w.Managed = j.Why
	}
	switch j.Verdict {
	case budget.VerdictMultiple:
		w.For, w.Budgets = ForOneBudget, j.Names
		return w
	case budget.VerdictSyncing:
		w.For = ForObserved
	case budget.VerdictWait, budget.VerdictManaged, budget.VerdictNever, budget.VerdictDeadlock:
		w.For = ForBudget
	case budget.VerdictEvictable, budget.VerdictUnknown:
		return nil
	}
	if cause := budget.PredictSpending(under).Cause; cause == budget.CauseNegative || cause == budget.CauseTooMany {
		w.For = ForObserved
	}
	w.Budget = &j.Budgets[0]
	return w
}
