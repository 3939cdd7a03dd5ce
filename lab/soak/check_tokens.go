package main

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// checkTokens proves that every accepted eviction of a Ready pod under a budget
// followed a status of it with disruptionsAllowed above zero that no other
// accepted eviction used: in the film of the budget the pod's name comes into
// disruptedPods, and what was allowed before goes down by one for each name.
func (e *evidence) checkTokens() {
	for _, r := range e.requests {
		if r.Kind() != audit.Eviction || !r.Accepted() {
			continue
		}
		frames, place := e.victim(r)
		if frames == nil || place == 0 || e.joins(r) {
			continue
		}
		// The eviction itself changes a condition before it deletes.
		before := frames[place-1]
		if !before.Ready || before.Phase != corev1.PodRunning {
			continue
		}
		var over [][]film.BudgetFrame
		for _, budget := range e.budgets {
			if state, there := budgetAt(budget, r.Received); there && !state.Gone && state.Selects(before) {
				over = append(over, budget)
			}
		}
		switch len(over) {
		case 0:
		case 1:
			if !spent(over[0], before.Name, r, e.allowed(slack)) {
				e.accuse("the eviction of the Ready pod %s at %s used no token of budget %s",
					before.Title(), r.Received.Format("15:04:05.000"), over[0][0].Name)
			}
		default:
			e.accuseTwoBudgets(over, before, r)
		}
	}
}

// joins tells whether the eviction met another one of the same pod that was under
// way, as of the run that loses the node: it ends the pod by the other's token.
func (e *evidence) joins(r audit.Request) bool {
	return slices.ContainsFunc(e.requests, func(other audit.Request) bool {
		return other.Kind() == audit.Eviction && other.Accepted() && other.Namespace == r.Namespace &&
			other.Name == r.Name &&
			other.Received.Before(r.Received) && other.Answered.After(r.Received)
	})
}

// accuseTwoBudgets: the server evicts no Ready pod under two budgets, unless one
// came or went at that very moment.
func (e *evidence) accuseTwoBudgets(over [][]film.BudgetFrame, pod film.PodFrame, r audit.Request) {
	for _, budget := range over {
		if state, there := budgetAt(budget, r.Answered); !there || state.Gone ||
			budget[0].At.After(r.Received.Add(-e.allowed(slack))) {
			return
		}
	}
	e.accuse("the Ready pod %s was evicted under %d budgets at once", pod.Title(), len(over))
}

// spent tells whether the budget shows that a token went to that pod: between two
// of its frames the name came in, and what is allowed fell by one for each name
// that came. The server writes one name at a time.
func spent(frames []film.BudgetFrame, name string, r audit.Request, slack time.Duration) bool {
	for i := 1; i < len(frames); i++ {
		was, is := frames[i-1], frames[i]
		if is.Gone {
			return true // deleted while the eviction was under way
		}
		if is.At.Before(r.Received) || was.At.After(r.Answered.Add(slack)) {
			continue
		}
		came := slices.DeleteFunc(slices.Clone(is.Disrupted), func(n string) bool {
			return slices.Contains(was.Disrupted, n)
		})
		// An eviction whose client died can have spent a token and left the pod; the
		// next one finds the name there, and spends another.
		again := len(came) == 0 && slices.Contains(was.Disrupted, name)
		if (again || slices.Equal(came, []string{name})) && was.Allowed > 0 && is.Allowed == was.Allowed-1 {
			return true
		}
	}
	return false
}
