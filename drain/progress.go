package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Progress counts the pods that the run is to move; node "" means all nodes.
// Those of a refused node stay, so they are none of them.
func (s *State) Progress(node string) Progress {
	var refused []string
	for _, n := range s.Nodes {
		if n.State == NodeRefused {
			refused = append(refused, n.Name)
		}
	}
	var p Progress
	for _, pod := range s.Pods {
		if node != "" && pod.Node != node || slices.Contains(refused, pod.Node) || pod.Action == plan.ActionSkip || pod.Action == plan.ActionRefuse {
			continue
		}
		p.Total++
		switch {
		case pod.State.Left():
			p.Left++
		case pod.State == PodSkipped:
			p.Skipped++
		case pod.State == PodFailed:
			p.Failed++
		case pod.State.Blocked():
			p.Blocked++
		case pod.State == PodTerminating || pod.State == PodStuckTerminating:
			p.Terminating++
		}
	}
	return p
}

// PhasesInOrder are the phases of this run, in order: with the guard where real
// budgets were asked for.
func (s *State) PhasesInOrder() []Phase {
	if !s.Run.Options.GuardWrite {
		return Phases
	}
	return slices.Insert(slices.Clone(Phases), 1, PhaseGuard)
}

// Node is the node of that name in the run, nil if it is not part of it.
func (s *State) Node(name string) *NodeRun {
	for _, n := range s.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// Pod is the pod of that UID in the run, nil if it is not part of it.
func (s *State) Pod(uid kube.UID) *PodRun {
	if i, known := s.index[uid]; known {
		return s.Pods[i]
	}
	for _, p := range s.Pods { // a state made by hand has no index
		if p.UID == uid {
			return p
		}
	}
	return nil
}

// InFlight reports whether a write is out that has not been answered: a run does
// not end before, for it would not know what it did.
func (s *State) InFlight() bool {
	for _, p := range s.Pods {
		if p.InFlight != 0 {
			return true
		}
	}
	for _, n := range s.Nodes {
		if n.InFlight != 0 {
			return true
		}
	}
	for _, b := range s.Budgets {
		if b.InFlight != 0 {
			return true
		}
	}
	return false
}

// Losses counts the pods that have left their nodes in the run by what that cost.
func (s *State) Losses() plan.Losses {
	var sum plan.Losses
	for _, p := range s.Pods {
		if p.State.Left() {
			sum.Add(p.Loss)
		}
	}
	return sum
}

// heldAfter is how long a node must have made no progress before it counts as
// held: kubectl's own pause between two tries of a pod. Where what it waits for
// usually comes by itself (a replacement that starts), comesUpIn counts instead,
// so that no place is given away between two waves of a budget.
const heldAfter = 5 * time.Second

// heldFrom says from when on a node whose drain has begun counts as held, as far
// as its pods are known now: none of them is asked for, ends within its grace or
// can be sent. Time in which the run itself could not act does not count. It is zero while
// the node makes progress.
func (s *State) heldFrom(n *NodeRun) time.Time {
	last, patience := latest(n.Started, s.acted), time.Duration(0)
	for _, i := range s.onNode[n.Name] {
		p := s.Pods[i]
		last = latest(last, p.Accepted, p.Ended)
		if p.State.Final() {
			continue
		}
		after, held := p.heldAfter()
		if !held {
			return time.Time{}
		}
		patience = max(patience, after)
		last = latest(last, p.BlockedSince)
	}
	return last.Add(patience)
}

// heldAfter reports whether the pod makes no progress, and how long that must last
// until it counts. A try in between, which a blocked pod gets now and then, is no
// progress.
func (p *PodRun) heldAfter() (after time.Duration, held bool) {
	switch {
	case p.State == PodStuckTerminating:
		return 0, true
	case p.State == PodTerminating || p.Wait == nil:
		return 0, false
	case p.BlockedSince.IsZero() && (p.State != PodPlanned || p.Wait.For == waits.ForTurn):
		return 0, false
	case p.Wait.Lasts():
		return heldAfter, true
	}
	return budget.ComesUpIn, true
}

func latest(first time.Time, more ...time.Time) time.Time {
	for _, t := range more {
		if t.After(first) {
			first = t
		}
	}
	return first
}

// PlaceFrees is when the next of the nodes at work counts as held, zero where no
// node waits for its place.
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
	if s.Run.Options.StrictOrder {
		return false
	}
	for _, n := range s.Nodes {
		if n.State == NodeCordoned {
			return true
		}
	}
	return false
}
