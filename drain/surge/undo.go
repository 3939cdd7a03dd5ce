package surge

import (
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Undo are the requests that take back what the run left of a surge, in their order, or why
// it is left alone: a rollback asks here. The pods of the batch get their cost back; Ready
// replacements get the lowest, so that they are removed and no other pod; then the replicas
// are set back, if they are still the run's. What is asked for after that (see SetBack) gives
// pods their cost back that the controller has not removed, and removes the last of the run's annotations.
func (r *Record) Undo(run string, s *kube.Snapshot) (requests []request.Request, left string) {
	w := s.Workload(r.UID)
	if w != nil {
		if found := r.Batch.later(s, w, run); found != nil {
			found.Costs = append(found.Costs, r.Costs...)
			r = found
		}
	}
	v := View{Run: run, Snap: s}
	raised := w != nil && (raisedBy(w, run) || r.unmarked(w))
	var leaving []*kube.Pod
	if raised && r.lower(w).Scales() {
		leaving = leavingOf(s, w, &r.Batch, nil, nil)
	}
	for i := range r.Costs {
		if p := lowestOf(v, r.UID, r.Costs[i].UID, leaving); p != nil {
			requests = append(requests, setCost(p, request.LowestDeletionCost, r.Costs[i].Was))
		}
	}
	if w == nil { // what outlives it is undone
		for _, l := range orphans(s, &r.Facts, r.Batch.Mark) {
			requests = append(requests, l)
		}
		if len(requests) == 0 {
			left = "it is gone"
		}
		return requests, left
	}
	for _, p := range leaving {
		if !lowest(p) {
			was := p.Annotations[kube.DeletionCostAnnotation]
			requests = append(requests, setCost(p, was, request.LowestDeletionCost))
		}
	}
	switch {
	case raised && r.lower(w).Scales() && r.noneMade(s, w, s.At()):
		return slices.Insert(requests, 0, request.Request(r.lower(w))), ""
	case raised:
		return append(requests, r.lower(w)), ""
	}
	for _, l := range r.Batch.last(w, lastMarks(s, w, run)) {
		requests = append(requests, l)
	}
	switch {
	case len(requests) == 0 && w.Replicas == r.Batch.To && RaisedByOther(w, run) == "":
		return nil, fmt.Sprintf("it has %d replicas, and not the annotation of the run: somebody else keeps it so",
			w.Replicas)
	case len(requests) == 0:
		return nil, "it is already taken back"
	}
	return requests, ""
}

func setCost(p *kube.Pod, from, to string) request.SetCost {
	return request.SetCost{Namespace: p.Namespace, Name: p.Name, UID: p.UID, From: from, To: to}
}

// UndoWhat says what Undo takes back.
func (r *Record) UndoWhat() string {
	return fmt.Sprintf("set %s back to %d replicas, its deletion costs to what they were", r.Title(), r.Batch.Was)
}

// Scales reports whether one of the requests of Undo changes the replicas.
func Scales(requests []request.Request) bool {
	return slices.ContainsFunc(requests, func(one request.Request) bool {
		l, lowers := one.(request.Lower)
		return lowers && l.Scales()
	})
}

// UndoID is the same for the same surge in each plan of a rollback.
func (r *Record) UndoID() string { return "surge/" + string(r.UID) }
