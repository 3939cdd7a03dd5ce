package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// planGuard is the guard's book of one workload for a plan.
type planGuard struct {
	*guardBook
	workload *kube.Workload
	sick     []sickPod
}

// guardOver is a guard over one workload.
type guardOver struct {
	guard    Guard
	workload kube.UID
}

// guarded has the run's own guard judge a pod that no budget covers, as the run
// will; it is nil where the guard has nothing to say. Where the budgets cannot be
// seen, the run leaves the judgement to the server and guards nothing.
func (l *ledger) guarded(guard Guard, pod *kube.Pod, j *BudgetJudgement, planned func(kube.UID) bool) *planGuard {
	if guard == "" || l.unseen || len(j.Names) > 0 {
		return nil
	}
	w := guardedBy(l.s, pod)
	if w == nil {
		return nil
	}
	g, known := l.guards[guardOver{guard, w.UID}]
	if !known {
		g = &planGuard{guardBook: guard.book(l.s, w), workload: w}
		if g.free <= 0 {
			g.sick = sickUnder(&kube.Budget{}, l.s, countedWith(l.s, w), l.serverNow)
		}
		if l.guards == nil {
			l.guards = map[guardOver]*planGuard{}
		}
		l.guards[guardOver{guard, w.UID}] = g
	}
	l.judgeGuarded(g, pod, j, planned)
	return g
}

// judgeGuarded says what the guard says.
func (l *ledger) judgeGuarded(g *planGuard, pod *kube.Pod, j *BudgetJudgement, planned func(kube.UID) bool) {
	n := g.numbers
	j.Budgets = []BudgetNumbers{n}
	j.Why = "the guard over " + n.Name + " needs " + healthyPods(n.Needed) + " and has " + number(n.Present)
	if g.free > 0 {
		j.Why += ": it allows " + number(n.Allowed) + " now"
		return
	}
	j.Verdict = VerdictWait
	sick, found := telling(g.sick, pod, planned)
	if !found {
		j.Why += "; its other pods are not made yet"
		if l.advises {
			j.Advice = l.adviseMissing(&page{pods: countedWith(l.s, g.workload)})
		}
		return
	}
	j.Sibling = sick.sibling(l.serverNow)
	j.Why += "; " + l.sickWords(sick)
	if l.advises {
		j.Advice = l.adviseSickPod(sick)
	}
}
