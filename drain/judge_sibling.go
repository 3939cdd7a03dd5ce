package drain

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
	reasonNotReady    = "not Ready"
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
	sickLive   sickClass = iota // pending or not Ready
	sickLeaves                  // terminating, or its eviction was accepted
	sickDead                    // failed, and nobody makes it anew
)

// sickPod is a pod that its budget does not count as healthy.
type sickPod struct {
	pod   *kube.Pod
	class sickClass
	since time.Time
	// silent tells that the kubelet of its node does not answer: nobody says how
	// the pod really is, and nobody ends it.
	silent bool
}

// SickSibling is the pod under the budget whose trouble holds the others most
// tellingly: the one that is sick for longest, and one that is about to go only
// where there is no other. The pod named by except is passed over. It is nil
// where all pods are healthy.
func SickSibling(b *kube.Budget, s *kube.Snapshot, except kube.UID, now time.Time) *Sibling {
	for _, sick := range sickUnder(b, s, s.PodsUnder(b), s.ServerTime(now)) {
		if sick.pod.UID != except {
			return sick.sibling(s.ServerTime(now))
		}
	}
	return nil
}

// sickUnder are the pods of a budget that are not healthy, the most telling
// first. Healthy is what the disruption controller counts (disruption.go
// countHealthyPods): Ready, not terminating and not just being evicted.
func sickUnder(b *kube.Budget, s *kube.Snapshot, pods []*kube.Pod, serverNow time.Time) []sickPod {
	var sick []sickPod
	for _, p := range pods {
		if class, since, ok := sickness(b, p, serverNow); ok {
			node := s.Node(p.Node)
			sick = append(sick, sickPod{p, class, since, node != nil && node.Ready != kube.NodeReady})
		}
	}
	slices.SortFunc(sick, func(x, y sickPod) int {
		return cmp.Or(cmp.Compare(x.class, y.class), x.since.Compare(y.since),
			cmp.Compare(x.pod.Name, y.pod.Name), cmp.Compare(x.pod.UID, y.pod.UID))
	})
	return sick
}

func sickness(b *kube.Budget, p *kube.Pod, serverNow time.Time) (sickClass, time.Time, bool) {
	if p.Terminating() {
		return sickLeaves, p.Deleted.Add(-time.Duration(p.DeletionGrace) * time.Second), true
	}
	if p.Finished() {
		// Owners replace their finished pods, which then hold nobody.
		return sickDead, notReadySince(p), p.Phase == corev1.PodFailed && p.Owner == nil
	}
	if at, ok := b.DisruptedPods[p.Name]; ok && at.Add(disruptedFor).After(serverNow) {
		return sickLeaves, at, true
	}
	return sickLive, notReadySince(p), !p.Ready
}

func notReadySince(p *kube.Pod) time.Time {
	if p.Phase == corev1.PodPending || p.ReadySince.IsZero() {
		return p.Created
	}
	return p.ReadySince
}

// passes tells whether its trouble should be over in a moment by itself.
func (sick sickPod) passes(serverNow time.Time) bool {
	switch {
	case sick.silent:
		return false
	case sick.pod.Terminating():
		return serverNow.Before(sick.pod.Deleted.Add(stuckAfter))
	}
	return sick.class == sickLeaves || sick.class == sickLive && starting(sick, serverNow)
}

// sibling tells of the sick pod in the words of kubelet and scheduler, where
// there are any.
func (sick sickPod) sibling(serverNow time.Time) *Sibling {
	p := sick.pod
	sibling := &Sibling{Namespace: p.Namespace, Name: p.Name, Node: p.Node, Since: sick.since, Starting: sick.passes(serverNow), Silent: sick.silent}
	if p.Phase == corev1.PodPending && sick.class == sickLive || sick.class == sickDead {
		sibling.Phase = p.Phase
	}
	switch {
	case p.Terminating():
		sibling.Reason = reasonTerminating
	case sick.class == sickLeaves:
		sibling.Reason = reasonEvicted
	case sick.class == sickDead:
		sibling.Reason, sibling.Message = cmp.Or(p.Reason, reasonFailed), p.Message
	case p.Phase == corev1.PodPending:
		sibling.Reason = reasonPending
	default:
		sibling.Reason = reasonNotReady
	}
	if sick.silent && sick.class == sickLive && (p.Trouble == nil || unspecific(p.Trouble.Reason)) {
		sibling.Reason = reasonNodeSilent
		return sibling
	}
	if t := p.Trouble; t != nil && sick.class != sickLeaves {
		sibling.Reason = cmp.Or(t.Reason, sibling.Reason)
		sibling.Message, sibling.Termination = cmp.Or(t.Message, sibling.Message), t.Termination
		if t.HasExit {
			code := t.ExitCode
			sibling.ExitCode = &code
		}
	}
	return sibling
}

// stuckAfter is how long after the end of its grace a pod counts as stuck: a
// kubelet needs a few seconds to confirm.
const stuckAfter = 10 * time.Second
