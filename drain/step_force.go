package drain

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// countedEvery is the shortest time between two refusals that count for
	// --max-evict-retries: tries follow the events of a budget, and a few lost races for
	// its disruptions say nothing about whether it moves on.
	countedEvery = 5 * time.Second
	// provenFor is how long a refusal by the budget proves that it holds the pod, while
	// the snapshot shows the budget; provenUnseen where budgets cannot be read.
	provenFor    = BudgetPoll
	provenUnseen = time.Second
)

// acts reports whether the run could send an eviction from the node now, if nothing
// blocked the pod: the server answers, the run is not paused, the Lease is held.
func (s *State) acts(node string) bool {
	if s.Down != nil || s.Paused || s.Aborting || s.Suspended || s.Outcome != "" {
		return false
	}
	if s.Run.Options.LeaseNamespace == "" {
		return true
	}
	n := s.Node(node)
	return n != nil && n.Lease != nil && (n.Lease.State == lease.Held || n.Lease.State == lease.Off)
}

// heldByBudget reports whether the pod waits for a budget and for nothing else. Where
// the last answer was another's refusal, it is not known what the budget would say.
func (p *PodRun) heldByBudget() bool {
	return (p.State == PodBudgetBlocked || p.State == PodMultipleBudgets) && (p.refusal == attempt.NotRefused || p.refusal.ByBudget())
}

// HeldFor is how long its budget has held the pod while the run could have evicted
// it: not while the API server was unreachable, the run was paused or had no process, or
// the Lease of the node was not in hand.
func (p *PodRun) HeldFor(now time.Time) time.Duration {
	if p.heldSince.IsZero() {
		return p.Held
	}
	return p.Held + max(0, now.Sub(p.heldSince))
}

// tendClocks lets the clocks of --force-after run or stand after an event.
func (s *State) tendClocks(e Event) {
	switch e.Kind {
	case EventPod, EventIntent, EventAnswer:
		if i, known := s.index[e.UID]; known {
			s.tendClock(i, s.acts(s.Pods[i].Node), e.Time)
		}
	case EventCommand:
		switch e.Command {
		case CommandPause, CommandContinue, CommandAbort, CommandSuspend:
			s.acted = e.Time
			s.tendClocksOf("", e.Time)
		}
	case EventConnection, EventResumed, EventRunEnded:
		s.acted = e.Time
		s.tendClocksOf("", e.Time)
	case EventLease:
		if s.Phase != PhaseEvict { // no pod is held before
			return
		}
		if e.LeaseState == lease.Held {
			s.acted = e.Time
		}
		s.tendClocksOf(e.Node, e.Time)
	}
}

// tendClocksOf is tendClock for the pods of a node, "" for all.
func (s *State) tendClocksOf(node string, at time.Time) {
	acts := map[string]bool{}
	for _, n := range s.Nodes {
		acts[n.Name] = s.acts(n.Name)
	}
	for i, p := range s.Pods {
		if node == "" || p.Node == node {
			s.tendClock(i, acts[p.Node], at)
		}
	}
}

// tendClock replaces the record of the pod where its clock is to start or to stop.
func (s *State) tendClock(i int, acts bool, at time.Time) {
	if i >= len(s.Pods) || s.Pods[i].heldSince.IsZero() != (acts && s.Pods[i].heldByBudget()) {
		return
	}
	p := *s.Pods[i]
	if p.heldSince.IsZero() {
		p.heldSince = at
	} else {
		p.Held, p.heldSince = p.HeldFor(at), time.Time{}
	}
	s.Pods[i] = &p
}

// stopClocks stops the clocks of the pods of a node ("" for all) at a moment that is
// past.
func (s *State) stopClocks(node string, at time.Time) {
	for i, p := range s.Pods {
		if node == "" || p.Node == node {
			s.tendClock(i, false, at)
		}
	}
}

// takeBackForce returns a pod whose deletion past its budget was refused, or may
// never have been sent, to evictions: that was decided for one request, and the
// budget may allow one by now.
func (p *PodRun) takeBackForce() {
	if p.forced {
		p.Action, p.forced = plan.ActionEvict, false
	}
}

// outOfPatience reports whether --force-after or --max-evict-retries have run out for
// the pod (gardener's MaxEvictRetries, but with the pod's own grace period where
// gardener deletes with zero).
func (st releaseStep) outOfPatience(p *PodRun) bool {
	o := st.s.Run.Options
	return o.ForceAfter > 0 && p.HeldFor(st.now) >= o.ForceAfter || o.MaxEvictRetries > 0 && p.BudgetRefusals > o.MaxEvictRetries
}

// proven reports whether the server itself said a moment ago that a budget holds the
// pod, and nothing has come between since: no outage, no pause, no other process.
func (st releaseStep) proven(p *PodRun) bool {
	lasts := provenFor
	if st.snap.Sync(kube.KindBudgets).Phase == kube.Denied {
		lasts = provenUnseen
	}
	return p.refusal.ByBudget() && !p.refusedAt.Before(st.s.acted) && attempt.Elapsed(p.refusedAt, st.now) < lasts
}

// forced reports whether the pod, which its budget holds as far as the snapshot
// knows, is deleted past it now.
func (st releaseStep) forced(p *PodRun, live *kube.Pod, wait *waits.Wait) bool {
	return (wait.For == waits.ForBudget || wait.For == waits.ForOneBudget) &&
		st.outOfPatience(p) && st.proven(p) && st.volumes().hasVolumeTurn(p, live)
}

// proofDue reports whether the pod is to be evicted once more, since only the
// server's own refusal allows to delete it past its budget.
func (st releaseStep) proofDue(p *PodRun) bool {
	if !st.outOfPatience(p) || st.proven(p) {
		return false
	}
	live := st.snap.Pod(p.UID)
	return live != nil && st.volumes().hasVolumeTurn(p, live) && (p.repeats == 0 || st.past(p.refusedAt.Add(p.unseenPause())))
}

// giveUpEvicting notes that the next request deletes the pod past its budget.
func (st releaseStep) giveUpEvicting(p *PodRun) *PodRun {
	why := fmt.Sprintf("blocked by its budget for %s, which refused it %s: deleted past it, as the flags say",
		p.HeldFor(st.now).Round(time.Second), words.Count(p.BudgetRefusals, "time", "times"))
	st.emit(Event{Kind: EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID,
		PodState: p.State, Wait: p.Wait, Message: why, Forced: true})
	return st.s.Pod(p.UID)
}
