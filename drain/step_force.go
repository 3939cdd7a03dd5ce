package drain

import (
	"fmt"
	"time"
)

// forced tells whether the operator's fallback applies to a pod that is blocked:
// --force-after and --max-evict-retries (gardener's MaxEvictRetries, but with the
// pod's own grace period where gardener deletes with zero).
func (st *stepper) forced(p *PodRun) bool {
	o := st.s.Run.Options
	switch p.State {
	case PodBudgetBlocked, PodBudgetSyncing, PodMultipleBudgets, PodWebhookWait:
	default:
		return false
	}
	if o.ForceAfter > 0 && !p.blockedSince.IsZero() && st.now.Sub(st.s.counted(p.blockedSince)) >= o.ForceAfter {
		return true
	}
	return o.MaxEvictRetries > 0 && p.Refusals > o.MaxEvictRetries
}

// giveUpEvicting notes that the pod is deleted past its budget from now on.
func (st *stepper) giveUpEvicting(p *PodRun) *PodRun {
	why := fmt.Sprintf("blocked for %s and refused %d times: deleted past its budget, as the flags say",
		p.BlockedFor(st.now).Round(time.Second), p.Refusals)
	st.emit(Event{Kind: EventPod, Node: p.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID,
		PodState: p.State, Wait: p.Wait, Message: why, Forced: true})
	return st.s.Pod(p.UID)
}
