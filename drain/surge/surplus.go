package surge

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Surplus are the pods that a budget counts as healthy and that are removed at the end of a surge, by the UID of the
// budget. Whoever evicts another pod by what that budget allows meanwhile leaves too few in the end.
type Surplus struct {
	counts map[kube.UID]counted
	// others is until when it is waited for what tells of the surges of another run, nil where none is at work.
	others *time.Time
}

type counted struct {
	budget *kube.Budget
	pods   int
	until  time.Time // zero where the surge tells when they are gone
}

// settles is how long the status of a budget may still count pods that the controller of a workload has removed.
const settles = 2 * time.Second

// Surplus are those of all surges.
func (rs Records) Surplus(v View) *Surplus {
	all := &Surplus{counts: map[kube.UID]counted{}}
	for _, r := range rs {
		over, until := r.State == Planned || r.State == Done || r.State.ended(), r.Since.Add(settles)
		if r.Batch.To == 0 || over && !v.Now.Before(until) {
			continue
		}
		counts, extra := surplusOf(v.Snap, r)
		if r.State != Raising && r.State != Starting { // removed pods may still be in the status
			extra = max(extra, int(r.Batch.To-r.Batch.Was))
		}
		if !over {
			until = time.Time{}
		}
		for budget, n := range counts {
			all.add(budget, min(n, extra), until)
		}
	}
	all.ofOthers(v)
	for uid, sum := range all.counts {
		sum.pods += v.unshown(sum.budget)
		all.counts[uid] = sum
	}
	if until, over := v.ends(v.From); !over && othersAtWork(v) {
		all.others = &until
	}
	return all
}

// ends is until when another run's surge is waited for, which has been known since then: as long as for a surge of its
// own, zero for no limit.
func (v View) ends(since time.Time) (until time.Time, over bool) {
	if v.Timeout == 0 {
		return time.Time{}, false
	}
	until = since.Add(v.Timeout)
	return until, !v.Now.Before(until)
}

// tellSurges are what shows the surges of other runs.
var tellSurges = []kube.Kind{kube.KindPods, kube.KindReplicaSets, kube.KindDeployments}

// othersAtWork reports whether another run is live on some node.
func othersAtWork(v View) bool {
	return slices.ContainsFunc(v.Snap.Leases(), func(l *kube.Lease) bool {
		return l.Holder != "" && l.Holder != v.Run && v.Now.Before(v.Snap.LeaseEnds(l))
	})
}

func (all *Surplus) add(budget *kube.Budget, pods int, until time.Time) {
	sum := all.counts[budget.UID]
	sum.budget, sum.pods, sum.until = budget, sum.pods+max(0, pods), later(sum.until, until)
	all.counts[budget.UID] = sum
}

// ofOthers adds the pods of other runs' surges. Their annotation is on the workload, and after its replicas are set
// back for a while on its ReplicaSet.
func (all *Surplus) ofOthers(v View) {
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets} {
		for _, w := range kube.Workloads(v.Snap, kind) {
			m, marked := parseMark(w.SurgeMark)
			if !marked || m.Run == v.Run {
				continue
			}
			until, over := v.ends(m.At.Add(v.Now.Sub(v.Snap.ServerTime(v.Now))))
			d := copiedFrom(v.Snap, w)
			if over || d != nil && d.SurgeMark != "" { // then the Deployment tells
				continue
			}
			if d != nil {
				w = d
			}
			counts, extra := countsOf(v.Snap, w)
			for budget, n := range counts {
				all.add(budget, min(n, extra), until)
			}
		}
	}
}

// unshown is how many pods more the status of a budget counts as healthy than are Ready and stay: budgets and pods
// have separate watches. Each is a replacement that does not show yet, or a pod that is no longer Ready and that the
// budget does not allow for.
func (v View) unshown(b *kube.Budget) int {
	healthy := int(b.CurrentHealthy)
	for _, p := range v.Snap.PodsUnder(b) {
		_, evicted := b.DisruptedPods[p.Name]
		if p.Ready && !p.Terminating() && !evicted && !v.Out(b, p.UID) {
			healthy--
		}
	}
	return max(0, healthy)
}

// surplusOf are, by budget, the Ready pods of a workload that surges, and how many of them it has too many. Where the
// workload is not shown, as before it is read, the batch is all that is known.
func surplusOf(s *kube.Snapshot, r *Record) (counts map[*kube.Budget]int, extra int) {
	if w := s.Workload(r.UID); w != nil {
		return countsOf(s, w)
	}
	counts, extra = map[*kube.Budget]int{}, int(r.Batch.To-r.Batch.Was)
	for _, m := range r.Batch.Pods {
		if p := s.Pod(m.UID); p != nil {
			for _, b := range s.BudgetsOf(p) {
				counts[b] += extra
			}
		}
	}
	return counts, extra
}

func countsOf(s *kube.Snapshot, w *kube.Workload) (counts map[*kube.Budget]int, extra int) {
	counts = map[*kube.Budget]int{}
	ready := 0
	for _, p := range activeOf(s, w) {
		if !p.Ready {
			continue
		}
		ready++
		for _, b := range s.BudgetsOf(p) {
			counts[b]++
		}
	}
	return counts, ready - int(Wants(w))
}

// Holds is until when the eviction of a pod waits, because its budget has no more disruptions left for the pod than its
// surplus, or that is not read yet: nil for no wait, zero where the end of the surge ends it. A pod of several budgets
// waits for none of them: the server refuses it, whatever they allow.
func (all *Surplus) Holds(s *kube.Snapshot, p *kube.Pod, left func(*kube.Budget) int) *time.Time {
	if !p.Ready || len(all.counts) == 0 && all.others == nil {
		return nil
	}
	budgets := s.BudgetsOf(p)
	if len(budgets) != 1 {
		return nil
	}
	switch sum := all.counts[budgets[0].UID]; {
	case sum.pods > 0 && left(budgets[0]) <= sum.pods:
		return &sum.until
	case all.others != nil && !s.In(p.Namespace).Settled(tellSurges...):
		return all.others
	}
	return nil
}
