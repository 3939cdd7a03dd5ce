package drain

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
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

// InFlight tells whether a write is out that has not been answered: a run does
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
