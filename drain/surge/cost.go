package surge

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// madeBefore is how much earlier than the raise by our reckoning of the server's clock a
// replacement may have been made: both are in whole seconds.
const madeBefore = 2 * time.Second

// replacementsOf returns the pods that the raise has added, the newest first. A pod on a cordoned node that is not
// newer than the raise existed before: no new pod is scheduled there.
func replacementsOf(s *kube.Snapshot, w *kube.Workload, b *Batch) []*kube.Pod {
	pods := slices.DeleteFunc(activeOf(s, w), func(p *kube.Pod) bool {
		n := s.Node(p.Node)
		return b.Has(p.UID) || p.Created.Before(b.At.Add(-madeBefore)) ||
			n != nil && n.Unschedulable && !p.Created.After(b.At)
	})
	slices.SortStableFunc(pods, func(a, b *kube.Pod) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Name, b.Name))
	})
	return pods[:min(len(pods), int(b.To-b.Was))]
}

// leavingOf returns the pods that get the lowest cost when the replicas are set back: as many as the controller
// removes, so that it removes no other pod. Pods of the batch come first (wanted), then other pods of the run (moves),
// then Ready replacements. Pods that are not Ready need no cost: the controller removes them before all others
// (getPodsToDelete in kubernetes pkg/controller/replicaset).
func leavingOf(s *kube.Snapshot, w *kube.Workload, b *Batch, wanted, moves []*kube.Pod) []*kube.Pod {
	leaving, active := slices.Clone(wanted), activeOf(s, w)
	room := min(int(b.To-b.Was), len(active)-int(b.Was)) - len(leaving)
	for _, p := range active {
		if !p.Ready && !slices.Contains(leaving, p) {
			room--
		}
	}
	for _, p := range slices.Concat(moves, replacementsOf(s, w, b)) {
		if room > 0 && p.Ready && !slices.Contains(leaving, p) {
			leaving, room = append(leaving, p), room-1
		}
	}
	return leaving
}

// noneMade reports whether no replacement was made although there was time for it: under a quota, for example. The
// replicas are then set back before the costs: the controller removes no pod, and the disruption controller counts
// the pods of a budget again only when one of them changes (kubernetes pkg/controller/disruption). It would go by the
// number that was raised.
func (r *Record) noneMade(s *kube.Snapshot, w *kube.Workload, now time.Time) bool {
	had := r.Late || s.ServerTime(now).Sub(r.Batch.At) > shownWithin
	return had && len(activeOf(s, w)) <= int(r.Batch.Was)
}

func lowest(p *kube.Pod) bool {
	return p.Annotations[kube.DeletionCostAnnotation] == request.LowestDeletionCost
}

// costs are the requests that give the leaving pods the lowest cost, and all others whose
// cost the run has changed theirs back.
func (r *Record) costs(v View, leaving []*kube.Pod) (d Decision) {
	ask := func(p *kube.Pod, from, to, was string) {
		c := r.Costs.of(p.UID)
		switch {
		case c != nil && (c.InFlight != 0 || c.givenUp(to, v.End)), len(d.Sends) >= v.Slots:
			return
		case c != nil && c.To == to && c.Next.After(v.Now):
			d.Wake = first(d.Wake, c.Next)
			return
		}
		d.Sends = append(d.Sends, Send{Verb: attempt.VerbDeletionCost, Cost: &CostFacts{Mover{p.Name, p.UID}, was, to},
			Request: request.SetCost{Namespace: p.Namespace, Name: p.Name, UID: p.UID, From: from, To: to}})
	}
	for _, p := range leaving {
		if !lowest(p) {
			ask(p, "", request.LowestDeletionCost, p.Annotations[kube.DeletionCostAnnotation])
		}
	}
	for i := range r.Costs {
		c := &r.Costs[i]
		if p := lowestOf(v, r.UID, c.UID, leaving); p != nil {
			ask(p, request.LowestDeletionCost, c.Was, c.Was)
		}
		if until := c.unseen(v, leaving); until.After(v.Now) {
			d.Wake = first(d.Wake, until)
		}
	}
	return d
}

// unseen is until when the watch may take to show the lowest cost of a pod that is to stay after all, zero where it
// shows it or it was refused. Before that the replicas are not set back: the owner would remove the pod.
func (c *Cost) unseen(v View, leaving []*kube.Pod) time.Time {
	p := v.Snap.Pod(c.UID)
	switch {
	case c.To != request.LowestDeletionCost, c.Last == nil:
	case p == nil, p.Terminating(), lowest(p), slices.Contains(leaving, p):
	case c.Last.Class() == kube.AnswerDone:
		return c.Next
	case c.Last.MayBeDone():
		return c.Next.Add(shownWithin)
	}
	return time.Time{}
}

// lowestOf is a pod that is not to leave and still has our cost, nil where it has not. The cost is another run's where
// the annotation of that run names the pod.
func lowestOf(v View, workload, uid kube.UID, leaving []*kube.Pod) *kube.Pod {
	p := v.Snap.Pod(uid)
	if p == nil || p.Terminating() || !lowest(p) || slices.Contains(leaving, p) {
		return nil
	}
	if w := v.Snap.Workload(workload); w != nil {
		if m, marked := parseMark(w.SurgeMark); marked && m.Run != v.Run {
			if _, named := m.Costs[uid]; named {
				return nil
			}
		}
	}
	return p
}

// settled reports whether the cluster shows all costs as they are to be, as far as they
// can be had.
func (r *Record) settled(v View, leaving []*kube.Pod) bool {
	for _, p := range leaving {
		if c := r.Costs.of(p.UID); !lowest(p) && (c == nil || !c.givenUp(request.LowestDeletionCost, v.End)) {
			return false
		}
	}
	for i := range r.Costs {
		c := &r.Costs[i]
		if c.InFlight != 0 || c.unseen(v, leaving).After(v.Now) ||
			lowestOf(v, r.UID, c.UID, leaving) != nil && !c.givenUp(c.Was, v.End) {
			return false
		}
	}
	return true
}

// refused returns why a pod that is to leave does not get the lowest cost, "" where it may. Without that the controller
// would remove the replacement.
func (cs Costs) refused(leaving []*kube.Pod, end bool) string {
	for _, p := range leaving {
		c := cs.of(p.UID)
		if c != nil && !lowest(p) && c.givenUp(request.LowestDeletionCost, end) && c.Last.Class() != kube.AnswerGone {
			return "the deletion cost of its pod " + p.Name + " cannot be set: " + c.Last.Words()
		}
	}
	return ""
}

// givenUp reports whether the server has refused that cost for good: the pod is gone,
// somebody else has set its cost, or the right is missing. A run that ends tries a few times
// only. A conflict is a write that came between: a pod that is another by now is soon seen to be gone.
func (c *Cost) givenUp(to string, end bool) bool {
	if c.InFlight != 0 || c.To != to {
		return false
	}
	switch class := c.Last.Class(); {
	case class == kube.AnswerGone, class == kube.AnswerInvalid && to != request.LowestDeletionCost:
		return true
	case class == kube.AnswerDone:
		return false
	case class == kube.AnswerForbidden, class == kube.AnswerInvalid: // of a policy
		end = true
	}
	return end && c.Tries >= attempt.RemoveTries
}
