package budget

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ComesUpIn is how long a pod that has only not come up yet is given before it
// counts as stuck. It is our own guess: the server has no such rule.
const ComesUpIn = 2 * time.Minute

// Judge says whether the budgets of a pod let an eviction through, by the API
// server's own rules (k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go),
// what holds it if they do not, and which budget an eviction would be counted under,
// nil where none would. planned tells which pods are part of the plan. Every pod is
// judged alone, as the server does; the waves of a plan account for several under one
// budget. Predict says what the server does; here it is told what is behind it.
func (l *Tracker) Judge(p *kube.Pod, planned func(kube.UID) bool) (Judgement, *kube.Budget) {
	j := Judgement{Verdict: VerdictEvictable, Names: []string{}}
	cover := &cover{}
	if !l.unseen(p.Namespace) {
		cover = l.cover(p)
		j.Names, j.Budgets = cover.names, cover.numbers
	}
	budgets := cover.budgets
	switch predicted := Predict(p, budgets, p.UID); predicted.Way {
	case WayIgnored:
		if len(budgets) > 0 {
			j.Why = ignoredWords(p)
		}
	case WayNone:
		if l.unseen(p.Namespace) {
			j.Verdict, j.Advice = VerdictUnknown, adviseUnseen
			j.Why = unseenWords(l.s.In(p.Namespace).Sync(kube.KindBudgets))
		}
	case WaySeveral:
		j.Verdict, j.Why = VerdictMultiple, multipleWords(j.Names)
		if l.Advises {
			j.Advice = adviseSeveral(budgets)
		}
	case WayFree:
		j.Why = freeWords(budgets[0])
	case WaySpends:
		l.judgeSpending(&j, predicted.Cause, p, cover, planned)
		return j, budgets[0]
	}
	return j, nil
}

// judgeSpending explains what the budget says to an eviction that spends one of
// its disruptions.
func (l *Tracker) judgeSpending(j *Judgement, cause PredictedCause, p *kube.Pod, c *cover,
	planned func(kube.UID) bool) {
	b := c.budgets[0]
	switch cause {
	case CauseNotObserved:
		if l.Page(b).why == neverComputed { // such a one is never observed
			l.judgeBlocked(j, p, b, planned)
			break
		}
		j.Verdict, j.Why = VerdictSyncing, syncingWords(b)
		if l.Advises {
			j.Advice = adviseSyncing(b)
		}
	case CauseNegative, CauseTooMany:
		j.Verdict, j.Why = VerdictWait, laggingWords(b)
	case CauseBudget:
		l.judgeBlocked(j, p, b, planned)
	default:
		j.Why = c.allowsLine()
	}
}

// judgeBlocked says whether a budget that allows nothing now ever will, and
// whose trouble it is.
func (l *Tracker) judgeBlocked(j *Judgement, p *kube.Pod, b *kube.Budget, planned func(kube.UID) bool) {
	page := l.Page(b)
	j.Verdict = VerdictWait
	var sick SickPod
	found := false
	switch {
	case page.never != "":
		j.Verdict = VerdictNever
	case !page.partial && l.deadlocked(page, b, planned):
		j.Verdict = VerdictDeadlock
	}
	if j.Verdict != VerdictWait && page.why != neverComputed && page.why != neverOpened && Managed(b) {
		j.Verdict = VerdictManaged
	}
	if j.Verdict != VerdictNever && j.Verdict != VerdictManaged {
		sick, found = telling(page.sick, p, planned)
	}
	said := &blocked{verdict: j.Verdict}
	if found {
		said.sick, said.itself = sick.Pod.UID, sick.Pod.UID == p.UID
	}
	if last := page.last; last != nil && last.verdict == said.verdict && last.sick == said.sick &&
		last.itself == said.itself {
		said = last
	} else {
		l.say(said, b, page, sick)
		page.last = said
	}
	j.Why, j.UnhealthyPod, j.Advice = said.why, said.unhealthyPod, said.advice
}

// say puts into words what holds pods back.
func (l *Tracker) say(said *blocked, b *kube.Budget, page *page, sick SickPod) {
	switch {
	case said.verdict == VerdictNever:
		said.why = page.never
	case said.verdict == VerdictManaged:
		said.why = l.managedWords(b)
	default:
		if sick.Pod != nil {
			said.unhealthyPod = sick.unhealthyPod(l.serverNow)
		}
		said.why = l.blockedWords(said.verdict, b, page, sick, said.itself)
	}
	if l.Advises {
		said.advice = l.adviseBlocked(said.verdict, b, page, sick)
	}
}

// telling is the unhealthy pod that explains best why p waits: p itself where it is
// unhealthy, else the first one that is not part of the plan.
func telling(sick []SickPod, p *kube.Pod, planned func(kube.UID) bool) (SickPod, bool) {
	var best SickPod
	for i, candidate := range sick {
		switch {
		case candidate.Pod.UID == p.UID:
			return candidate, true
		case i == 0:
			best = candidate
		case candidate.Class == best.Class && planned(best.Pod.UID) && !planned(candidate.Pod.UID):
			best = candidate
		}
	}
	return best, best.Pod != nil
}

// deadlocked reports whether all that could become healthy waits for this drain:
// each unhealthy pod is to be evicted itself and blocked by the same budget, or has no
// room to go to.
func (l *Tracker) deadlocked(page *page, b *kube.Budget, planned func(kube.UID) bool) bool {
	live := 0
	for _, sick := range page.sick {
		switch {
		case sick.Class == SickLeaves:
			return false // it goes by itself, and its owner makes another
		case sick.Class == sickDead:
			continue
		case sick.Pod.Phase == corev1.PodPending:
			if !lacksRoom(sick.Pod) {
				return false
			}
		case !planned(sick.Pod.UID), free(sick.Pod, b), Starting(sick, l.serverNow):
			return false
		}
		live++
	}
	return live > 0
}

// Starting tells of a pod that started a moment ago and is not Ready yet.
func Starting(sick SickPod, serverNow time.Time) bool {
	t := sick.Pod.Trouble
	return (t == nil || t.Starting() || unspecific(t.Reason)) && serverNow.Sub(sick.since) < ComesUpIn
}

// Unasked is the judgement under --disable-eviction, which goes past all
// budgets; it names those that it passes over.
func (l *Tracker) Unasked(pod *kube.Pod) Judgement {
	c := l.cover(pod)
	j := Judgement{Verdict: VerdictEvictable, Names: c.names, Budgets: c.numbers}
	if len(j.Names) > 0 {
		j.Why = "deleted past its budgets (--disable-eviction)"
	}
	return j
}
