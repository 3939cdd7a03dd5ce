package drain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The tiers of --order=tiers.
const (
	tierOrdinary = iota
	tierCritical
	tierSupport // what provides storage, or comes straight back like a DaemonSet's pod
)

// tier is the pod's place in the order of the run: all the same without one.
func (st releaseStep) tier(p *PodRun) int {
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

// holdsNextTier reports whether a pod keeps those of later tiers waiting. One that
// is blocked (by a budget or by the run's own guard) or stuck, or left to run to
// its end, does not: it is not known for how long.
func (p *PodRun) holdsNextTier() bool {
	return !p.State.Final() && !p.State.Blocked() && p.State != PodStuckTerminating && !p.waitsForCompletion() &&
		(p.Wait == nil || p.Wait.For != waits.ForGuard)
}

// candidate is a pod of a draining node, with what decides when its turn is.
type candidate struct {
	place    int // in the plan
	tier     int
	last     bool  // the operator put it there
	volumes  bool  // it takes turns with the others of its driver
	priority int32 // of one with volumes
	chain    int   // evictions one after the other under its budget; 0 without one
}

// before is the order in which pods are asked for: tier by tier, in each those last that
// the operator put there; those first that take turns for their volumes, by priority;
// then the longest chain, then those that no budget holds up, as in the plan.
func before(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(a.tier, b.tier),
		first(b.last, a.last),
		first(a.volumes, b.volumes),
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(b.chain, a.chain),
		cmp.Compare(a.place, b.place),
	)
}

// first compares by whether something is the case: those of which it is come first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// keptSlots is how many slots pods without a budget leave to those with one:
// the run is as long as its longest chain, which must never wait for a slot.
const keptSlots = 4

// candidates are the pods of the draining nodes in their order. With them comes the
// number of slots that chains keep to themselves.
func (st releaseStep) candidates(draining map[string]bool) (order []candidate, kept int) {
	waiting := map[kube.UID]int{}
	under := make([]*kube.Budget, len(st.s.Pods))
	for i, p := range st.s.Pods {
		if p.State.Final() || !draining[p.Node] {
			continue
		}
		c := candidate{place: i, tier: st.tier(p), last: p.last}
		live := st.snap.Pod(p.UID)
		if c.volumes = len(p.Volumes) > 0 && st.s.Run.Options.MaxParallelVolumes > 0; c.volumes && live != nil {
			c.priority = live.Spec.Priority
		}
		order = append(order, c)
		if live == nil || live.Terminating() || p.Action != plan.ActionEvict {
			continue
		}
		if way, budgets := st.wayOf(live); way == budget.WaySpends {
			under[i] = budgets[0]
			waiting[budgets[0].UID]++
		}
	}
	for i := range order {
		if b := under[order[i].place]; b != nil {
			atOnce := max(1, int(b.ExpectedPods-b.DesiredHealthy))
			order[i].chain = (waiting[b.UID] + atOnce - 1) / atOnce
			kept = min(keptSlots, st.s.Run.Options.MaxParallelEvictions/4)
		}
	}
	slices.SortFunc(order, before)
	return order, kept
}

// holdLater notes the nodes on which pods of a tier keep those of later tiers waiting.
func (st releaseStep) holdLater(held map[string]bool, order []candidate, tier int) {
	for _, c := range order {
		if p := st.s.Pods[c.place]; c.tier == tier && p.holdsNextTier() {
			held[p.Node] = true
		}
	}
}

// waitForTier notes that a pod that could go lets an earlier tier go first.
func (st releaseStep) waitForTier(p *PodRun) {
	if p.State == PodPlanned {
		st.setPod(p, PodPlanned, &waits.Wait{For: waits.ForTier}, "")
	}
}
