package plan

import (
	"cmp"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of --block-single-replica.
const (
	// ReasonSingleReplica refuses the only pod of a workload.
	ReasonSingleReplica ReasonCode = "SingleReplica"
	// ReasonScaleUnknown refuses a pod of which it is not known whether its workload
	// wants others: what the operator asked to be kept must not go for want of a right
	// or of an answer.
	ReasonScaleUnknown ReasonCode = "ScaleUnknown"
)

// singleReplica refuses pods of workloads that want one pod only, which are down
// while it moves (the node-offlining seed, "SetPDB": `*v.Spec.Replicas == 1` stops
// the drain). The seed looks at the ReplicaSet; during a rollout that says little,
// so the Deployment's number and its autoscaler's minimum decide here, and any
// other owner with a scale counts too, such as a CloneSet.
func singleReplica(c *classified) []remark {
	if !c.o.BlockSingleReplica || c.finished || c.pod.Terminating() || c.pod.Owner == nil || c.moot() {
		return nil
	}
	w := budget.ScaledBy(c.s, c.pod.Owner)
	switch {
	case w != nil && budget.Wanted(c.s, w) == 1:
		return stops(ActionRefuse, ReasonSingleReplica, LevelError,
			w.Kind+" "+w.Name+" has one replica, and is down while it moves (--block-single-replica)")
	case w != nil:
		return nil
	}
	if why := scaleUnknown(c.s, c.pod); why != "" {
		return stops(ActionRefuse, ReasonScaleUnknown, LevelError, why+" (--block-single-replica)")
	}
	return nil
}

// scaleUnknown says why it is not known whether the workload of a pod wants others,
// of an owner that scalable does not know; "" where it need not be known: the pods
// of Jobs end, those of a DaemonSet have no replicas, and of an owner that has no
// scale another pod is there.
func scaleUnknown(s *kube.Snapshot, p *kube.Pod) string {
	owner, w := s.TopOwner(p.Owner)
	what := "how many pods " + owner.Kind + " " + owner.Name + " wants is not known: "
	kind := OwnersOfKind(owner)
	sync := s.In(p.Namespace).Sync(kind)
	switch {
	case owner.Kind == "DaemonSet", kind == kube.KindJobs:
		return ""
	case kind != "" && sync.Phase == kube.Denied:
		return what + string(kind) + " cannot be read: " + format.Quote(cmp.Or(sync.Reason, sync.Phase.String()))
	case kind != "" && !s.In(p.Namespace).Trusted(kind):
		return what + string(kind) + " are " + sync.Phase.String()
	case kind != "":
		return what + "it is not in the cluster"
	case w == nil && !budget.PlainOwner(owner):
		return what + "its scale was not read yet"
	case w != nil && w.Hidden != "":
		return what + w.Hidden
	case othersOf(s, p):
		return ""
	}
	return what + "it has no scale, and no other pod of it is there"
}

// othersOf reports whether the owner of a pod has another one that is not ending.
func othersOf(s *kube.Snapshot, p *kube.Pod) bool {
	for other := range s.PodsOf(p.Owner.UID) {
		if other.UID != p.UID && !other.Finished() && !other.Terminating() {
			return true
		}
	}
	return false
}

// HiddenOwner is the owner of a pod whose scale exists and was not told, nil where
// there is no such thing.
func HiddenOwner(s *kube.Snapshot, pod kube.UID) *kube.Workload {
	p := s.Pod(pod)
	if p == nil || p.Owner == nil {
		return nil
	}
	if _, w := s.TopOwner(p.Owner); w != nil && w.Resource != "" && w.Hidden != "" {
		return w
	}
	return nil
}
