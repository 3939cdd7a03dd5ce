package drain

import "github.com/kdrain-tui/kdrain-tui/drain/plan"

// Losses counts the pods that have left their nodes in the run by what that cost.
func (s *State) Losses() plan.Losses {
	var sum plan.Losses
	for _, p := range s.Pods {
		if p.State.Left() {
			sum.Add(p.Loss)
		}
	}
	return sum
}
