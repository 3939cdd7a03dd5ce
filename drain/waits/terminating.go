package waits

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Terminating says what a terminating pod waits for; stuck tells that it does for longer than
// its grace. The node is nil where it is gone.
func Terminating(live *kube.Pod, node *kube.Node, graceEnds time.Time, stuck bool) *Wait {
	wait := &Wait{For: ForGrace, Until: graceEnds, PreStop: live.Spec.PreStop}
	if stuck {
		wait = &Wait{For: ForEnd}
	}
	finalizers := live.Finalizers
	if !stuck {
		finalizers = nil // they are given their time too
	}
	switch {
	case node != nil && node.Silent():
		wait = &Wait{For: ForKubelet, Since: lastStatus(node), Words: node.ReadyMessage, Finalizers: finalizers}
	case len(finalizers) > 0:
		wait = &Wait{For: ForFinalizers, Finalizers: finalizers}
	case stuck && node != nil && node.Ready != kube.NodeReady:
		wait = &Wait{For: ForKubelet, Words: node.ReadyMessage}
	}
	return wait
}

// lastStatus is when the kubelet of a node last reported its status, as far as known. It may have renewed its Lease for
// some minutes since.
func lastStatus(node *kube.Node) time.Time {
	if !node.Heartbeat.IsZero() {
		return node.Heartbeat
	}
	return node.ReadySince
}
