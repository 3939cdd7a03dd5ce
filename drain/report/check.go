package report

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Check compares what is left to do with the cluster. What is done by now leaves ToDo, and Since says what the cluster
// shows instead. What the snapshot does not know stays as the journal has it.
func (r *Report) Check(run *drain.State, s *kube.Snapshot, now time.Time) {
	undos := rollback.Plan(run, s, now)
	r.CheckedAt = now.UTC()
	for i := range r.Nodes {
		n := &r.Nodes[i]
		cordon := ToDo{undo: rollback.CordonID(kube.UID(n.UID)), node: n.Name, kinds: []kube.Kind{kube.KindNodes}}
		if n.Cordoned && cordon.since(s, undos) != "" {
			n.Cordoned, n.CordonGone = false, true
		}
	}
	r.left = slices.DeleteFunc(r.left, func(t ToDo) bool { return t.since(s, undos) != "" })
	r.ToDo = slices.DeleteFunc(r.ToDo, func(t ToDo) bool {
		since := t.since(s, undos)
		if since != "" {
			r.Since = append(r.Since, since)
		}
		return since != ""
	})
}

// leftTitle says of when the list of what is left to do is.
func leftTitle(r Report) string {
	switch {
	case r.Unchecked != "":
		return "Left to do when the run ended; not compared with the cluster: " + r.Unchecked
	case !r.CheckedAt.IsZero():
		return "Left to do at " + utc(r.CheckedAt)
	}
	return "Left to do"
}

// since is what the cluster shows instead of what was left to do, "" where that is still to do or not known.
func (t *ToDo) since(s *kube.Snapshot, undos []rollback.Undo) string {
	switch {
	case !s.Health().Live || slices.ContainsFunc(t.kinds, func(k kube.Kind) bool {
		return s.On(t.node).Sync(k).Phase != kube.Synced
	}):
	case t.pod != nil:
		if s.Pod(t.pod.UID) == nil {
			return "pod " + t.pod.Namespace + "/" + t.pod.Name + " has left " + t.node
		}
	case t.undo != "":
		return t.undone(undos)
	}
	return ""
}

// undone is what a rollback finds instead of what it would undo, "" where it would undo that.
func (t *ToDo) undone(undos []rollback.Undo) string {
	left := rollback.Undo{ID: t.undo}
	if u, planned := left.Planned(undos); planned && u.Left != "" {
		return u.What + ": " + u.Left
	}
	return ""
}
