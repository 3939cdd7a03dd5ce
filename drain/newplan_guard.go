package drain

import (
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// planGuard is the guard's book of one workload for a plan.
type planGuard struct {
	*guardBook
	workload *kube.Workload
	sick     []sickPod
}

// guard has the run's own guard judge a pod that no budget covers, as the run
// will; it is nil where the guard has nothing to say. Where the budgets cannot be
// seen, the run leaves the judgement to the server and guards nothing.
func (p *planner) guard(pod *kube.Pod, j *BudgetJudgement, planned func(kube.UID) bool) *planGuard {
	if p.o.Guard == "" || p.ledger.unseen || len(j.Names) > 0 {
		return nil
	}
	w := guardedBy(p.s, pod)
	if w == nil {
		return nil
	}
	g, known := p.guards[w.UID]
	if !known {
		g = &planGuard{guardBook: p.o.Guard.book(p.s, w), workload: w}
		if g.free <= 0 {
			g.sick = sickUnder(&kube.Budget{}, p.s, countedWith(p.s, w), p.ledger.serverNow)
		}
		if p.guards == nil {
			p.guards = map[kube.UID]*planGuard{}
		}
		p.guards[w.UID] = g
	}
	p.judgeGuarded(g, pod, j, planned)
	return g
}

// judgeGuarded says what the guard says.
func (p *planner) judgeGuarded(g *planGuard, pod *kube.Pod, j *BudgetJudgement, planned func(kube.UID) bool) {
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
		if p.ledger.advises {
			j.Advice = p.ledger.adviseMissing(&page{pods: countedWith(p.s, g.workload)})
		}
		return
	}
	j.Sibling = sick.sibling(p.ledger.serverNow)
	j.Why += "; " + p.ledger.sickWords(sick)
	if p.ledger.advises {
		j.Advice = p.ledger.adviseSickPod(sick)
	}
}

// inTurn is the wave in which a pod under the guard goes.
func (w waves) inTurn(g *planGuard, j *BudgetJudgement) int {
	before := w[g.key]
	w[g.key]++
	if g.free <= 0 {
		away := g.numbers.Expected - g.numbers.Needed
		return 2 + before/max(1, int(away))
	}
	return w.said(1+before/g.free, j)
}

// guardOf is the workload that the guard of a plan counts the pod with, as
// "Kind/name"; "" where a budget of the cluster counts it, or nothing does.
func (j *BudgetJudgement) guardOf() string {
	if j == nil || len(j.Names) > 0 || len(j.Budgets) == 0 {
		return ""
	}
	return j.Budgets[0].Name
}
