package main

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// checkForced: --force-after and --max-evict-retries delete a pod only after its
// budget, and nothing else, has held it for so long, or refused it so often. Time in
// which the run was paused, no process was there or the server was away does not
// count.
func (e *evidence) checkForced() {
	if !e.world.forcesLate() {
		return
	}
	for _, r := range e.requests {
		if r.Kind() != audit.Deletion || !r.Accepted() {
			continue
		}
		frames, place := e.victim(r)
		if frames == nil || place == 0 {
			continue
		}
		pod := frames[place-1]
		if refused := e.refusals(r); e.world.has("--max-evict-retries=1") && refused < 2 {
			e.accuse("pod %s was deleted at %s after %d refusals of its budget: --max-evict-retries=1", pod.Title(),
				clock(r.Received), refused)
		}
		if !e.world.has("--force-after=" + forceAfter.String()) {
			continue
		}
		if e.world.As == withoutBudgets { // it knows of the budget by the last answer alone
			if last := e.lastRefusal(r); r.Received.Sub(last) > e.allowed(blindProof) {
				e.accuse("pod %s was deleted at %s, and its budget refused it last at %s", pod.Title(),
					clock(r.Received), clock(last))
			}
			continue
		}
		if held := e.held(pod, r.Received); held+e.allowed(lag) < forceAfter {
			e.accuse("pod %s was deleted at %s, and its budgets had held it for %s of the %s of --force-after",
				pod.Title(), clock(r.Received),
				held.Round(time.Millisecond), forceAfter)
		}
	}
}

// blindProof is how old the refusal may be by which a pod is deleted past a budget
// that the run cannot read.
const blindProof = 1500 * time.Millisecond

// lastRefusal is when a budget last refused the pod that is deleted, zero for never.
func (e *evidence) lastRefusal(deletion audit.Request) (last time.Time) {
	for _, r := range e.requests {
		if r.Kind() == audit.Eviction && r.Namespace == deletion.Namespace && r.Name == deletion.Name &&
			r.Received.Before(deletion.Received) && ofBudget(r) {
			last = r.Answered
		}
	}
	return last
}

// refusals counts how often a budget refused the pod that is deleted.
func (e *evidence) refusals(deletion audit.Request) int {
	count := 0
	for _, r := range e.requests {
		if r.Kind() == audit.Eviction && r.Namespace == deletion.Namespace && r.Name == deletion.Name &&
			r.Received.Before(deletion.Received) && ofBudget(r) {
			count++
		}
	}
	return count
}

// ofBudget tells whether the answer is the budget's refusal: eviction.go, and not a
// webhook, throttling, or the death of the server.
func ofBudget(r audit.Request) bool {
	if strings.Contains(r.Message, "admission webhook") {
		return false
	}
	return r.Code == 429 && strings.Contains(r.Message, "disruption budget") ||
		r.Code == 500 && strings.Contains(r.Message, "more than one PodDisruptionBudget")
}

// held is for how long, before that moment, the budgets of the pod allowed nothing
// while the run could have asked.
func (e *evidence) held(pod film.PodFrame, until time.Time) time.Duration {
	var moments []time.Time
	for _, frames := range e.budgets {
		for _, f := range frames {
			if f.At.Before(until) {
				moments = append(moments, f.At)
			}
		}
	}
	for _, r := range e.requests {
		if r.Kind() == audit.Eviction {
			moments = append(moments, r.Received, r.Answered)
		}
	}
	idle := e.withoutRun()
	for _, s := range idle {
		moments = append(moments, s.from, s.to)
	}
	moments = slices.DeleteFunc(append(moments, e.began(), until), func(t time.Time) bool { return t.After(until) })
	slices.SortFunc(moments, time.Time.Compare)
	total := time.Duration(0)
	for i := 1; i < len(moments); i++ {
		from, to := moments[i-1], moments[i]
		away := slices.ContainsFunc(idle, func(s span) bool { return !s.from.After(from) && s.to.After(from) })
		if !away && !from.Before(e.began()) && e.holds(pod, from) {
			total += to.Sub(from)
		}
	}
	return total
}

// holds tells whether a budget over the pod allows nothing at that moment beside the
// evictions whose answer is out, or two select it.
func (e *evidence) holds(pod film.PodFrame, moment time.Time) bool {
	over := 0
	for _, frames := range e.budgets {
		state, there := budgetAt(frames, moment)
		if !there || state.Gone || !state.Selects(pod) {
			continue
		}
		if over++; over > 1 || !state.Allows() || state.Allowed <= e.underWay(state, moment) {
			return true
		}
	}
	return false
}

// underWay counts the accepted evictions of the budget's pods that have no answer at that
// moment: each takes one of the disruptions that the budget allows.
func (e *evidence) underWay(budget film.BudgetFrame, moment time.Time) int {
	count := 0
	for _, r := range e.requests {
		if r.Kind() != audit.Eviction || !r.Accepted() || r.Received.After(moment) || !r.Answered.After(moment) {
			continue
		}
		if frames, _ := e.victim(r); frames != nil && budget.Selects(frames[0]) {
			count++
		}
	}
	return count
}

// began is when the first process did.
func (e *evidence) began() time.Time {
	if calls := e.calls(); len(calls) > 0 {
		return calls[0].Result.Began
	}
	return e.result.Began
}

// withoutRun are the times in which the run was paused, no process worked on it, or
// the server was away.
func (e *evidence) withoutRun() []span {
	all := e.pauses()
	calls := e.calls()
	for i := 1; i < len(calls); i++ {
		if calls[i-1].Result.Ended.Before(calls[i].Result.Began) {
			all = append(all, span{calls[i-1].Result.Ended, calls[i].Result.Began})
		}
	}
	if e.ordeal != nil && !e.ordeal.away.from.IsZero() {
		all = append(all, e.ordeal.away)
	}
	return all
}

// leastPause is the shortest time between two evictions of one pod where budgets
// cannot be read: kubectl waits 5 s, and what is measured here ends with the request.
const leastPause = 4 * time.Second

// checkBlind: without the right to read budgets a pod that its budget refused is
// left alone for a while.
func (e *evidence) checkBlind() {
	if e.world.As != withoutBudgets {
		return
	}
	last, accused := map[string]audit.Request{}, map[string]bool{}
	for _, r := range e.requests {
		title := r.Namespace + "/" + r.Name
		if r.Kind() != audit.Eviction || len(e.named(r.Namespace, r.Name)) != 1 {
			continue
		}
		before, again := last[title]
		last[title] = r
		if !again || !ofBudget(before) || e.newProcess(before.Answered, r.Received) {
			continue
		}
		if pause := r.Received.Sub(before.Answered); pause < leastPause && !accused[title] {
			accused[title] = true
			e.accuse("without the right to read budgets it asked for pod %s at %s, %s after it was refused", title,
				clock(r.Received), pause)
		}
	}
}

// newProcess tells whether another process of the run began in between.
func (e *evidence) newProcess(from, to time.Time) bool {
	return slices.ContainsFunc(e.calls(), func(c call) bool {
		return c.Result.Began.After(from) && c.Result.Began.Before(to)
	})
}
