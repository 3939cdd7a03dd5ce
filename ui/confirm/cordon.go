package confirm

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// Cordon is a cordon of nodes, or its end, that the operator confirms.
type Cordon struct {
	Nodes         []string
	Unschedulable bool
	Notes         []paint.Line // what there is to say beside what holds for every cordon
	Begins        func()       // when it was confirmed
}

// CordonSet tells what became of it.
type CordonSet struct {
	Cordon
	Err error // joined, of the nodes that are as before
}

// Ask asks, and cordons or uncordons. What comes of it is a CordonSet. It names every node.
func (c Cordon) Ask(shell frame.Shell) {
	s, label := shell.Session(), "uncordon"
	if c.Unschedulable {
		label = "cordon"
	}
	title := wording.FirstUpper(label) + " " + format.Count(len(c.Nodes), "node") + "?"
	if len(c.Nodes) == 1 {
		title = wording.FirstUpper(label) + " " + c.Nodes[0] + "?"
	}
	body := append([]paint.Line{paint.L(themes.Accent, format.List(c.Nodes, 60))}, c.Notes...)
	var typed string
	if c.Unschedulable {
		typed, body = CordonWord(s.Snap, c.Nodes), append(body, CordonLines(s.Snap, c.Nodes)...)
		body = append(body, paint.T("No new pods are scheduled there. Running pods stay."))
	} else {
		word, lines := c.uncordonLines(s)
		typed, body = word, append(body, lines...)
	}
	d := dialog.Confirm("set-cordon", title, label, false, body...)
	if typed != "" {
		d = dialog.Typed("set-cordon", title, typed, label, body...)
	}
	d.Command = wording.KubectlCordon(s.Target(), c.Nodes, c.Unschedulable)
	shell.Ask(d, func(a dialog.Answer) {
		if a.Value != dialog.Accept {
			return
		}
		if c.Begins != nil {
			c.Begins()
		}
		cluster, reason := s.Cluster, s.Options.Reason
		shell.Go("the "+label, func(ctx context.Context) tea.Msg {
			return CordonSet{c, c.set(ctx, cluster, reason)}
		})
	})
}

// uncordonLines say who has cordoned the nodes and which of them another run holds by its Lease, or that this is not
// known, and which word must be typed to uncordon them all the same: "" for none.
func (c Cordon) uncordonLines(s *frame.Session) (word string, lines []paint.Line) {
	for _, name := range c.Nodes {
		if n := s.Snap.Node(name); n != nil {
			lines = append(lines, paint.L(themes.Muted, name+": "+wording.CordonedBy(n, s.Now)))
		}
	}
	lines = append(lines, paint.T("New pods can be scheduled there again."))
	if s.Options.LeaseNamespace == "" {
		return "", lines
	}
	if !s.Snap.Trusted(kube.KindLeases) {
		return "", append(lines, paint.L(themes.Warning,
			"Leases cannot be read: whether a run is draining it is not known."))
	}
	holds := lease.InTheWay(s.Snap, c.Nodes, "", s.Now, s.Options.TakesOver)
	if len(holds) == 0 {
		return "", lines
	}
	lines = append(append(lines, nil), HoldLines(holds)...)
	return HoldWord(holds), append(lines,
		paint.L(themes.Warning, "A run stops draining a node that somebody uncordons."))
}

// set writes, node by node.
func (c Cordon) set(ctx context.Context, cluster frame.Cluster, reason string) error {
	var failed error
	for _, n := range c.Nodes {
		var err error
		if c.Unschedulable {
			_, err = cluster.Cordon(ctx, n, reason, plan.DryRunNone)
		} else {
			_, err = cluster.Uncordon(ctx, n, plan.DryRunNone)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", n, err))
		}
	}
	return failed
}
