package surge

import (
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The annotation stays on a ReplicaSet until the deletion costs are given back: they are
// found by it where there is no journal. That of a Deployment is copied to its ReplicaSet by
// its controller, which never takes one away there (SetNewReplicaSetAnnotations in kubernetes
// pkg/controller/deployment/util). A ReplicaSet without a Deployment keeps its own.

// lower is the request that sets the replicas of a workload back that the run has raised.
func (r *Record) lower(w *kube.Workload) request.Lower {
	l := request.Lower{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		From: r.Batch.To, To: r.Batch.Was, Mark: w.SurgeMark}
	if m, ours := parseMark(l.Mark); ours && r.Kind == "ReplicaSet" {
		m.To = m.Was
		l.Then = m.String()
	}
	return l
}

// lastMarks are the requests that take a run's annotation off the ReplicaSets of a workload
// whose replicas are set back; none of them changes a number.
func lastMarks(s *kube.Snapshot, w *kube.Workload, run string) (requests []request.Lower) {
	sets := s.WorkloadsOf(w.UID)
	if w.Kind == "ReplicaSet" && !raisedBy(w, run) {
		sets = []*kube.Workload{w}
	}
	for _, rs := range sets {
		if m, marked := parseMark(rs.SurgeMark); marked && m.Run == run {
			requests = append(requests, request.Lower{Kind: rs.Kind, Namespace: rs.Namespace, Name: rs.Name,
				UID: rs.UID, From: rs.Replicas, To: rs.Replicas, Mark: rs.SurgeMark})
		}
	}
	return requests
}

// unmark removes the last of the annotations; open tells that one is still to be removed, or
// may still come. The controller of a Deployment copies it until it has seen that the replicas
// are set back, and a ReplicaSet that still has the raised number waits for it.
func (r *Record) unmark(v View, w *kube.Workload, ends time.Time) (d Decision, open bool) {
	if r.markStays() {
		return Decision{}, false
	}
	all := lastMarks(v.Snap, w, v.Run)
	switch {
	case r.InFlight != 0:
		return Decision{}, true
	case w.Unobserved && v.Now.Before(ends):
		return Decision{Wake: ends}, true
	case len(all) == 0:
		return Decision{}, false
	case all[0].From > w.Replicas && v.Now.Before(ends):
		return Decision{Wake: ends}, true
	case r.Waits(v.Now):
		return Decision{Wake: r.Next}, true
	}
	return Decision{Sends: []Send{{Verb: attempt.VerbLower, Request: all[0]}}}, true
}

// markStays reports whether the removal of the last annotation is given up: the right is missing, or it has
// failed too often. A ReplicaSet that has changed meanwhile is tried as it is then.
func (r *Record) markStays() bool {
	if r.InFlight != 0 || r.Last == nil {
		return false
	}
	return r.Last.Class() == kube.AnswerForbidden || r.Tries >= attempt.RemoveTries
}
