package budget

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The words for a pod's trouble where neither kubelet nor scheduler gave one.
const (
	reasonTerminating = "terminating"
	reasonEvicted     = "eviction accepted"
	reasonPending     = "Pending"
	ReasonNotReady    = "not Ready"
	reasonFailed      = "Failed"
	reasonNodeSilent  = "NodeNotReady" // the kubelet of its node is silent
)

// disruptedFor is how long the disruption controller believes that a pod whose
// eviction was accepted is about to go (disruption.go DeletionTimeout).
const disruptedFor = 2 * time.Minute

// sickClass ranks what keeps a pod from being counted as healthy: what may last
// comes before what ends by itself.
type sickClass int

const (
	SickLive   sickClass = iota // pending or not Ready
	SickLeaves                  // terminating, or its eviction was accepted
	sickDead                    // failed, and will not be recreated
)

// SickPod is a pod that its budget does not count as healthy.
type SickPod struct {
	Pod   *kube.Pod
	Class sickClass
	since time.Time
	// silent tells that the kubelet of its node does not answer: it is not known how
	// the pod really is, and nothing ends it.
	Silent bool
}

// UnhealthyPodUnder is the pod under the budget whose trouble holds the others most
// tellingly: the one that is unhealthy for longest, and one that is about to go only
// where there is no other. The pod named by except is passed over. It is nil
// where all pods are healthy.
func UnhealthyPodUnder(b *kube.Budget, s *kube.Snapshot, except kube.UID, now time.Time) *UnhealthyPod {
	for _, sick := range SickUnder(b, s, s.PodsUnder(b), s.ServerTime(now)) {
		if sick.Pod.UID != except {
			return sick.unhealthyPod(s.ServerTime(now))
		}
	}
	return nil
}

// SickUnder are the pods of a budget that are not healthy, the most telling
// first. Healthy is what the disruption controller counts (disruption.go
// countHealthyPods): Ready, not terminating and not just being evicted.
func SickUnder(b *kube.Budget, s *kube.Snapshot, pods []*kube.Pod, serverNow time.Time) []SickPod {
	var sick []SickPod
	for _, p := range pods {
		if class, since, ok := sickness(b, p, serverNow); ok {
			node := s.Node(p.Node)
			sick = append(sick, SickPod{p, class, since, node != nil && node.Ready != kube.NodeReady})
		}
	}
	slices.SortFunc(sick, func(x, y SickPod) int {
		return cmp.Or(cmp.Compare(x.Class, y.Class), x.since.Compare(y.since),
			cmp.Compare(x.Pod.Name, y.Pod.Name), cmp.Compare(x.Pod.UID, y.Pod.UID))
	})
	return sick
}

func sickness(b *kube.Budget, p *kube.Pod, serverNow time.Time) (sickClass, time.Time, bool) {
	if p.Terminating() {
		return SickLeaves, p.Deleted.Add(-time.Duration(p.DeletionGrace) * time.Second), true
	}
	if p.Finished() {
		// Owners replace their finished pods, which then block no pod.
		return sickDead, notReadySince(p), p.Phase == corev1.PodFailed && p.Owner == nil
	}
	if at, ok := b.DisruptedPods[p.Name]; ok && at.Add(disruptedFor).After(serverNow) {
		return SickLeaves, at, true
	}
	return SickLive, notReadySince(p), !p.Ready
}

func notReadySince(p *kube.Pod) time.Time {
	if p.Phase == corev1.PodPending || p.ReadySince.IsZero() {
		return p.Created
	}
	return p.ReadySince
}

// passes reports whether its trouble should be over in a moment by itself.
func (sick SickPod) passes(serverNow time.Time) bool {
	switch {
	case sick.Silent:
		return false
	case sick.Pod.Terminating():
		return serverNow.Before(sick.Pod.Deleted.Add(StuckAfter))
	}
	return sick.Class == SickLeaves || sick.Class == SickLive && Starting(sick, serverNow)
}

// unhealthyPod describes the pod in the words of kubelet and scheduler, where
// there are any.
func (sick SickPod) unhealthyPod(serverNow time.Time) *UnhealthyPod {
	p := sick.Pod
	unhealthyPod := &UnhealthyPod{Namespace: p.Namespace, Name: p.Name, Node: p.Node, Since: sick.since,
		Starting: sick.passes(serverNow), Silent: sick.Silent}
	if p.Phase == corev1.PodPending && sick.Class == SickLive || sick.Class == sickDead {
		unhealthyPod.Phase = p.Phase
	}
	switch {
	case p.Terminating():
		unhealthyPod.Reason = reasonTerminating
	case sick.Class == SickLeaves:
		unhealthyPod.Reason = reasonEvicted
	case sick.Class == sickDead:
		unhealthyPod.Reason, unhealthyPod.Message = cmp.Or(p.Reason, reasonFailed), p.Message
	case p.Phase == corev1.PodPending:
		unhealthyPod.Reason = reasonPending
	default:
		unhealthyPod.Reason = ReasonNotReady
	}
	if sick.Silent && sick.Class == SickLive && (p.Trouble == nil || unspecific(p.Trouble.Reason)) {
		unhealthyPod.Reason = reasonNodeSilent
		return unhealthyPod
	}
	if t := p.Trouble; t != nil && sick.Class != SickLeaves {
		unhealthyPod.Reason = cmp.Or(t.Reason, unhealthyPod.Reason)
		unhealthyPod.Message, unhealthyPod.Termination = cmp.Or(t.Message, unhealthyPod.Message), t.Termination
		if t.HasExit {
			code := t.ExitCode
			unhealthyPod.ExitCode = &code
		}
	}
	return unhealthyPod
}

// StuckAfter is how long after the end of its grace a pod counts as stuck: a
// kubelet needs a few seconds to confirm.
const StuckAfter = 10 * time.Second
