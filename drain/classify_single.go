package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// ReasonSingleReplica refuses the only pod of a workload.
const ReasonSingleReplica ReasonCode = "SingleReplica"

// singleReplica refuses pods of workloads that want one pod only, which are down
// while it moves (the node-offlining seed, "SetPDB": `*v.Spec.Replicas == 1` stops
// the drain). The seed looks at the ReplicaSet; during a rollout that says little,
// so the Deployment's number and its autoscaler's minimum decide here, and any
// other owner with a scale counts too, such as a CloneSet.
func (c *classifier) singleReplica() {
	if !c.o.BlockSingleReplica || c.finished || c.pod.Terminating() || c.moot() {
		return
	}
	if w := singleOwner(c.s, c.pod); w != nil {
		c.stop(ActionRefuse, ReasonSingleReplica, LevelError,
			w.Kind+" "+w.Name+" has one replica, and is down while it moves (--block-single-replica)")
	}
}

// singleOwner is the workload that wants no other pod than this, nil if there is
// none or it is not known.
func singleOwner(s *kube.Snapshot, p *kube.Pod) *kube.Workload {
	if p.Owner == nil {
		return nil
	}
	if w := scalable(s, p.Owner); w != nil && wanted(s, w) == 1 {
		return w
	}
	return nil
}
