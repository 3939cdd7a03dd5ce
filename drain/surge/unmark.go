package surge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// The annotation stays on a ReplicaSet until the deletion costs are given back: they are
// found by it where there is no journal. That of a Deployment is copied to its ReplicaSet by
// its controller, which never takes one away there (SetNewReplicaSetAnnotations in kubernetes
// pkg/controller/deployment/util). A ReplicaSet without a Deployment keeps its own.

// lower is the request that sets the replicas of a workload back that the run has raised. The number of somebody else
// stays: only the annotation is removed. After a server-side apply of the raised number managedFields name them too.
func (r *Record) lower(w *kube.Workload) request.Lower {
	l := request.Lower{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		From: r.Batch.To, To: r.Batch.Was, Mark: w.SurgeMark}
	if !r.unmarked(w) && (w.Replicas != r.Batch.To || w.SurgeMark != r.Batch.Mark || w.ReplicasOwners != "") {
		l.From = l.To
	}
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
			requests = append(requests, unmarked(rs))
		}
	}
	return requests
}

// unmarked is the request that takes the annotation off a workload, and leaves its number.
func unmarked(w *kube.Workload) request.Lower {
	return request.Lower{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, UID: w.UID,
		From: w.Replicas, To: w.Replicas, Mark: w.SurgeMark}
}

// orphans are the requests that undo the raise of a workload at what outlives it and has the text of its annotation:
// the ReplicaSets of a Deployment, as with --cascade=orphan, or a Deployment that was created again from its manifest,
// as by `kubectl replace --force`. A ReplicaSet that was adopted since has the number of its new owner.
func orphans(s *kube.Snapshot, of *Facts, text string) (requests []request.Lower) {
	for _, kind := range []kube.Kind{kube.KindDeployments, kube.KindReplicaSets} {
		for _, w := range kube.Workloads(s, kind) {
			m, marked := parseMark(w.SurgeMark)
			owned := w.UID == of.UID || w.Owner != nil && w.Owner.UID == of.UID
			another := kind == kube.KindDeployments && w.Name != of.Name // copied from it, with all annotations
			if !marked || owned || another || w.Namespace != of.Namespace || w.SurgeMark != text {
				continue
			}
			lower := unmarked(w)
			if w.Owner == nil && w.Replicas == m.To {
				lower.To = m.Was
			}
			requests = append(requests, lower)
		}
	}
	return requests
}

// owners is the version of the request that gives the number back to its owners.
const owners = "owners"

// givesBack is the request that makes those who owned the number before the raise its owners again, none where the
// number is somebody else's by now. An annotation of a ReplicaSet that was set back is removed right before it.
func (b *Batch) givesBack(w *kube.Workload) []request.Lower {
	m, known := parseMark(b.Mark)
	last, marked := parseMark(w.SurgeMark)
	goes := w.SurgeMark == "" || marked && last.lowered() && last.Run == m.Run && w.Kind == "ReplicaSet"
	if !known || len(m.Owners) == 0 || !w.ReplicasOurs || w.Replicas != b.Was || !goes {
		return nil
	}
	return []request.Lower{{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, UID: w.UID,
		From: w.Replicas, To: w.Replicas, Owners: string(m.Owners)}}
}

// last are the last requests about a workload, in their order: the number is returned to its owners while an annotation
// still tells another run who they are. The one on a ReplicaSet without a Deployment has to be removed before.
func (b *Batch) last(w *kube.Workload, marks []request.Lower) []request.Lower {
	if w.Kind == "ReplicaSet" {
		return slices.Concat(marks, b.givesBack(w))
	}
	return slices.Concat(b.givesBack(w), marks)
}

// StillRaised reports whether the replicas of a workload that the run raised are still to be set back.
func StillRaised(s *kube.Snapshot, r *Record, run string) bool {
	w := s.Workload(r.UID)
	return w != nil && (raisedBy(w, run) || r.unmarked(w))
}

// Seen reports whether the controller of a workload that the run raised has seen that its replicas are set back. It is
// true for a workload that was deleted. Until then the controller may copy the annotation to a ReplicaSet.
func Seen(s *kube.Snapshot, r *Record, run string) bool {
	w := s.Workload(r.UID)
	return w == nil || !StillRaised(s, r, run) && !w.Unobserved
}

// SetBack reports whether the replicas of a workload that the run raised are set back, and its controller has seen
// that and removed the pods that are too many: what Undo takes back before that is not all.
func SetBack(s *kube.Snapshot, r *Record, run string) bool {
	w := s.Workload(r.UID)
	if w == nil {
		return len(orphans(s, &r.Facts, r.Batch.Mark)) == 0
	}
	return !StillRaised(s, r, run) && setBack(w, lastMarks(s, w, run)) &&
		len(activeOf(s, w)) <= int(w.Replicas)
}

