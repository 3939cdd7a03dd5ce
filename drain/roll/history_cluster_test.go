package roll

import (
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// mayInCluster is what can go on while the server answers.
func (h *history) mayInCluster(t *rapid.T, well bool) (may []func()) {
	d := h.drains[h.inHand]
	ours := d != nil && h.inHand == h.state.Run && d.Outcome == "" && !d.Suspended
	if h.state.Aborting {
		if ours {
			may = append(may, func() {
				h.say(h.inHand, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomeAborted})
				h.next()
			})
		}
		return may
	}
	for i := range h.state.Nodes {
		n := h.state.Nodes[i]
		node := h.nodes[n.Name]
		if ours && d.Node(n.Name) != nil {
			if run := d.Node(n.Name); !run.State.Final() {
				may = append(may, func() { h.drainEnds(t, n.Name, well) })
			} else if p := d.Pod(podOn(n.Name)); p != nil && p.Volumes.Awaited() {
				may = append(may, func() { h.detaches(n.Name, well) })
			}
		}
		if node != nil && n.State == Returning && !n.Away.IsZero() {
			may = append(may, func() {
				h.edit(n.Name, func(n *corev1.Node) { h.reboot(n); setReady(n, true) })
				h.next()
			})
		}
	}
	if ours && h.mayEnd() {
		may = append(may, func() { h.endRun(); h.next() })
	}
	for _, a := range h.wanted {
		if a, ok := a.(Uncordon); ok {
			may = append(may, func() { h.sendUncordon(t, a, well) })
		}
	}
	return may
}

// drainEnds is the end of the drain of a node.
func (h *history) drainEnds(t *rapid.T, name string, well bool) {
	n, run := h.nodes[name], h.drains[h.inHand].Node(name)
	switch {
	case n == nil || kube.UID(n.UID) != run.UID:
		h.drained(name, drain.NodeFailed, "the node was deleted or replaced")
	case !well:
		state := rapid.SampledFrom([]drain.NodeState{drain.NodeFailed, drain.NodeStopped, drain.NodeRefused}).Draw(t, "drain")
		h.drained(name, state, "1 pod left on it")
	default:
		if rapid.Bool().Draw(t, "has a volume") {
			h.volumes(name, volume.VolumeDetaching)
		}
		h.drained(name, drain.NodeDrained, "")
	}
}

func (h *history) detaches(name string, well bool) {
	state := volume.VolumeDetached
	if !well {
		state = volume.VolumeStillAttached
	}
	h.volumes(name, state)
	h.next()
}

// sendUncordon is what becomes of the request that undoes a cordon.
func (h *history) sendUncordon(t *rapid.T, u Uncordon, well bool) {
	done := well || rapid.Bool().Draw(t, "done all the same")
	if done {
		h.edit(u.Node, uncordoned)
	}
	if well {
		h.next()
	} else {
		h.next(UncordonFailed{Node: u.Node, Message: "EOF"})
	}
}
