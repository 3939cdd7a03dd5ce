package drain

// Losses counts the pods that have left their nodes in the run by what that cost.
func (s *State) Losses() Losses {
	var sum Losses
	for _, p := range s.Pods {
		if p.State.Left() {
			sum.add(p.Loss)
		}
	}
	return sum
}
