package eviction

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/order"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// tier is the pod's place in the order of the run: all the same without one, but for those that go last.
func (v *View) tier(r *Record, live *kube.Pod) int {
	switch {
	case r.goesLast():
		return order.Last
	case v.Options.Order != plan.OrderTiers:
		return order.Ordinary
	}
	return order.TierOf(live, r.Reasons)
}

// HoldsNextTier reports whether a pod keeps those of later tiers waiting. One that
// is blocked (by a budget or by the run's own guard), stuck, without its controller or left to run to
// its end, does not: it is not known for how long.
func (r *Record) HoldsNextTier() bool {
	passed := []waits.For{waits.ForTemporaryBudget, waits.ForOwners, waits.ForController}
	if r.Wait != nil && slices.Contains(passed, r.Wait.For) {
		return false
	}
	return !r.State.Final() && !r.State.Blocked() && r.State != StuckTerminating && !r.waitsForCompletion()
}

// keptSlots is how many slots pods without a budget leave to those with one:
// the run is as long as its longest chain, which must never wait for a slot.
const keptSlots = 4

// Candidates are the pods of the draining nodes in their order. With them comes the
// number of slots that chains keep to themselves.
func (v *View) Candidates(draining map[string]bool) (all []order.Candidate, kept int) {
	v.lowest = lowestOrders(v.Pods)
	waiting := map[kube.UID]int{}
	under := make([]*kube.Budget, len(v.Pods))
	for i, r := range v.Pods {
		if r.State.Final() || !draining[r.Node] {
			continue
		}
		live := v.Snap.Pod(r.UID)
		c := order.Candidate{Place: i, Tier: v.tier(r, live), Later: v.later(r), Last: r.PutLast}
		if c.Volumes = len(r.Volumes) > 0 && v.Options.MaxParallelVolumes > 0; c.Volumes && live != nil {
			c.Priority = live.Spec.Priority
		}
		all = append(all, c)
		if live == nil || live.Terminating() || r.Action != plan.ActionEvict {
			continue
		}
		if way, budgets := v.accounts.WayOf(v.Snap, live); way == budget.WaySpends {
			under[i] = budgets[0]
			waiting[budgets[0].UID]++
		}
	}
	for i := range all {
		if b := under[all[i].Place]; b != nil {
			atOnce := max(1, int(b.ExpectedPods-b.DesiredHealthy))
			all[i].Chain = (waiting[b.UID] + atOnce - 1) / atOnce
			kept = min(keptSlots, v.Options.MaxParallelEvictions/4)
		}
	}
	slices.SortFunc(all, order.Before)
	return all, kept
}

// lowestOrders is the lowest order among the pods of each node that are still there, also of those
// that are left to run to their end. Pods that wait for all others hold up none of these.
func lowestOrders(pods []*Record) map[string]int32 {
	lowest := map[string]int32{}
	for _, r := range pods {
		if r.State.Final() || r.goesLast() || r.Self {
			continue
		}
		if order, known := lowest[r.Node]; !known || r.Order < order {
			lowest[r.Node] = r.Order
		}
	}
	return lowest
}

// later reports whether pods of a lower order have to leave the node of a pod first.
func (v *View) later(r *Record) bool { return r.Order > v.lowest[r.Node] }
