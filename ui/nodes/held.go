package nodes

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// holdOf is the Lease of a live run over the node, nil for none. That of the run that the
// dashboard is about is none: the page tells of that run anyway.
func holdOf(s *frame.Session, n *kube.Node) *lease.Hold {
	if s.Options.LeaseNamespace == "" {
		return nil
	}
	run := ""
	if s.State != nil {
		run = s.State.Run.ID
	}
	if holds := lease.InTheWay(s.Snap, []string{n.Name}, run, s.Now, nil); len(holds) > 0 {
		return &holds[0]
	}
	return nil
}

// stateOf is the state of a node; one that another run drains is not only cordoned.
func stateOf(s *frame.Session, n *kube.Node, run *drain.State, width int) paint.Line {
	if n.Ready == kube.NodeReady && (run == nil || run.Node(n.Name) == nil) {
		if h := holdOf(s, n); h != nil {
			return paint.L(themes.Busy, paint.Truncate(paint.Play+" run "+h.Run, width))
		}
	}
	return wording.NodeState(n, run)
}
