package journal

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// mattering are the events of a run that one wants to skip to: a phase or a node that begins
// or ends, a pod that comes to be blocked, stuck or failed or is free again, what the operator
// did, outages and the end. Requests, answers, pods that only move, and figures are not.
func mattering(events []drain.Event) []int {
	var at []int
	held := map[kube.UID]bool{}
	for i := range events {
		e := &events[i]
		matters := false
		switch e.Kind {
		case drain.EventRunStarted, drain.EventPhase, drain.EventQuestion, drain.EventConfirmed, drain.EventNode,
			drain.EventConnection, drain.EventControl, drain.EventRemedy, drain.EventGate, drain.EventRetire,
			drain.EventUndone, drain.EventResumed, drain.EventJournal, drain.EventWarning, drain.EventRunEnded:
			matters = true
		case drain.EventPod:
			now := e.PodState.Blocked() || e.PodState == eviction.StuckTerminating || e.PodState == eviction.Failed
			matters, held[e.UID] = now != held[e.UID], now
		}
		if matters {
			at = append(at, i)
		}
	}
	return at
}
