package report

import (
	"cmp"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// podTable has the pods that the run was to move. What needs a look comes first: those
// that did not leave, then the longest blocked.
func (r Report) podTable() table {
	t := table{title: "Pods", most: podsInTable, one: "quicker pod", many: "quicker pods", columns: []column{
		{title: "pod", others: true}, {title: "owner", others: true, titled: true},
		{title: "node", others: true, lead: "on "}, {title: "state"},
		{title: "took", right: true}, {title: "blocked", right: true, lead: "blocked "}, {title: "tries", right: true},
		{others: true}}}
	type onNode struct {
		node string
		Pod
	}
	var pods []onNode
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if moves(p) {
				pods = append(pods, onNode{n.Name, p})
			}
		}
	}
	slices.SortStableFunc(pods, func(a, b onNode) int {
		here := func(p onNode) int { return map[bool]int{true: 1}[p.State.Left()] }
		return cmp.Or(here(a)-here(b), cmp.Compare(b.BlockedSeconds, a.BlockedSeconds),
			cmp.Compare(b.DurationSeconds, a.DurationSeconds))
	})
	for _, p := range pods {
		words, blocked := p.Message, ""
		if words == "" && p.LastCode >= 300 {
			words = p.LastWords
		}
		if p.BlockedSeconds > 0 {
			blocked = spell(p.BlockedSeconds)
		}
		t.rows = append(t.rows, []string{p.Namespace + "/" + p.Name, p.Owner, p.node, StateWord(p.State), p.took(),
			blocked,
			format.Count(p.Attempts, "try"), words})
	}
	return t
}

// stepTable has the steps of the pods that were blocked, and of those that are still there.
func (r Report) stepTable() table {
	t := table{title: "Step by step: pods that were blocked or are still there", most: stepsInTable, one: "step",
		many: "steps", folded: true,
		columns: []column{{title: "pod", others: true}, {title: "at"}, {title: "state"}, {title: "for", right: true},
			{title: "tries", right: true}, {title: "why", others: true}}}
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if (p.State.Left() || !moves(p)) && !slices.ContainsFunc(p.Timeline, Span.held) {
				continue
			}
			name := p.Namespace + "/" + p.Name
			for _, s := range p.Timeline {
				took, tries := "", ""
				if !s.State.Final() {
					took = spell(s.Seconds)
				}
				if s.Tries > 0 {
					tries = format.Count(s.Tries, "try")
				}
				t.rows = append(t.rows, []string{name, s.From.UTC().Format("15:04:05.0"), StateWord(s.State), took,
					tries,
					s.Why})
				name = "" // it stands above
			}
		}
	}
	return t
}
