package run

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
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

// uncordonedMsg tells what became of an uncordon.
type uncordonedMsg struct {
	node string
	err  error
}

func (m chooser) askToUncordon(node string) {
	d := dialog.Confirm("set-cordon", "Uncordon "+node+"?", "uncordon", false,
		paint.L(themes.Accent,
			node), paint.T("It is not a node of this run. New pods can be scheduled there again, among them "+
			m.room.pod+"."))
	d.Command = wording.KubectlCordon(m.s.Target(), []string{node}, false)
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		cluster := m.s.Cluster
		m.shell.Go("the uncordon", func(ctx context.Context) tea.Msg {
			_, err := cluster.Uncordon(ctx, node, plan.DryRunNone)
			return uncordonedMsg{node, err}
		})
	})
}

func (m chooser) onUncordoned(msg uncordonedMsg) {
	if msg.err != nil {
		m.shell.Fail("Not uncordoned: " + msg.node + ": " + wording.Clean(msg.err.Error()))
		return
	}
	m.shell.Say("Uncordoned " + msg.node + ".")
}
