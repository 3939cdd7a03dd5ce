package drain

import (
	"iter"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Progress counts the pods that the run is to move; node "" means all nodes.
func (s *State) Progress(node string) eviction.Progress {
	all, byNode := s.ProgressByNode()
	if node == "" {
		return all
	}
	return byNode[node]
}

// ProgressByNode is the Progress of all nodes, and of each, in one pass. The pods of a
// refused node stay, so they are none of them.
func (s *State) ProgressByNode() (all eviction.Progress, byNode map[string]eviction.Progress) {
	byNode = make(map[string]eviction.Progress, len(s.Nodes))
	for _, n := range s.Nodes {
		if n.State != NodeRefused {
			byNode[n.Name] = eviction.Progress{}
		}
	}
	for _, pod := range s.Pods {
		if p, counts := byNode[pod.Node]; counts {
			p.Count(pod)
			all.Count(pod)
			byNode[pod.Node] = p
		}
	}
	return all, byNode
}

// PhasesInOrder are the phases of this run, in order: with the guard where real
// budgets were asked for, and the surge where a workload has one.
func (s *State) PhasesInOrder() []Phase {
	phases := slices.Clone(phases)
	if len(s.Run.Surges) > 0 {
		phases = slices.Insert(phases, 2, PhaseSurge)
	}
	if s.Run.Options.GuardWrite {
		phases = slices.Insert(phases, 1, PhaseGuard)
	}
	return phases
}

// Node is the node of that name in the run, nil if it is not part of it.
func (s *State) Node(name string) *NodeRun {
	if i := slices.IndexFunc(s.Nodes, func(n *NodeRun) bool { return n.Name == name }); i >= 0 {
		return s.Nodes[i]
	}
	return nil
}

// Pod is the pod of that UID in the run, nil if it is not part of it.
func (s *State) Pod(uid kube.UID) *eviction.Record {
	if i, known := s.index[uid]; known {
		return s.Pods[i]
	}
	// a state made by hand has no index
	if i := slices.IndexFunc(s.Pods, func(p *eviction.Record) bool { return p.UID == uid }); i >= 0 {
		return s.Pods[i]
	}
	return nil
}

// LeftOver is what the run made for the drain and could not remove, in sentences.
func (s *State) LeftOver() []string {
	return slices.Concat(tempbudget.LeftOver(s.Budgets), s.Surges.LeftOver())
}

// InFlight reports whether a write has not been answered yet. A run does not end before.
func (s *State) InFlight() bool {
	return slices.ContainsFunc(s.Pods, func(p *eviction.Record) bool { return p.InFlight != 0 }) ||
		slices.ContainsFunc(s.Nodes, func(n *NodeRun) bool { return n.InFlight != 0 }) ||
		slices.ContainsFunc(s.Budgets, func(b *tempbudget.Record) bool { return b.InFlight != 0 }) ||
		slices.ContainsFunc(s.Surges, (*surge.Record).Waiting)
}

// heldFrom says from when on a node whose drain has begun counts as held, zero while it makes
// progress. Time in which the run itself could not act does not count.
func (s *State) heldFrom(n *NodeRun) time.Time {
	return eviction.HeldFrom(s.podsOn(n.Name), latest(n.Started, s.acted))
}

// podsOn are the pods of a node in the run, as they are now.
func (s *State) podsOn(node string) iter.Seq[*eviction.Record] {
	return func(yield func(*eviction.Record) bool) {
		for _, i := range s.onNode[node] {
			if !yield(s.Pods[i]) {
				return
			}
		}
	}
}

// anyOn reports whether one of the pods of a node is so.
func (s *State) anyOn(node string, is func(*eviction.Record) bool) bool {
	for p := range s.podsOn(node) {
		if is(p) {
			return true
		}
	}
	return false
}

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// PlaceFrees is when the next of the nodes at work counts as held, zero where no node waits for its place.
func (s *State) PlaceFrees(now time.Time) time.Time {
	var first time.Time
	if !s.PlacesAwaited() {
		return first
	}
	for _, n := range s.Nodes {
		if n.State != NodeDraining {
			continue
		}
		if from := s.heldFrom(n); from.After(now) && (first.IsZero() || from.Before(first)) {
			first = from
		}
	}
	return first
}

// PlacesAwaited reports whether a node waits for the place of another, which may free it.
func (s *State) PlacesAwaited() bool {
	return !s.Run.Options.StrictOrder &&
		slices.ContainsFunc(s.Nodes, func(n *NodeRun) bool { return n.State == NodeCordoned })
}
