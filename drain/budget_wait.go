package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// budgetWait says what a pod waits for that its budgets hold back. It is nil
// where they would let it go, and where they cannot be seen.
func budgetWait(l *ledger, p *kube.Pod) *Wait {
	j, under := l.judge(p, func(kube.UID) bool { return false })
	w := &Wait{Sibling: j.Sibling, Never: j.Verdict == VerdictNever}
	switch j.Verdict {
	case VerdictMultiple:
		w.For, w.Budgets = WaitForOneBudget, j.Names
		return w
	case VerdictSyncing:
		w.For = WaitForObserved
	case VerdictWait, VerdictNever, VerdictDeadlock:
		w.For = WaitForBudget
	case VerdictEvictable, VerdictUnknown:
		return nil
	}
	if cause := predictSpending(under).Cause; cause == CauseNegative || cause == CauseTooMany {
		w.For = WaitForObserved
	}
	w.Budget = &j.Budgets[0]
	return w
}
