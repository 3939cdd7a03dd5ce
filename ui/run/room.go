package run

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// room is which cordoned nodes beside those of the run could take the pod that holds a
// budget, as it was last worked out.
type room struct {
	pod   string
	uid   kube.UID
	nodes []string
}

// roomMsg brings which cordoned nodes could take a pod.
type roomMsg room

// findRoom looks for cordoned nodes that could take the pod which holds the selected one,
// where that pod has no node: once for each such pod and every change of its cluster that
// is seen while it is selected, outside of Update.
func (m chooser) findRoom() {
	p := m.selectedRunPod()
	if p == nil || p.Wait == nil || p.Wait.UnhealthyPod == nil || !m.s.Live() || m.s.Cluster == nil || m.seeking {
		return
	}
	live := m.s.Snap.PodNamed(p.Wait.UnhealthyPod.Namespace, p.Wait.UnhealthyPod.Name)
	if live == nil || live.Node != "" || m.room.uid == live.UID && m.s.Now.Sub(m.soughtAt) < etaEvery {
		return
	}
	m.seeking, m.soughtAt = true, m.s.Now
	snap, nodes := m.s.Snap, wording.NodeNames(m.s.State)
	m.shell.Go("the room on cordoned nodes", func(context.Context) tea.Msg {
		return roomMsg{pod: live.Name, uid: live.UID, nodes: landing.CordonedFeasible(snap, nodes, live)}
	})
}

func (m chooser) onRoom(msg roomMsg) { m.room, m.seeking = room(msg), false }

func (m chooser) askToUncordon(node string) {
	confirm.Cordon{Nodes: []string{node}, Notes: []paint.Line{
		paint.T("It is not a node of this run. " + m.room.pod + " can start there."),
	}}.Ask(m.shell)
}
