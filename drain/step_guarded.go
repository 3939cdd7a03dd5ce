package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// guarded is the guard's book for a pod that no budget covers, nil where there is
// no guard or it has nothing to say.
func (st *stepper) guarded(live *kube.Pod) *guardBook {
	guard := st.s.Run.Options.Guard
	if guard == "" {
		return nil
	}
	w := guardedBy(st.snap, live)
	if w == nil {
		return nil
	}
	if book, known := st.books.guards[w.UID]; known {
		return book
	}
	book := guard.book(st.snap, w)
	if st.books.guards == nil {
		st.books.guards = map[kube.UID]*guardBook{}
	}
	st.books.guards[w.UID] = book
	return book
}

// guardTokens is how many evictions the guard lets pass now: our own that the
// snapshot does not show yet are taken off. One that left no trace for so long
// was lost with its answer, and holds nothing up any more.
func (st *stepper) guardTokens(book *guardBook) int {
	free := book.free
	for _, g := range st.s.grants[book.key] {
		live := st.snap.Pod(g.pod)
		if live == nil || !live.Healthy() {
			continue
		}
		if g.granted && st.now.Sub(g.at) >= grantLife {
			continue
		}
		if g.granted {
			st.wakeAt(g.at.Add(grantLife))
		}
		free--
	}
	return free
}
