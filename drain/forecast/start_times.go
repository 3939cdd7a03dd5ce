package forecast

import (
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// ordinaryGrace is the grace period of pods that ask for none of their own
	// (corev1.DefaultTerminationGracePeriodSeconds). Who asks for more needs it.
	ordinaryGrace = 30 * time.Second
	// usedOfGrace is the part of an ordinary grace period that a pod takes, our
	// own assumption: a snapshot knows nothing of pods that have gone.
	usedOfGrace = 3
	// ordinaryStart is for owners of whose pods none was ever seen to start.
	ordinaryStart = 20 * time.Second
	// longestStart is above what a start can take; a pod that became Ready later
	// than that was not Ready in between.
	longestStart = 15 * time.Minute
	// historyOf is how many pods of an owner are asked.
	historyOf = 50
)

// endsIn is how long a pod takes to go once its eviction is accepted.
func endsIn(grace time.Duration) time.Duration {
	if grace <= ordinaryGrace {
		return grace / usedOfGrace
	}
	return grace
}

// atLeast is the part of it that the pod itself insists on.
func atLeast(plan *plan.Pod, pod *kube.Pod, serverNow time.Time) time.Duration {
	switch {
	case pod.Terminating():
		return max(pod.Deleted.Sub(serverNow), 0)
	case plan.Grace > ordinaryGrace:
		return plan.Grace
	}
	return 0
}

// starts is the time that pods of an owner take from being made to Ready: the
// median over those that are Ready now.
func starts(s *kube.Snapshot, owner kube.UID) time.Duration {
	var seen []time.Duration
	asked := 0
	for p := range s.PodsOf(owner) {
		if asked++; asked > historyOf {
			break
		}
		if took := p.ReadySince.Sub(p.Created); p.Ready && !p.ReadySince.IsZero() && took >= 0 && took <= longestStart {
			seen = append(seen, took)
		}
	}
	if len(seen) == 0 {
		return ordinaryStart
	}
	slices.Sort(seen)
	return seen[len(seen)/2]
}

// bound is the lower bound of a plan and the pod that it comes from. Nodes that
// are drained one after the other add up, as far as their pods go in the node's
// own turn: one that is held ends in that of others.
func bound(s *kube.Snapshot, planned plan.Plan, now time.Time) (time.Duration, *plan.Pod) {
	serverNow := s.ServerTime(now)
	var longest, sum time.Duration
	var of *plan.Pod
	for i := range planned.Nodes {
		var onNode time.Duration
		for k := range planned.Nodes[i].Pods {
			pod := &planned.Nodes[i].Pods[k]
			live := s.Pod(pod.UID)
			if live == nil || !pod.Moves() {
				continue
			}
			least := atLeast(pod, live, serverNow)
			if planned.Options.StrictOrder || pod.Wave == 1 {
				onNode = max(onNode, least)
			}
			if least > longest {
				longest, of = least, pod
			}
		}
		sum += onNode
	}
	return max(longest, sum/time.Duration(max(planned.Options.MaxParallelNodes, 1))), of
}

// reckoned is the estimate of a plan that is only counted: every wave takes as
// long as its slowest pod needs to go and the slowest owner to replace it.
func reckoned(s *kube.Snapshot, planned plan.Plan) plan.Estimate {
	e := plan.Estimate{Rough: true}
	var goes, comes time.Duration
	asked := map[kube.UID]bool{}
	plan.EachMove(planned, func(pod *plan.Pod) {
		if pod.Wave == 0 {
			e.Held++
			return
		}
		e.Count(pod.Wave)
		goes = max(goes, endsIn(pod.Grace))
		if live := s.Pod(pod.UID); live != nil && live.Owner != nil && pod.Wave > 1 && !asked[live.Owner.UID] {
			asked[live.Owner.UID] = true
			comes = max(comes, starts(s, live.Owner.UID))
		}
	})
	if n := time.Duration(len(e.Waves)); n > 0 {
		e.Total = n*goes + (n-1)*comes
	}
	e.Because = fmt.Sprintf("%d waves, each as slow as its slowest pod", len(e.Waves))
	return e
}
