package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

func (r Report) verdict() Fact {
	names, took, stuck := format.List(r.names(), 4), spell(r.DurationSeconds), r.replacements().stuck()
	drained := slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.State == drain.NodeDrained })
	switch {
	case r.Outcome == drain.OutcomeDone && (len(r.Costs) > 0 || stuck != ""):
		return Fact{Warning, "Drained " + names + " in " + took + stuck}
	case r.Outcome == drain.OutcomeDone:
		return Fact{Good, "Drained " + names + " in " + took}
	case r.Outcome == drain.OutcomePartly && r.drained() && !r.worse:
		return Fact{Warning, "Drained " + names + " in " + took + ", and something that the run made is left"}
	case r.Outcome == drain.OutcomePartly && r.drained():
		return Fact{Warning, "Drained " + names + " in " + took + ", and workloads are worse than before"}
	case r.Outcome == drain.OutcomePartly && drained:
		return Fact{Warning, "Partly drained " + names + " in " + took}
	case r.Outcome == drain.OutcomePartly:
		return Fact{Warning, "Not drained: " + names + ", after " + took}
	case r.Outcome == drain.OutcomeRefused:
		return Fact{Bad, "Refused " + names + ": nothing was changed"}
	case r.Outcome == drain.OutcomeAborted:
		return Fact{Warning, "Aborted " + names + " after " + took}
	case r.Outcome == drain.OutcomeFailed:
		return Fact{Bad, "Failed on " + names + " after " + took}
	case r.Status == StatusDead:
		return Fact{Warning, "Cut short on " + names + " after " + took}
	case r.Status == StatusSuspended:
		return Fact{Warning, "Suspended on " + names + " after " + took}
	}
	return Fact{Busy, "Still running on " + names + " after " + took}
}

// drained reports whether all nodes are.
func (r Report) drained() bool {
	return !slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.State != drain.NodeDrained })
}

func (r Report) names() []string {
	names := make([]string, len(r.Nodes))
	for i, n := range r.Nodes {
		names[i] = n.Name
	}
	return names
}

func (r Report) gone() string {
	if r.Outcome == drain.OutcomeRefused {
		return ""
	}
	gone := r.count(func(p Pod) bool { return moves(p) && p.State.Left() })
	return fmt.Sprintf("%d of %s gone", gone, format.Count(r.count(moves), "pod"))
}

// slowest is the pod that took longest to leave, nil if none did.
func (r Report) slowest() *Pod {
	var slow *Pod
	for i := range r.Nodes {
		for j := range r.Nodes[i].Pods {
			p := &r.Nodes[i].Pods[j]
			if p.State.Left() && moves(*p) && (slow == nil || p.DurationSeconds > slow.DurationSeconds) {
				slow = p
			}
		}
	}
	return slow
}

// slow says how long the pod took, and what held it: in full where the events are known.
func (p *Pod) slow() string {
	text := p.Namespace + "/" + p.Name + "  " + spell(p.DurationSeconds)
	if p.BlockedSeconds < 1 {
		return text
	}
	return text + ", of which " + spell(p.BlockedSeconds) + " blocked" + p.heldBy()
}

// heldBy is what held the pod longest, as the end of a sentence; "" where it is not known.
func (p *Pod) heldBy() string {
	if why := p.mainCause(); why != "" {
		return ": " + why
	}
	return p.held
}

// sent counts the writes by what they were, and all others.
func (r Report) sent() string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, format.Plural(n, one, many))
		}
	}
	add(r.Requests[attempt.VerbEvict], "eviction", "evictions")
	add(r.Requests[attempt.VerbDelete], "delete", "deletes")
	add(r.Requests[attempt.VerbCordon], "cordon", "cordons")
	add(r.Requests[attempt.VerbUncordon], "uncordon", "uncordons")
	add(r.Requests[attempt.VerbGet]+r.remedyRequests(), "other", "others")
	if len(parts) == 0 {
		return "no write was sent"
	}
	return strings.Join(parts, ", ") + " sent for " + format.Count(r.count(moves), "pod")
}

func (r Report) powerOff() []Fact {
	var facts []Fact
	var safe []string
	for _, n := range r.Nodes {
		if n.SafeToPowerOff {
			safe = append(safe, n.Name)
		}
		if n.Warning != "" {
			facts = append(facts, Fact{Warning, n.Name + ": " + n.Warning})
		}
	}
	if len(safe) > 0 {
		facts = append(facts, Fact{Plain,
			format.List(safe, 6) + ": no volume is attached, no pod is left but those that stay on every node"})
	}
	return facts
}

// unmoved are the pods of nodes that were begun and that have not left.
func (r Report) unmoved() []Pod {
	var pods []Pod
	for _, n := range r.Nodes {
		if n.State == drain.NodeRefused {
			continue
		}
		for _, p := range n.Pods {
			if moves(p) && !p.State.Left() {
				pods = append(pods, p)
			}
		}
	}
	slices.SortStableFunc(pods, func(a, b Pod) int { return cmp.Compare(b.BlockedSeconds, a.BlockedSeconds) })
	return pods
}
