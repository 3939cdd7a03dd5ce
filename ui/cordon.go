package ui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

type cordonedMsg struct {
	nodes         []string
	unschedulable bool
	err           error
}

// askToSetCordon asks before it cordons or uncordons; it names every node, also
// those that a filter hides.
func (m *Model) askToSetCordon(unschedulable bool) {
	nodes := m.toSetCordon(unschedulable)
	word := map[bool]string{true: "Cordon", false: "Uncordon"}[unschedulable]
	title := word + " " + page.Count(len(nodes), "node") + "?"
	if len(nodes) == 1 {
		title = word + " " + nodes[0] + "?"
	}
	body := []paint.Line{paint.L(themes.Accent, page.List(nodes, 60))}
	if rest := len(m.targets()) - len(nodes); rest > 0 {
		body = append(body, paint.L(themes.Muted, plural(rest, "other needs", "others need")+" no change."))
	}
	if unschedulable {
		body = append(body, paint.T("New pods do not land there any more. Pods that run there stay."))
	} else {
		for _, name := range nodes {
			if n := m.snap.Node(name); n != nil {
				body = append(body, paint.L(themes.Muted, name+": "+page.CordonedBy(n, m.now)))
			}
		}
		body = append(body, paint.T("New pods can land there again."))
	}
	label, typed := "cordon", ""
	if !unschedulable {
		var held []paint.Line
		typed, held = m.heldLines(nodes)
		label, body = "uncordon", append(body, held...)
	}
	d := dialog.Confirm("set-cordon", title, label, false, body...)
	if typed != "" {
		d = dialog.Typed("set-cordon", title, typed, label, body...)
	}
	d.Command = page.KubectlCordon(m.target(), nodes, unschedulable)
	m.open(d, func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			m.setCordon(nodes, unschedulable)
		}
	})
}

// heldLines say which of the nodes another run holds by its Lease, or that this is not
// known, and which word must be typed to uncordon them all the same: "" for none.
func (m *Model) heldLines(nodes []string) (word string, lines []paint.Line) {
	if m.options.LeaseNamespace == "" {
		return "", nil
	}
	if !m.snap.Trusted(kube.KindLeases) {
		return "", []paint.Line{paint.L(themes.Warning, "Leases cannot be read: whether a run is at work there is not known.")}
	}
	holds := slices.DeleteFunc(lease.Holds(m.snap, nodes, "", m.now), func(h lease.Hold) bool { return h.Lapsed })
	if len(holds) == 0 {
		return "", nil
	}
	word, lines = holdWord(holds), append([]paint.Line{nil}, holdLines(holds)...)
	return word, append(lines, paint.L(themes.Warning, "A run stops draining a node that somebody uncordons."))
}

func (m *Model) setCordon(nodes []string, unschedulable bool) {
	for _, n := range nodes {
		m.cordoning[n] = true
	}
	ctx, set, reason := m.ctx, m.d.SetCordon, m.options.Reason
	m.queue(m.d.Crash.guard("the cordon", func() tea.Msg {
		msg := cordonedMsg{nodes: nodes, unschedulable: unschedulable}
		for _, n := range nodes {
			if err := set(ctx, n, unschedulable, reason); err != nil {
				msg.err = errors.Join(msg.err, fmt.Errorf("%s: %w", n, err))
			}
		}
		return msg
	}))
}

func (m *Model) takeCordoned(msg cordonedMsg) {
	for _, n := range msg.nodes {
		delete(m.cordoning, n)
	}
	word := map[bool]string{true: "Cordoned ", false: "Uncordoned "}[msg.unschedulable]
	if msg.err != nil {
		m.fail("Not " + word + "all: " + clean(msg.err.Error()))
		return
	}
	undo := map[bool]string{true: " U takes it back.", false: ""}[msg.unschedulable]
	m.say(word + page.List(msg.nodes, 4) + "." + undo)
}
