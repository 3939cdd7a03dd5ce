package plan

import "github.com/kdrain-tui/kdrain-tui/drain/budget"

func commandsOf(advice []budget.Advice) []string {
	var all []string
	for _, a := range advice {
		all = append(all, a.Command)
	}
	return all
}
