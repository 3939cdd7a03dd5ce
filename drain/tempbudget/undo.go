package tempbudget

import (
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Undo removes exactly the budget that the run made; left says why nothing is removed. One of
// which the run was not told, for no answer came, is known by the run in its label.
func (r *Record) Undo(run string, s *kube.Snapshot) (req *request.BudgetRef, left string) {
	live := s.BudgetNamed(r.Namespace, r.Name)
	switch {
	case live == nil:
		return nil, "it is already gone"
	case r.UID != "" && live.UID != r.UID, r.UID == "" && live.TemporaryOf() != run:
		return nil, "another budget has its name"
	case live.TemporaryOf() != run:
		return nil, "its labels no longer name the run: somebody has made it theirs"
	}
	return &request.BudgetRef{Namespace: r.Namespace, Name: r.Name, UID: live.UID}, ""
}