// setBack reports whether no annotation can come to those that are left on ReplicaSets. The controller of a Deployment
// copies it until it has seen that the replicas are set back, and a ReplicaSet that still has the raised number waits
// for it.
func setBack(w *kube.Workload, marks []request.Lower) bool {
	return !w.Unobserved && !slices.ContainsFunc(marks, func(l request.Lower) bool { return l.From > w.Replicas })
}

// copiesFor is how long the controller of a Deployment may take to see that the annotation is gone there. Where the
// number of somebody else stands, the generation of the Deployment does not change with that, and nothing tells.
const copiesFor = 2 * time.Second

// unmark returns the number to its owners and removes the last annotations. open reports that something remains to be
// done, or that another annotation may appear. The workload is nil where it is gone.
func (r *Record) unmark(v View, w *kube.Workload, ends time.Time) (d Decision, open bool) {
	failed, done := r.notUnmarked() != "", r.Last.Class() == kube.AnswerDone
	if failed && !done && !r.LastWas(owners) {
		return Decision{}, false
	}
	var back, marks, last []request.Lower
	if w != nil {
		marks = lastMarks(v.Snap, w, v.Run)
		last = r.Batch.last(w, marks)
		if failed || r.LastWas(owners) && done && !r.Waits(v.Now) {
			last = marks // the owners are given up, or they show in the workload, or never
		}
		if raisedBy(w, v.Run) { // `kubectl rollout undo` takes the annotations of an earlier ReplicaSet
			back = append(back, unmarked(w))
		}
	}
	all, copied := slices.Concat(back, orphans(v.Snap, &r.Facts, r.Batch.Mark), last), r.Since.Add(copiesFor)
	version := ""
	if len(all) > 0 {
		if version = string(all[0].UID); all[0].Owners != "" {
			version = owners
		}
	}
	switch {
	case r.InFlight != 0:
		return Decision{}, true
	case w != nil && !setBack(w, marks) && v.Now.Before(ends):
		return Decision{Wake: ends}, true
	case w != nil && w.Replicas != r.Batch.Was && w.Kind == "Deployment" && v.Now.Before(copied):
		return Decision{Wake: copied}, true
	case len(all) == 0:
		return Decision{}, false
	case r.Waits(v.Now) && r.LastWas(version):
		return Decision{Wake: r.Next}, true
	}
	return Decision{Sends: []Send{{Verb: attempt.VerbEndSurge, Version: version, Request: all[0]}}}, true
}

// notUnmarked returns what the run gives up to remove or to return after the replicas are set back, with the reason:
// the right is missing, or the request has failed too often. It returns "" while that is not given up.
func (r *Record) notUnmarked() string {
	switch {
	case r.InFlight != 0 || r.Last == nil:
	case r.Last.Class() != kube.AnswerForbidden && r.Tries < attempt.RemoveTries:
	case r.LastWas(owners), r.Last.Class() == kube.AnswerDone: // done: an annotation, after the owners were given up
		return strings.TrimSuffix("its replicas still belong to the field manager "+kube.FieldManager+
			", a rollback tries that again: "+r.Last.Words(), ": ")
	default:
		return "the annotation " + kube.SurgeAnnotation + " is still there, a rollback tries that again: " +
			r.Last.Words()
	}
	return ""
}

// names reports whether the annotation of the batch names who owns the number of replicas now, before the raise.
func (b *Batch) names(s *kube.Snapshot, w *kube.Workload) bool {
	m, _ := parseMark(b.Mark)
	return string(m.Owners) == string(b.ownersOf(s, w))
}

// ownersOf returns who owns the number of replicas, as in kube.Workload.ReplicasOwners. Where a run has set it back and
// has not returned it to its owners, they are known by the batch before, or by an annotation of another run.
func (b *Batch) ownersOf(s *kube.Snapshot, w *kube.Workload) json.RawMessage {
	if !w.ReplicasOurs {
		return json.RawMessage(w.ReplicasOwners)
	}
	marks, last := []string{b.Mark, w.SurgeMark}, mark{}
	for _, rs := range s.WorkloadsOf(w.UID) {
		marks = append(marks, rs.SurgeMark)
	}
	for _, text := range marks {
		if m, marked := parseMark(text); marked && len(m.Owners) > 0 && m.At.After(last.At) {
			last = m
		}
	}
	return last.Owners
}
