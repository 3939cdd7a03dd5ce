package drain

import (
	"time"

	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// RollBack are the requests of a rollback of a run, in their order, and the run with what its journal keeps of them
// before. rollback_history_test.go sets it: that package imports this one.
var RollBack func(s *State, snap *kube.Snapshot, now time.Time) (*State, []request.Request)

// ToDo is what the report of a run says that is left to do, and which nodes it says are safe to power off.
// rollback_history_test.go sets it too.
var ToDo func(events []Event) (left []string, safe map[string]bool)

// actionsUntilRollback are the actions of a history, of which a rollback is the last.
func (h *history) actionsUntilRollback() map[string]func(*rapid.T) {
	all := h.actions()
	all["roll back"] = func(t *rapid.T) {
		if h.state.RolledBack || h.state.JournalLost != "" || rapid.IntRange(1, 4).Draw(t, "rolled back") > 1 {
			t.Skip("it is not rolled back")
		}
		h.goOn(t, rapid.IntRange(0, 20).Draw(t, "looks before")) // most is to be taken back where the run is well under way
		h.rollBack(t)
		h.rolledBack = true
	}
	for name, act := range all {
		all[name] = func(t *rapid.T) {
			if !h.rolledBack {
				act(t)
			}
		}
	}
	return all
}

// rollBack ends the process for good, and a rollback takes back what the run left, from its journal.
func (h *history) rollBack(t *rapid.T) {
	for _, r := range h.requests {
		if !h.down && rapid.Bool().Draw(t, "arrived") {
			h.carryOut(r)
		}
	}
	h.requests, h.out = nil, map[uint64]Write{}
	for range rapid.IntRange(0, 3).Draw(t, "controllers") {
		h.controlSome(t)
	}
	h.serverUp()
	h.listApps()
	h.now = h.now.Add(time.Second)
	h.state = Fold(nil, journalled(h.events)...)
	h.costsUnseen = rapid.Bool().Draw(t, "controllers do not see costs")
	// The shell plans again when the watch shows that a taint is gone (the cordon is taken back by the version of the
	// node), and when the controller of a surge has seen the replicas set back.
	for range 2 + len(h.state.Nodes) {
		var requests []request.Request
		h.state, requests = RollBack(h.state, h.store.Snapshot(), h.now)
		for _, q := range requests {
			t.Logf("rollback: %T %+v", q, q)
			if a := h.undo(q); !a.OK() {
				t.Fatalf("the rollback fails: %d %s", a.Code, a.Message)
			}
			if _, taint := q.(request.SetTaints); taint {
				break
			}
		}
		for _, a := range h.apps {
			h.controlNow(a)
		}
		h.showNext(len(h.unseen))
		h.listApps()
	}
	h.judgeLeftovers(t)
	for _, n := range h.state.Nodes {
		node := h.truth.nodes[n.Name]
		if node == nil || node.UID != "" && kube.UID(node.UID) != n.UID {
			continue
		}
		if mark := node.Annotations[kube.CordonAnnotation]; mark != "" && node.Spec.Unschedulable && n.Cordoned && !h.heldByOther(n) {
			t.Errorf("%s is still cordoned after the rollback: %s", n.Name, mark)
		}
		if l := h.truth.store.Snapshot().LeaseOf(n.UID); l != nil && l.Holder == h.state.Run.ID {
			t.Errorf("the Lease of %s is left", n.Name)
		}
	}
}

// heldByOther reports whether another run has the Lease of the node.
func (h *history) heldByOther(n *NodeRun) bool {
	l := h.truth.store.Snapshot().LeaseOf(n.UID)
	return l != nil && l.Holder != h.state.Run.ID
}

// undo is the server at a request of a rollback.
func (h *history) undo(q request.Request) kube.Answer {
	w := Write{Request: q}
	switch r := q.(type) {
	case request.Cordon:
		w.Node = r.Node
		n := h.truth.nodes[r.Node]
		if n == nil || kube.UID(n.UID) != r.UID || r.ResourceVersion != "" && n.ResourceVersion != r.ResourceVersion {
			return h.answerOf("409", w)
		}
		if !r.Unschedulable {
			h.lines("node " + r.Node + " uncordoned")
		}
		return h.answerOf("200", w)
	case request.SetTaints:
		w.Node = r.Node
	}
	return h.carryOut(w)
}
