package surge

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Pairs are the replacements that start first, by workload and by the pods they stand for.
type Pairs map[kube.UID]map[kube.UID]*waits.Replacement

// Wait is what a pod of the workload waits for; its surge is nil while it is not known. It remembers the replacements.
func (p Pairs) Wait(r *Record, s *kube.Snapshot, now time.Time, pod kube.UID) *waits.Wait {
	if r == nil || !r.Batch.Has(pod) || r.begins() || r.Why != "" || r.State.ended() {
		return &waits.Wait{For: waits.ForSurge}
	}
	if p[r.UID] == nil {
		p[r.UID] = r.pairs(s, now)
	}
	wait := &waits.Wait{For: waits.ForRemoval, Replacement: p[r.UID][pod]}
	if r.State == Raising || r.State == Starting {
		wait.For = waits.ForReplacement
	}
	return wait
}

// pairs are the replacements that stand for the pods of the batch, by their UIDs. Any of them
// takes the place of any pod: they are told in the order in which they were made.
func (r *Record) pairs(s *kube.Snapshot, now time.Time) map[kube.UID]*waits.Replacement {
	pairs := map[kube.UID]*waits.Replacement{}
	w := s.Workload(r.UID)
	if w == nil || len(r.Batch.Pods) == 0 || !s.In(w.Namespace).Trusted(Kinds...) {
		return pairs
	}
	// As many as the workload has too many: a pod of just before the raise is none.
	made := replacementsOf(s, w, &r.Batch)
	active, before := activeOf(s, w), int(r.Batch.Was)
	for _, m := range r.Batch.Pods {
		if !slices.ContainsFunc(active, func(p *kube.Pod) bool { return p.UID == m.UID }) {
			before-- // it has left
		}
	}
	made = made[:max(0, min(len(made), len(active)-before))]
	slices.SortFunc(made, func(a, b *kube.Pod) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	for i, p := range made[:min(len(made), len(r.Batch.Pods))] {
		told := &waits.Replacement{Pod: p.Name, Node: p.Node, Ready: p.Ready}
		switch {
		case p.Ready && s.ServerTime(now).Before(p.AvailableAt(w.MinReadySeconds)):
			told.Reason = "minReadySeconds"
		case !p.Ready && p.Trouble != nil:
			told.Reason = p.Trouble.Reason
		}
		pairs[r.Batch.Pods[i].UID] = told
	}
	return pairs
}
