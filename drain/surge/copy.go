package surge

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The controller of a Deployment copies its annotations to its ReplicaSet, and never takes
// one away there (SetNewReplicaSetAnnotations in kubernetes pkg/controller/deployment/util).
// So the copy of ours is removed by us.

// copies are the requests that take a run's annotation off the ReplicaSets of a workload;
// none of them changes a number.
func copies(s *kube.Snapshot, w *kube.Workload, run string) (requests []request.Lower) {
	for _, rs := range s.WorkloadsOf(w.UID) {
		if m, marked := parseMark(rs.SurgeMark); marked && m.Run == run {
			requests = append(requests, request.Lower{Kind: rs.Kind, Namespace: rs.Namespace, Name: rs.Name,
				UID: rs.UID, From: rs.Replicas, To: rs.Replicas, Mark: rs.SurgeMark})
		}
	}
	return requests
}

// uncopy removes the copies; open tells that one is still to be removed. A ReplicaSet that
// still has the raised number waits for its controller: before, that one could copy again.
func (r *Record) uncopy(v View, w *kube.Workload, ends time.Time) (d Decision, open bool) {
	if r.copyStays() {
		return Decision{}, false
	}
	all := copies(v.Snap, w, v.Run)
	switch {
	case len(all) == 0:
		return Decision{}, false
	case r.InFlight != 0:
		return Decision{}, true
	case all[0].From > w.Replicas && v.Now.Before(ends):
		return Decision{Wake: ends}, true
	case r.Waits(v.Now):
		return Decision{Wake: r.Next}, true
	}
	return Decision{Sends: []Send{{Verb: attempt.VerbLower, Request: all[0]}}}, true
}

// copyStays reports whether the removal of copies is given up: the right is missing, or it has
// failed too often. A ReplicaSet that has changed meanwhile is tried as it is then.
func (r *Record) copyStays() bool {
	if r.InFlight != 0 || r.Last == nil {
		return false
	}
	return r.Last.Class() == kube.AnswerForbidden || r.Tries >= attempt.RemoveTries
}
