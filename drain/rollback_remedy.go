package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// undoable says how what a remedy changed is taken back, or why it is left alone: the run at
// its end and a rollback ask here. Left is only what the snapshot proves; where it
// cannot be trusted, the request itself tests what it takes back.
func undoable(r *RemedyRun, run string, snap *kube.Snapshot) Undo {
	if r.Kind == RemedyScale {
		return undoableScale(r, snap)
	}
	u := Undo{ID: r.undoID(), What: "remove the out-of-service taint of node " + r.Name, Node: r.Name}
	node := snap.Node(r.Name)
	switch {
	case node == nil && !kube.NodeLive(snap, r.Name):
		u.Left = "nodes are not seen now"
	case node == nil:
		u.Left = "the node is gone"
	case node.UID != r.UID:
		u.Left = "another node has its name"
	case !node.OutOfService():
		u.Left = "it is gone already"
	case !declaredBy(node, run):
		u.Left = "it is not of this run"
	default:
		u.Taint = taintRequest(node, node.TaintsWithout(), "")
	}
	return u
}

// undoableScale takes replicas back only if they are still what the run made of them, and
// nobody else has set them since (managedFields).
func undoableScale(r *RemedyRun, snap *kube.Snapshot) Undo {
	u := Undo{ID: r.undoID(), What: fmt.Sprintf("scale %s %s/%s back to %d", r.Object, r.Namespace, r.Name, r.From)}
	w := snap.Workload(r.UID)
	switch {
	case w == nil && snap.Trusted(workloadKinds[r.Object]):
		u.Left = "it is gone"
	case w != nil && w.Replicas == r.From:
		u.Left = "it has that number already"
	case w != nil && w.Replicas != r.To:
		u.Left = fmt.Sprintf("somebody has set it to %d since", w.Replicas)
	case w != nil && !w.ReplicasOurs:
		u.Left = "somebody else has set its number since"
	default:
		u.Scale = r.scaleRequest(r.To, r.From)
	}
	return u
}

func (r *RemedyRun) undoID() string { return fmt.Sprintf("%s/%d/%s", r.Kind, r.ID, r.UID) }

// workloadKinds are the kinds of the store that have replicas.
var workloadKinds = map[string]kube.Kind{
	"Deployment": kube.KindDeployments, "StatefulSet": kube.KindStatefulSets,
	"ReplicaSet": kube.KindReplicaSets, "ReplicationController": kube.KindReplicationControllers,
}

// ScaleKind is the kind of the objects whose replicas the remedy changed, false where it
// changed none.
func (r *RemedyRun) ScaleKind() (kube.Kind, bool) {
	kind, known := workloadKinds[r.Object]
	return kind, known && r.Kind == RemedyScale
}

// objected tells whether the server refused to take it back, for a reason that may be in
// the object itself.
func (r *RemedyRun) objected() bool {
	switch r.Last.Class() {
	case kube.AnswerGone, kube.AnswerConflict, kube.AnswerInvalid:
		return true
	}
	return false
}

// Leftover tells whether the remedy may have left something in the cluster that a
// rollback looks at.
func (r *RemedyRun) Leftover() bool { return r.open() || r.State == RemedyLeft }
