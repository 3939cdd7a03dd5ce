package roll

import (
	"fmt"
	"net/http"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// hold gives the Lease of a node to a run, whoever has it.
func (w *world) hold(node types.UID, run string) kube.Answer {
	w.version++
	seconds := int32(kube.LeaseDuration.Seconds())
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: kube.DefaultLeaseNamespace, Name: kube.LeaseName(kube.UID(node)),
		UID: types.UID(fmt.Sprint("lease-", w.version)), ResourceVersion: fmt.Sprint(w.version)},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &run, LeaseDurationSeconds: &seconds}}
	if old := w.leases[node]; old != nil {
		l.UID = old.UID
	}
	w.leases[node] = l
	w.put(l)
	return kube.Answer{Code: http.StatusOK, UID: kube.UID(l.UID), ResourceVersion: l.ResourceVersion}
}

// free deletes the Lease of a node.
func (w *world) free(node types.UID) {
	if l := w.leases[node]; l != nil {
		delete(w.leases, node)
		w.remove(l)
	}
}

// holder is the run that has the Lease of a node, "" for none.
func (w *world) holder(node types.UID) string {
	if l := w.leases[node]; l != nil {
		return *l.Spec.HolderIdentity
	}
	return ""
}

// serve is the server at a write of a Lease.
func (w *world) serve(a WriteLease) kube.Answer {
	gone := kube.Answer{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "not found"}
	if w.denied {
		return kube.Answer{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
			Message: `leases.coordination.k8s.io is forbidden: User "ann" cannot create resource "leases"`}
	}
	conflict := kube.Answer{Code: http.StatusConflict, Reason: metav1.StatusReasonConflict, Message: "the object has been modified"}
	switch r := a.Request.(type) {
	case request.DeleteLease:
		for node, l := range w.leases {
			switch {
			case l.Name != r.Name:
			case string(l.UID) != string(r.UID) || l.ResourceVersion != r.ResourceVersion:
				return conflict
			default:
				w.free(node)
				return kube.Answer{Code: http.StatusOK}
			}
		}
		return gone
	case request.WriteLease:
		switch l := w.leases[types.UID(r.NodeUID)]; {
		case l == nil && r.ResourceVersion != "": // as an update that names a UID is answered
			return conflict
		case l != nil && l.ResourceVersion != r.ResourceVersion:
			return conflict
		}
		return w.hold(types.UID(r.NodeUID), r.Run)
	}
	panic(fmt.Sprintf("%T", a.Request))
}

// answers has a write that is out served and answered.
func (w *world) answers(a WriteLease) {
	w.writes = slices.DeleteFunc(w.writes, func(out WriteLease) bool { return out.Node == a.Node })
	if w.down {
		w.next(LeaseAnswered{a, kube.Answer{Failure: "connection refused", Unsent: true}})
		return
	}
	w.next(LeaseAnswered{a, w.serve(a)})
}

// leaseWrites are the ends of the writes that are out: well, done without an answer, or refused.
func (h *history) leaseWrites(t *rapid.T, well bool) (may []func()) {
	for _, a := range slices.Clone(h.writes) {
		may = append(may, func() {
			if well || h.down {
				h.answers(a)
				return
			}
			h.judge.disturbed = true
			h.writes = slices.DeleteFunc(h.writes, func(out WriteLease) bool { return out.Node == a.Node })
			answer := kube.Answer{Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "etcdserver: leader changed"}
			if rapid.Bool().Draw(t, "done all the same") {
				h.serve(a)
				answer = kube.Answer{Failure: "EOF"}
			}
			h.next(LeaseAnswered{a, answer})
		})
	}
	return may
}

// others takes a node over, as drain --take-over does, or has another run give it back.
func (h *history) others(t *rapid.T) {
	n := h.nodes[h.nodeOf(t)]
	switch {
	case n == nil || !h.leasing:
		return
	case h.holder(n.UID) == "other":
		h.free(n.UID)
	default:
		switch rapid.IntRange(0, 5).Draw(t, "takes over") {
		case 0:
			h.hold(n.UID, "other")
		case 1: // as the garbage collector does, or somebody
			h.free(n.UID)
		}
	}
	h.judge.disturbed = true
	h.next()
}
