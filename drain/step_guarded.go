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

// guardTokens is how many evictions the guard lets pass now: our own that the
// snapshot does not show yet are taken off. One that left no trace for so long
// was lost with its answer, and holds nothing up any more.
func (st *stepper) guardTokens(book *budget.GuardTracker) int {
	free := book.Free
	for _, g := range st.s.Grants[book.Key] {
		live := st.snap.Pod(g.pod)
		if live == nil || !live.Healthy() {
			continue
		}
		if g.granted && st.now.Sub(g.at) >= GrantLife {
			continue
		}
		if g.granted {
			st.wakeAt(g.at.Add(GrantLife))
		}
		free--
	}
	return free
}
