package drain

import (
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// undoRung says how a rung is taken back that the run itself did not, or could not,
// take back.
func undoRung(r *RungRun, run string, snap *kube.Snapshot) Undo {
	if r.Kind == RungScale {
		return undoScale(r, snap)
	}
	u := Undo{What: "remove the out-of-service taint of node " + r.Name, Node: r.Name}
	node := snap.Node(r.Name)
	switch {
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

// undoScale takes replicas back only if they are still what the run made of them, and
// nobody else has set them since (managedFields).
func undoScale(r *RungRun, snap *kube.Snapshot) Undo {
	u := Undo{What: fmt.Sprintf("scale %s %s/%s back to %d", r.Object, r.Namespace, r.Name, r.From)}
	w := snap.Workload(r.UID)
	switch {
	case w == nil:
		u.Left = "it is gone"
	case w.Replicas == r.From:
		u.Left = "it has that number already"
	case w.Replicas != r.To:
		u.Left = fmt.Sprintf("somebody has set it to %d since", w.Replicas)
	case !w.ReplicasOurs:
		u.Left = "somebody else has set its number since"
	default:
		u.Scale = r.scaleRequest(r.To, r.From)
	}
	return u
}

// Leftover tells whether the rung may have left something in the cluster that a
// rollback looks at.
func (r *RungRun) Leftover() bool { return r.open() || r.State == RungLeft }
