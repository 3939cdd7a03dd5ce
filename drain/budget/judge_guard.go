package budget

import (
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// PlanGuard is the guard's book of one workload for a plan.
type PlanGuard struct {
	*GuardTracker
	workload *kube.Workload
	sick     []SickPod
}

// guardOver is a guard over one workload.
type guardOver struct {
	guard    Guard
	workload kube.UID
}

// Guarded has the run's own guard judge a pod that no budget covers, as the run
// will; it is nil where the guard has nothing to say. Where the budgets cannot be
// seen, the run leaves the judgement to the server and guards nothing.
func (l *Tracker) Guarded(guard Guard, pod *kube.Pod, j *Judgement, planned func(kube.UID) bool) *PlanGuard {
	if guard == "" || l.unseen(pod.Namespace) || len(j.Names) > 0 {
		return nil
	}
	w := GuardedBy(l.s, pod)
	if w == nil {
		return nil
	}
	g, known := l.guards[guardOver{guard, w.UID}]
	if !known {
		g = &PlanGuard{GuardTracker: guard.book(l.s, w), workload: w}
		if g.Free <= 0 {
			g.sick = SickUnder(&kube.Budget{}, l.s, CountedWith(l.s, w), l.serverNow)
		}
		if l.guards == nil {
			l.guards = map[guardOver]*PlanGuard{}
		}
		l.guards[guardOver{guard, w.UID}] = g
	}
	l.judgeGuarded(g, pod, j, planned)
	return g
}

// judgeGuarded says what the guard says.
func (l *Tracker) judgeGuarded(g *PlanGuard, pod *kube.Pod, j *Judgement, planned func(kube.UID) bool) {
	n := g.Numbers
	j.Budgets = []Numbers{n}
	j.Why = "the temporary budget for " + n.Name + " needs " + healthyPods(n.Needed) + " and has " +
		format.Number(n.Present)
	if g.Free > 0 {
		j.Why += ": it allows " + format.Number(n.Allowed) + " now"
		return
	}
	j.Verdict = VerdictWait
	sick, found := telling(g.sick, pod, planned)
	if !found {
		j.Why += "; its other pods are not created yet"
		if l.Advises {
			j.Advice = l.adviseMissing(&page{pods: CountedWith(l.s, g.workload)})
		}
		return
	}
	j.UnhealthyPod = sick.unhealthyPod(l.serverNow)
	j.Why += "; " + l.sickWords(sick)
	if l.Advises {
		j.Advice = l.adviseSickPod(sick)
	}
}
