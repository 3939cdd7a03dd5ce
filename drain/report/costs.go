package report

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/replacement"
)

// CostsOf are what the leaving of a pod still costs, nil while it has not left: of what its plan
// saw that which came true. Nothing is down for a pod that left because its replacement was there
// first, or that nobody asked to go; and what has a Ready replacement landed somewhere.
func CostsOf(p *eviction.Record) (costs []plan.EffectKind) {
	if !p.State.Left() {
		return nil
	}
	ready := p.Replacement.State == replacement.Ready
	for _, k := range p.Costs {
		if k == plan.Down && p.Attempts == 0 || ready && (k == plan.Down || k == plan.Nowhere) {
			continue
		}
		costs = append(costs, k)
	}
	return costs
}

// costsOf says what the pods that have left cost, the gravest first, each in a sentence without its
// full stop.
func costsOf(s *drain.State) (sentences []string) {
	var lost, nowhere, data, down, was []string
	longest := time.Duration(0)
	for _, p := range s.Pods {
		name, costs := p.Namespace+"/"+p.Name, CostsOf(p)
		note := func(k plan.EffectKind, names *[]string) {
			if slices.Contains(costs, k) {
				*names = append(*names, name)
			}
		}
		note(plan.Lost, &lost)
		note(plan.Nowhere, &nowhere)
		note(plan.Data, &data)
		note(plan.Down, &down)
		over := slices.Contains(p.Costs, plan.Down) && !slices.Contains(costs, plan.Down)
		if at := p.Replacement.ReadyAt; over && !p.Accepted.IsZero() && at.After(p.Accepted) {
			was, longest = append(was, name), max(longest, at.Sub(p.Accepted))
		}
	}
	say := func(names []string, one, many string) {
		switch len(names) {
		case 0:
		case 1:
			sentences = append(sentences, names[0]+" "+one)
		default:
			sentences = append(sentences, format.List(names, 4)+" "+many)
		}
	}
	say(lost, "is not recreated", "are not recreated")
	say(nowhere, "has no replacement", "have no replacement")
	say(data, "lost the data of its local volumes", "lost the data of their local volumes")
	say(down, "left, and its workload is down", "left, and their workloads are down")
	say(was, "was down for "+spell(longest.Seconds()), "were down, at most for "+spell(longest.Seconds()))
	return sentences
}
