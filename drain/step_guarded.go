package drain

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// guarded is the guard's book for a pod that no budget covers, nil where there is
// no guard or it has nothing to say.
func (st *stepper) guarded(live *kube.Pod) *budget.GuardTracker {
	guard := st.s.Run.Options.Guard
	if guard == "" {
		return nil
	}
	w := budget.GuardedBy(st.snap, live)
	if w == nil {
		return nil
	}
	if book, known := st.books.guards[w.UID]; known {
		return book
	}
	book := guard.Book(st.snap, w)
	if st.books.guards == nil {
		st.books.guards = map[kube.UID]*budget.GuardTracker{}
	}
	st.books.guards[w.UID] = book
	return book
}
