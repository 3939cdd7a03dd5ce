package remedy

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Undo is the request that takes back what a remedy changed, or why it is left alone: the
// run at its end and a rollback ask here. It is left alone only where the snapshot proves
// that; where that cannot be trusted, the request itself tests what it takes back.
func (r *Record) Undo(run string, snap *kube.Snapshot) (request request.Request, left string) {
	switch r.Kind {
	case Scale:
		return r.undoScale(run, snap)
	case AskController:
		return r.fieldsRequest(r.Fields.Back()), ""
	}
	node := snap.Node(r.Name)
	switch {
	case node == nil && snap.On(r.Name).Sync(kube.KindNodes).Phase != kube.Synced:
		return nil, "nodes cannot be read"
	case node == nil:
		return nil, "the node is gone"
	case node.UID != r.UID:
		return nil, "another node has its name"
	case !node.OutOfService():
		return nil, "it is already gone"
	case !slices.ContainsFunc(node.Taints, asWritten):
		return nil, "somebody has changed it since"
	case !declaredBy(node, run):
		return nil, "it is not of this run"
	}
	return taintRequest(node, node.TaintsWithout(), ""), ""
}

// undoScale takes replicas back only if they are still what the run made of them, beside the raise of its own
// surge, which is undone before, and no other manager has set them since (managedFields).
func (r *Record) undoScale(run string, snap *kube.Snapshot) (request request.Request, left string) {
	w := snap.Workload(r.UID)
	switch {
	case w == nil && snap.In(r.Namespace).Trusted(workloadKinds[r.Object]):
		return nil, "it is gone"
	case w != nil && surge.WithoutRun(w, run) == r.From:
		return nil, "it already has that number"
	case w != nil && surge.RaisedByOther(w, run) != "":
		return nil, surge.RaisedByOther(w, run)
	case w != nil && surge.WithoutRun(w, run) != r.To:
		return nil, fmt.Sprintf("another run or somebody else has set it to %d since", w.Replicas)
	case w != nil && !w.ReplicasOurs:
		return nil, "somebody else has set its number since"
	}
	return r.scaleRequest(r.To, r.From), ""
}

// UndoWhat says what Undo takes back.
func (r *Record) UndoWhat() string {
	switch r.Kind {
	case AskController:
		return fmt.Sprintf("set %s of %s %s/%s back to %s", r.Fields.Under, r.Object, r.Namespace, r.Name,
			r.Fields.From)
	case Scale:
		return fmt.Sprintf("scale %s %s/%s back to %d", r.Object, r.Namespace, r.Name, r.From)
	}
	return "remove the out-of-service taint of node " + r.Name
}

// UndoID is the same for the same remedy in each plan of a rollback.
func (r *Record) UndoID() string { return fmt.Sprintf("%s/%d/%s", r.Kind, r.ID, r.UID) }

// workloadKinds are the kinds of the store that have replicas.
var workloadKinds = map[string]kube.Kind{
	"Deployment": kube.KindDeployments, "StatefulSet": kube.KindStatefulSets,
	"ReplicaSet": kube.KindReplicaSets, "ReplicationController": kube.KindReplicationControllers,
}

// ScaleKind is the kind of the objects whose replicas the remedy changed, false where it
// changed none.
func (r *Record) ScaleKind() (kube.Kind, bool) {
	kind, known := workloadKinds[r.Object]
	return kind, known && r.Kind == Scale
}

// declaredBy reports whether the run declared the node's machine off.
func declaredBy(n *kube.Node, run string) bool {
	m, ok := annotation.Parse(n.Annotations[kube.OutOfServiceAnnotation])
	return ok && m.Run == run
}

// asWritten reports whether a taint is the one that a run writes.
func asWritten(t corev1.Taint) bool {
	return t.MatchTaint(&kube.OutOfService) && t.Value == kube.OutOfService.Value
}

func (f *Facts) scaleRequest(from, to int32) request.Scale {
	return request.Scale{Kind: f.Object, Namespace: f.Namespace, Name: f.Name, UID: f.UID, From: from, To: to}
}

func taintRequest(n *kube.Node, taints []corev1.Taint, mark string) request.SetTaints {
	return request.SetTaints{Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Taints: taints, Mark: mark}
}
