package drain

import "github.com/kdrain-tui/kdrain-tui/drain/attempt"

// waits tells whether nothing is to be sent now: an answer is out, or a pause is not over.
func (st *stepper) waits(a attempt.Attempt) bool {
	st.wakeAt(a.Next)
	return a.InFlight != 0 || a.Next.After(st.now)
}

// editAttempt changes the record of what a write is about, by its intent or answer.
func (s *State) editAttempt(e Event, edit func(a *attempt.Attempt)) {
	switch {
	case e.Lease != nil:
		s.editLease(e.Node, func(l *LeaseRun) { edit(&l.Attempt) })
	case e.Remedy != nil:
		s.editRemedy(e.Remedy.ID, func(r *RemedyRun) { edit(&r.Attempt) })
	case e.Budget != nil:
		s.editBudget(e.Budget, func(b *BudgetRun) { edit(&b.Attempt) })
	case e.UID == "" || e.Pod == "":
		s.editNode(e.Node, func(n *NodeRun) { edit(&n.Attempt) })
	default:
		s.editPod(e.UID, func(p *PodRun) { edit(&p.Attempt) })
	}
}
