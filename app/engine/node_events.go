package engine

import "time"

// nodeEvents decides what of a run is told by Events on its nodes.
type nodeEvents struct {
	told    map[string]int       // by node: how many
	blocked map[string]time.Time // by node: when a blocked pod was last told of
	pods    map[string]bool      // pod and budget that were told of
	looked  time.Time
	due     time.Time // when a pod that waits is worth an Event, zero if none will be
}

func newNodeEvents() *nodeEvents {
	return &nodeEvents{told: map[string]int{}, blocked: map[string]time.Time{}, pods: map[string]bool{}}
}
