package order

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The tiers of --order=tiers.
const (
	Ordinary = iota
	Critical
	Support // what provides storage, or comes straight back like a DaemonSet's pod
	Last    // after all others of its node, whatever holds those and whatever the order
)

// TierOf is the tier of a pod, nil for one that is gone; reasons are those of the plan.
func TierOf(live *kube.Pod, reasons []plan.Reason) int {
	switch {
	case live == nil:
		return Ordinary
	case live.Spec.Storage, plan.ToleratesCordon(live.Spec.Tolerations),
		slices.ContainsFunc(reasons, func(r plan.Reason) bool { return r.Code == plan.ReasonDaemonSetLike }):
		return Support
	case live.Spec.Priority >= kube.SystemCriticalPriority, strings.HasPrefix(live.Spec.PriorityClass, "system-"):
		return Critical
	}
	return Ordinary
}

// Candidate is a pod of a draining node, with what decides when its turn is.
type Candidate struct {
	Place    int // in the plan
	Tier     int
	Later    bool  // others have to leave its node first, whatever their tier: it holds up none
	Last     bool  // the operator put it there
	Volumes  bool  // it takes turns with the others of its driver
	Priority int32 // of one with volumes
	Chain    int   // evictions one after the other under its budget; 0 without one
}

// Before is the order in which pods are asked for: tier by tier, in each those last that
// the operator put there; those first that take turns for their volumes, by priority;
// then the longest chain, then those that no budget holds up, as in the plan.
func Before(a, b Candidate) int {
	return cmp.Or(
		cmp.Compare(a.Tier, b.Tier),
		first(b.Last, a.Last),
		first(a.Volumes, b.Volumes),
		cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(b.Chain, a.Chain),
		cmp.Compare(a.Place, b.Place),
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
