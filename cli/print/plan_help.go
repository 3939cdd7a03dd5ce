package print

import (
	"fmt"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// helped are the pods of a plan that the same would help.
type helped struct {
	first  string // "namespace/name"
	pods   int
	advice []budget.Advice
}

// whatHelps gathers what would help the pods that cannot simply go, in the order
// of the plan. Pods that one budget holds back share it.
func whatHelps(plan plan.Plan) []helped {
	var all []helped
	for _, n := range plan.Nodes {
		for _, p := range n.Pods {
			if len(p.Advice) == 0 {
				continue
			}
			if i := slices.IndexFunc(all, func(h helped) bool { return slices.Equal(h.advice, p.Advice) }); i >= 0 {
				all[i].pods++
				continue
			}
			all = append(all, helped{p.Namespace + "/" + p.Name, 1, p.Advice})
		}
	}
	return all
}

// help prints what would help, with the exact commands.
func (t planText) help(plan plan.Plan) {
	all := whatHelps(plan)
	if len(all) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.style.In(Bold, "What would help"))
	for _, h := range all {
		pods := h.first
		if h.pods > 1 {
			pods += fmt.Sprintf(" and %d more", h.pods-1)
		}
		t.line("  %s", pods)
		for _, a := range h.advice {
			t.line("    %s", a.Text)
			if a.Command != "" {
				t.line("      %s", a.Command) // by itself, to be copied
			}
		}
	}
}
