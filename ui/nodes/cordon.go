package nodes

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

type cordonedMsg struct {
	nodes         []string
	unschedulable bool
	err           error
}

// askToSetCordon asks before it cordons or uncordons; it names every node, also
// those that a filter hides.
func (m *Page) askToSetCordon(unschedulable bool) {
	nodes := m.toSetCordon(unschedulable)
	word := map[bool]string{true: "Cordon", false: "Uncordon"}[unschedulable]
	title := word + " " + wording.Count(len(nodes), "node") + "?"
	if len(nodes) == 1 {
		title = word + " " + nodes[0] + "?"
	}
	label, typed := "cordon", ""
	body := []paint.Line{paint.L(themes.Accent, wording.List(nodes, 60))}
	if rest := len(m.Targets()) - len(nodes); rest > 0 {
		body = append(body, paint.L(themes.Muted, wording.Plural(rest, "other needs", "others need")+" no change."))
	}
	if unschedulable {
		body = append(body, paint.T("No new pods are scheduled there. Running pods stay."))
		typed = confirm.CordonWord(len(nodes))
	} else {
		for _, name := range nodes {
			if n := m.s.Snap.Node(name); n != nil {
				body = append(body, paint.L(themes.Muted, name+": "+wording.CordonedBy(n, m.s.Now)))
			}
		}
		body = append(body, paint.T("New pods can be scheduled there again."))
	}
	if !unschedulable {
		var held []paint.Line
		typed, held = m.heldLines(nodes)
		label, body = "uncordon", append(body, held...)
	}
	d := dialog.Confirm("set-cordon", title, label, false, body...)
	if typed != "" {
		d = dialog.Typed("set-cordon", title, typed, label, body...)
	}
	d.Command = wording.KubectlCordon(m.s.Target(), nodes, unschedulable)
	m.shell.Ask(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.setCordon(nodes, unschedulable)
		}
	})
}

// heldLines say which of the nodes another run holds by its Lease, or that this is not
// known, and which word must be typed to uncordon them all the same: "" for none.
func (m *Page) heldLines(nodes []string) (word string, lines []paint.Line) {
	if m.s.Options.LeaseNamespace == "" {
		return "", nil
	}
	if !m.s.Snap.Trusted(kube.KindLeases) {
		return "", []paint.Line{paint.L(themes.Warning,
			"Leases cannot be read: whether a run is draining it is not known.")}
	}
	holds := lease.InTheWay(m.s.Snap, nodes, "", m.s.Now, m.s.Options.TakesOver)
	if len(holds) == 0 {
		return "", nil
	}
	word, lines = confirm.HoldWord(holds), append([]paint.Line{nil}, confirm.HoldLines(holds)...)
	return word, append(lines, paint.L(themes.Warning, "A run stops draining a node that somebody uncordons."))
}

func (m *Page) setCordon(nodes []string, unschedulable bool) {
	for _, n := range nodes {
		m.cordoning[n] = true
	}
	cluster, reason := m.s.Cluster, m.s.Options.Reason
	m.shell.Go("the cordon", func(ctx context.Context) tea.Msg {
		msg := cordonedMsg{nodes: nodes, unschedulable: unschedulable}
		for _, n := range nodes {
			var err error
			if unschedulable {
				_, err = cluster.Cordon(ctx, n, reason, plan.DryRunNone)
			} else {
				_, err = cluster.Uncordon(ctx, n, plan.DryRunNone)
			}
			if err != nil {
				msg.err = errors.Join(msg.err, fmt.Errorf("%s: %w", n, err))
			}
		}
		return msg
	})
}

func (m *Page) onCordoned(msg cordonedMsg) {
	for _, n := range msg.nodes {
		delete(m.cordoning, n)
	}
	word := map[bool]string{true: "Cordoned ", false: "Uncordoned "}[msg.unschedulable]
	if msg.err != nil {
		m.shell.Fail("Not " + word + "all: " + wording.Clean(msg.err.Error()))
		return
	}
	undo := map[bool]string{true: " U undoes it.", false: ""}[msg.unschedulable]
	m.shell.Say(word + wording.List(msg.nodes, 4) + "." + undo)
}
