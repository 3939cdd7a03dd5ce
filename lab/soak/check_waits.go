package main

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

// idle is how long a pod that could go may be left alone.
const idle = 2500 * time.Millisecond

// startUp is how long a process takes to see the cluster, on a busy machine.
const startUp = 2 * time.Second

// waiting are the states of a pod that is still to be asked for.
var waiting = []string{"Planned", "BudgetBlocked", "BudgetSyncing", "Retrying"}

// checkWaits finds pods of nodes that ran out of time although nothing was in
// their way: no budget, or one that allowed an eviction all the time, and
// nothing was asked for under it.
func (e *evidence) checkWaits() {
	if e.world.has("--order=tiers") || e.world.has("--wait-jobs") || e.world.guards() {
		return // then pods wait for others
	}
	if e.world.As != "" {
		return // it polls: the server's, or the cluster's, next answer is what it waits for
	}
	for _, n := range e.said.report.Nodes {
		if n.State != "Failed" {
			continue
		}
		end := e.said.report.EndedAt
		if at, told := e.said.ended[n.Name]; told { // the run went on without it, as to take a surge back
			end = at
		}
		e.checkWaitsOn(n, end)
	}
}

// checkWaitsOn does so for the pods of a node whose time was over at the end.
func (e *evidence) checkWaitsOn(n nodeReport, end time.Time) {
	idle := e.allowed(idle)
	if e.pausedWithin(end.Add(-idle-startUp), end) {
		return
	}
	if e.ordeal != nil && e.result.Began.After(end.Add(-idle-startUp)) {
		return // no process could have done something
	}
	for _, p := range n.Pods {
		f, there := podAt(e.pods[p.UID], end.Add(-idle))
		if p.Action == "skip" || p.Action == "refuse" || !slices.Contains(waiting, p.State) ||
			!there || f.Gone || f.Phase != corev1.PodRunning || e.ending(f.Namespace) {
			continue
		}
		if e.couldGo(f, end.Add(-idle), end) {
			e.accuse("pod %s was %s for the last %s although nothing was in its way", f.Title(), p.State, idle)
		}
	}
}

// ending tells whether the namespace is deleted while the drain runs: evictions
// are refused there.
func (e *evidence) ending(namespace string) bool {
	return slices.ContainsFunc(e.world.Happenings, func(h happening) bool {
		return h.What == "end namespace" && h.Namespace == namespace
	})
}

func (e *evidence) couldGo(p film.PodFrame, from, to time.Time) bool {
	var over [][]film.BudgetFrame
	for _, frames := range e.budgets {
		if state, there := budgetAt(frames, to); there && state.Selects(p) && !frames[len(frames)-1].Gone {
			over = append(over, frames)
		}
	}
	if len(over) > 1 || len(over) == 1 && !allowsAll(over[0], from, to) {
		return false
	}
	if e.volumeTurnTaken(p, from) {
		return false
	}
	// An eviction on its way, of this pod or of one of the same budget, is a reason.
	for _, r := range e.requests {
		if r.Kind() != audit.Eviction || r.Answered.Before(from) || r.Namespace != p.Namespace {
			continue
		}
		if r.Name == p.Name {
			return false
		}
		for _, frames := range e.named(r.Namespace, r.Name) {
			if len(over) == 1 && over[0][0].Selects(frames[0]) {
				return false
			}
		}
	}
	return true
}

func allowsAll(frames []film.BudgetFrame, from, to time.Time) bool {
	state, there := budgetAt(frames, from)
	if !there || !state.Allows() {
		return false
	}
	for _, f := range frames {
		if f.At.After(from) && f.At.Before(to) && !f.Allows() {
			return false
		}
	}
	return true
}
