package drain

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// terminatingWait says what a terminating pod waits for, and whether that is more
// than its grace. The node is nil where it is gone.
func terminatingWait(live *kube.Pod, node *kube.Node, graceEnds time.Time, stuck bool) (PodState, *Wait) {
	state, wait := PodTerminating, &Wait{For: WaitForGrace, Until: graceEnds, PreStop: live.Spec.PreStop}
	if stuck {
		state, wait = PodStuckTerminating, &Wait{For: WaitForEnd}
	}
	finalizers := live.Finalizers
	if !stuck {
		finalizers = nil // they are given their time too
	}
	switch {
	case node != nil && node.Ready == kube.NodeUnknown:
		wait = &Wait{For: WaitForKubelet, Since: lastHeard(node), Words: node.ReadyMessage, Finalizers: finalizers}
	case len(finalizers) > 0:
		wait = &Wait{For: WaitForFinalizers, Finalizers: finalizers}
	case stuck && node != nil && node.Ready != kube.NodeReady:
		wait = &Wait{For: WaitForKubelet, Words: node.ReadyMessage}
	}
	return state, wait
}

// lastHeard is when the kubelet of a node last told how it is, as far as known.
func lastHeard(node *kube.Node) time.Time {
	if !node.Heartbeat.IsZero() {
		return node.Heartbeat
	}
	return node.ReadySince
}
