package wording

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// NodeNames are the nodes of a run in its order.
func NodeNames(s *drain.State) []string {
	names := make([]string, len(s.Nodes))
	for i, n := range s.Nodes {
		names[i] = n.Name
	}
	return names
}

// NodesTouched are the nodes of the run but those that it refused.
func NodesTouched(s *drain.State) []string {
	return NodesIn(s, func(s drain.NodeState) bool { return s != drain.NodeRefused })
}

func NodesIn(s *drain.State, state func(drain.NodeState) bool) []string {
	var names []string
	for _, n := range s.Nodes {
		if state(n.State) {
			names = append(names, n.Name)
		}
	}
	return names
}

// RunTime is how long a run has taken so far, or took.
func RunTime(s *drain.State, now time.Time) time.Duration {
	if !s.Ended.IsZero() {
		now = s.Ended
	}
	if s.Started.IsZero() {
		return 0
	}
	return now.Sub(s.Started)
}

func Tail(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
