package surge

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Surplus are the pods that a budget counts as healthy and that are removed at the end of a surge, by the UID of the
// budget. Whoever evicts another pod by what that budget allows meanwhile leaves too few in the end.
type Surplus map[kube.UID]counted

type counted struct {
	pods  int
	until time.Time // zero where the surge tells when they are gone
}

// settles is how long the status of a budget may still count pods that the controller of a workload has removed.
const settles = 2 * time.Second

// Surplus are those of all surges.
func (rs Records) Surplus(s *kube.Snapshot, now time.Time) Surplus {
	all := Surplus{}
	for _, r := range rs {
		over, until := r.State == Planned || r.State == Done || r.State.ended(), r.Since.Add(settles)
		if r.Batch.To == 0 || over && !now.Before(until) {
			continue
		}
		counts, extra := countsOf(s, r)
		if r.State != Raising && r.State != Starting { // removed pods may still be in the status
			extra = max(extra, int(r.Batch.To-r.Batch.Was))
		}
		for budget, n := range counts {
			sum := all[budget]
			sum.pods += max(0, min(n, extra))
			if over {
				sum.until = later(sum.until, until)
			}
			all[budget] = sum
		}
	}
	return all
}

// countsOf are, by budget, the Ready pods of a workload that surges, and how many of them it has too many. Where the
// workload is not shown, as before it is read, the batch is all that is known.
func countsOf(s *kube.Snapshot, r *Record) (counts map[kube.UID]int, extra int) {
	counts = map[kube.UID]int{}
	count := func(p *kube.Pod, n int) {
		for _, b := range s.BudgetsOf(p) {
			counts[b.UID] += n
		}
	}
	w := s.Workload(r.UID)
	if w == nil {
		extra = int(r.Batch.To - r.Batch.Was)
		for _, m := range r.Batch.Pods {
			if p := s.Pod(m.UID); p != nil {
				count(p, extra)
			}
		}
		return counts, extra
	}
	ready := 0
	for _, p := range activeOf(s, w) {
		if p.Ready {
			ready++
			count(p, 1)
		}
	}
	return counts, ready - int(Wants(w))
}

// Holds is until when the eviction of a pod waits, because one of its budgets allows no more disruptions than its
// surplus: nil for no wait, zero where the end of the surge ends it.
func (all Surplus) Holds(s *kube.Snapshot, p *kube.Pod) *time.Time {
	if len(all) == 0 {
		return nil
	}
	for _, b := range s.BudgetsOf(p) {
		if sum := all[b.UID]; p.Ready && sum.pods > 0 && int(b.DisruptionsAllowed) <= sum.pods {
			return &sum.until
		}
	}
	return nil
}
