package checklist

import (
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// machine looks whether the API knows what the machine runs.
func (j *judge) machine() {
	object, node := "Node/"+j.Node, j.s.Node(j.Node)
	switch {
	case !j.s.On(j.Node).Trusted(kube.KindNodes, kube.KindPods):
		j.blind = true
		j.unknown(object, "the view of the node and its pods is not up to date")
	case node == nil || node.UID != j.UID:
		j.blind = true
		j.unknown(object, "the Node object is gone, so it is not known what its machine runs")
	case node.Ready == kube.NodeUnknown && !j.Stopped:
		j.unknown(object, "its kubelet is silent, so it is not known whether the pods that are gone have ended there")
	case !node.Unschedulable:
		j.against(object, "the node is not cordoned: pods may be bound to it at any time")
	}
}

// Lost says why the node of that UID no longer exists, "" if it does: node has its name now, nil for none.
func Lost(node *kube.Node, uid kube.UID) string {
	switch {
	case node == nil:
		return "the node was deleted"
	case node.UID != uid:
		return "the node was replaced: another node has its name"
	}
	return ""
}

// Drained is a node as its drain left it.
type Drained struct {
	Node     string
	UID      kube.UID
	Run      string      // that drained it
	Cordoned bool        // by that run
	Arrived  []*kube.Pod // pods on it that the drain would move and did not know
}

// StillDrained says why the node is not as its drain left it any more, "" where it is. The view of the node and its
// pods must be live.
func StillDrained(s *kube.Snapshot, d Drained) string {
	node := s.Node(d.Node)
	switch lost := Lost(node, d.UID); {
	case lost != "":
		return lost
	case !node.Unschedulable:
		return "it was uncordoned after it was drained"
	case len(d.Arrived) > 0:
		return d.Arrived[0].Namespace + "/" + d.Arrived[0].Name + " was bound to the node after it was drained"
	case d.Cordoned:
		return annotation.TakenOver(node, d.Run)
	}
	return ""
}

// pods names those that are on the node and not on every node. Pods that have finished
// may be there: the kubelet reports the end of a pod once all its containers have
// stopped, so nothing of them is running.
func (j *judge) pods() {
	for _, p := range j.s.PodsOn(j.Node) {
		if p.Mirror() || j.ofDaemonSet(p) || p.Finished() && !p.Terminating() {
			continue
		}
		name := p.Namespace + "/" + p.Name
		message := "pod " + name + " is left on it"
		switch why, known := j.Left[p.UID]; {
		case known && why != "":
			message += " (" + why + ")"
		case known:
			message += " (it is still there)"
		case j.Run != "":
			message += " (it is not one of the pods of the run)"
		}
		j.against("Pod/"+name, message)
	}
}

// ofDaemonSet reports whether the pod belongs to a DaemonSet that is not known to be
// gone.
func (j *judge) ofDaemonSet(p *kube.Pod) bool {
	return namesDaemonSet(p) && (!j.s.In(p.Namespace).Trusted(kube.KindDaemonSets) ||
		j.s.WorkloadNamed("DaemonSet", p.Namespace, p.Owner.Name) != nil)
}

// namesDaemonSet reports whether the pod says that a DaemonSet controls it; kubectl knows
// those of apps/v1 only.
func namesDaemonSet(p *kube.Pod) bool {
	return p.Owner != nil && p.Owner.Kind == "DaemonSet" && p.Owner.APIVersion == "apps/v1"
}

// UnknownDaemonSet says which DaemonSet of the pod is not known, "" if none.
func UnknownDaemonSet(s *kube.Snapshot, p *kube.Pod) string {
	if !namesDaemonSet(p) || s.WorkloadNamed("DaemonSet", p.Namespace, p.Owner.Name) != nil {
		return ""
	}
	return ", and its DaemonSet " + p.Owner.Name + " is not known"
}

// runs looks for the Lease and the annotation of another run. A Lease that has lapsed
// is free to take. An annotation alone counts only for a run that asks: it stays on the
// node after the run that wrote it has ended, as the cordon does.
func (j *judge) runs() {
	if !j.unread(j.s, kube.KindLeases, "whether another run is at work on it") {
		for _, h := range lease.InTheWay(j.s, []string{j.Node}, j.Run, j.Now, nil) {
			j.against("Node/"+j.Node, "the node is held by "+h.Words)
		}
	}
	node := j.s.Node(j.Node)
	if j.Run == "" || node.Cordon == nil || node.Cordon.Manager != kube.FieldManager {
		return
	}
	if mark, ours := annotation.Parse(node.Cordon.Mark); ours && mark.Run != "" && mark.Run != j.Run {
		j.against("Node/"+j.Node, "run "+format.Shorten(mark.Run)+" of "+mark.Maker()+" has cordoned it")
	}
}
