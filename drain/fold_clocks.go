package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
)

// acts reports whether the run could send an eviction from the node now, if nothing
// blocked the pod: the server answers, the run is not paused, the Lease is held.
func (s *State) acts(node string) bool {
	if s.Down != nil || s.Paused || s.Aborting || s.Suspended || s.Outcome != "" {
		return false
	}
	if s.Run.Options.LeaseNamespace == "" {
		return true
	}
	n := s.Node(node)
	return n != nil && n.Lease != nil && (n.Lease.State == lease.Held || n.Lease.State == lease.Disabled)
}

// tendClocks lets the clocks of --force-after run or stand after an event.
func (s *State) tendClocks(e Event) {
	switch e.Kind {
	case EventPod, EventIntent, EventAnswer:
		if i, known := s.index[e.UID]; known {
			s.Pods[i] = s.Pods[i].Tend(s.acts(s.Pods[i].Node), e.Time)
		}
	case EventControl:
		switch e.Command {
		case CommandPause, CommandContinue, CommandAbort, CommandSuspend:
			s.acted = e.Time
			s.tendClocksOf("", e.Time)
		}
	case EventConnection, EventResumed, EventRunEnded:
		s.acted = e.Time
		s.tendClocksOf("", e.Time)
	case EventLease:
		if s.Phase != PhaseEvict { // no pod is held before
			return
		}
		if e.LeaseState == lease.Held {
			s.acted = e.Time
		}
		s.tendClocksOf(e.Node, e.Time)
	}
}

// tendClocksOf lets the clocks of the pods of a node, "" for all, run or stand.
func (s *State) tendClocksOf(node string, at time.Time) { s.tendPods(node, s.acts, at) }

// stopClocks stops the clocks of the pods of a node, "" for all, at a moment that is past.
func (s *State) stopClocks(node string, at time.Time) {
	s.tendPods(node, func(string) bool { return false }, at)
}

func (s *State) tendPods(node string, acts func(node string) bool, at time.Time) {
	for _, n := range s.Nodes {
		if node != "" && n.Name != node {
			continue
		}
		acts := acts(n.Name)
		for _, i := range s.onNode[n.Name] {
			s.Pods[i] = s.Pods[i].Tend(acts, at)
		}
	}
}
