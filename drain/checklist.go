package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Checklist judges whether a node of the run is safe to power off as the cluster is
// now, together with the other nodes that the run drained.
func (s *State) Checklist(snap *kube.Snapshot, n *NodeRun, now time.Time) checklist.Verdict {
	subject := checklist.Subject{Node: n.Name, UID: n.UID, Run: s.Run.ID, Left: map[kube.UID]string{}, Now: now}
	for _, other := range s.Nodes {
		if other != n && other.State == NodeDrained {
			subject.With = append(subject.With, other.Name)
		}
	}
	for _, i := range s.onNode[n.Name] {
		p := s.Pods[i]
		if p.State.Left() {
			subject.Moved = append(subject.Moved, checklist.Moved{Namespace: p.Namespace, Name: p.Name, Volumes: p.Volumes})
		} else {
			subject.Left[p.UID] = p.leftWhy()
		}
	}
	return checklist.Of(snap, subject)
}

// leftWhy says why the run left a pod on its node, "" where it did not.
func (p *PodRun) leftWhy() string {
	if p.Message != "" || len(p.Reasons) == 0 {
		return p.Message
	}
	return p.Reasons[0].Message
}

// checklistPatience is how long the end of a run waits for the first lists of what the
// checklist is judged from: a drain of few nodes begins before the whole cluster is read.
const checklistPatience = 15 * time.Second

// awaitChecklist reports whether something that the checklist is judged from is still
// being read for the first time.
func awaitChecklist(st *stepper) bool {
	if !slices.ContainsFunc(checklist.Kinds, func(k kube.Kind) bool { return st.snap.Sync(k).Phase == kube.NotSynced }) {
		return false
	}
	return slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool {
		return n.State == NodeDrained && !st.past(n.Ended.Add(checklistPatience))
	})
}
