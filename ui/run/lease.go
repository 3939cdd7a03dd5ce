package run

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// leaseWord says in a word why nothing is sent for a node, "" where its Lease is
// not the cause.
func leaseWord(n *drain.NodeRun) string {
	if n.Lease == nil || n.State.Final() {
		return ""
	}
	switch n.Lease.State {
	case lease.Awaited:
		return "waits for its Lease"
	case lease.Overdue:
		return "Lease overdue"
	}
	return ""
}

// runLeases are the nodes for which nothing is sent because of their Lease, each
// with who has it or what became of it: that many of them, and the number of the others.
func runLeases(s *drain.State, width, most int) []paint.Line {
	var lines []paint.Line
	told, rest := 0, 0
	for _, n := range s.Nodes {
		word := leaseWord(n)
		if word == "" {
			continue
		}
		if told == most {
			rest++
			continue
		}
		told++
		text := paint.Wait + " " + n.Name + " " + word
		if n.Lease.State == lease.Overdue {
			text = paint.Wait + " " + n.Name + ": its Lease is overdue"
		}
		if n.Lease.Message != "" {
			text += ": " + n.Lease.Message
		}
		lines = append(lines, paint.Wrap(paint.L(themes.Warning, text), width)...)
	}
	if rest > 0 {
		lines = append(lines, paint.L(themes.Muted, "and "+format.Count(rest, "more node")))
	}
	return lines
}
