package drain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The tiers of --order=tiers.
const (
	tierOrdinary = iota
	tierCritical
	tierSupport // what provides storage, or comes straight back like a DaemonSet's pod
	tiers
)

// tier is the pod's place in the order of the run: all the same without one.
func (st *stepper) tier(p *PodRun) int {
	if st.s.Run.Options.Order != plan.OrderTiers {
		return tierOrdinary
	}
	switch live := st.snap.Pod(p.UID); {
	case live == nil:
		return tierOrdinary
	case live.Spec.Storage, plan.ToleratesCordon(live.Spec.Tolerations),
		slices.ContainsFunc(p.Reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonDaemonSetLike }):
		return tierSupport
	case live.Spec.Priority >= kube.SystemCriticalPriority, strings.HasPrefix(live.Spec.PriorityClass, "system-"):
		return tierCritical
	}
	return tierOrdinary
}

// holdsNextTier tells whether a pod keeps those of later tiers waiting. One that
// is blocked (by a budget or by the run's own guard) or stuck, or left to run to
// its end, does not: nobody knows for how long.
func (p *PodRun) holdsNextTier() bool {
	return !p.State.Final() && !p.State.Blocked() && p.State != PodStuckTerminating && !p.waitsForCompletion() &&
		(p.Wait == nil || p.Wait.For != WaitForGuard)
}

// turn is a pod's place in the run and how long the chain is that it is part of.
type turn struct {
	place int
	chain int // evictions one after the other under its budget; 0 without one
}

// keptSlots is how many slots pods without a budget leave to those with one:
// the run is as long as its longest chain, which must never wait for a slot.
const keptSlots = 4

// inOrder are the pods of the draining nodes in the order in which they are
// tried: the longest chain first, then those that no budget holds up, as in the
// plan, and last those that the operator put there. With it comes the number of
// slots that chains keep to themselves.
func (st *stepper) inOrder(draining map[string]bool) (order []turn, kept int) {
	waiting := map[kube.UID]int{}
	under := make([]*kube.Budget, len(st.s.Pods))
	for i, p := range st.s.Pods {
		if p.State.Final() || !draining[p.Node] || p.Action != plan.ActionEvict {
			continue
		}
		live := st.snap.Pod(p.UID)
		if live == nil || live.Terminating() {
			continue
		}
		if way, budgets := st.wayOf(live); way == budget.WaySpends {
			under[i] = budgets[0]
			waiting[budgets[0].UID]++
		}
	}
	var last []turn
	for i, p := range st.s.Pods {
		t := turn{place: i}
		if b := under[i]; b != nil {
			atOnce := max(1, int(b.ExpectedPods-b.DesiredHealthy))
			t.chain = (waiting[b.UID] + atOnce - 1) / atOnce
			kept = min(keptSlots, st.s.Run.Options.MaxParallelEvictions/4)
		}
		switch {
		case !draining[p.Node]:
		case p.last:
			last = append(last, t)
		default:
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b turn) int { return cmp.Compare(b.chain, a.chain) })
	st.byPriority(order)
	return append(order, last...), kept
}

// waitForTier notes that a pod that could go lets an earlier tier go first.
func (st *stepper) waitForTier(p *PodRun) {
	if p.State == PodPlanned {
		st.setPod(p, PodPlanned, &Wait{For: WaitForTier}, "")
	}
}
