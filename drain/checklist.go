package drain

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/retire"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Checklist judges whether a node of the run is safe to power off as the cluster is
// now, together with the other nodes that the run drained.
func (s *State) Checklist(snap *kube.Snapshot, n *NodeRun, now time.Time) checklist.Verdict {
	subject := checklist.Subject{Node: n.Name, UID: n.UID, Run: s.Run.ID, Left: map[kube.UID]string{}, Now: now,
		Stopped: n.Retire.Did(retire.StepStop)}
	for _, other := range s.Nodes {
		if other != n && other.State == NodeDrained {
			subject.With = append(subject.With, other.Name)
		}
	}
	for p := range s.podsOn(n.Name) {
		if p.State.Left() {
			subject.Moved = append(subject.Moved, checklist.Moved{Namespace: p.Namespace, Name: p.Name,
				Volumes: p.Volumes})
		} else {
			subject.Left[p.UID] = p.WhyLeft()
		}
	}
	return checklist.Of(snap, subject)
}

// StillDrained says why a node is not as the run left it any more, "" where it is. It is to be asked right before
// something is done to a drained node; known is false where the snapshot cannot tell now.
func (s *State) StillDrained(snap *kube.Snapshot, n *NodeRun, now time.Time) (why string, known bool) {
	st := &stepper{s: s, snap: snap, now: now}
	arrived, unjudged := st.evicting().unplanned(n)
	return checklist.StillDrained(snap, checklist.Drained{Node: n.Name, UID: n.UID, Run: s.Run.ID, Cordoned: n.Cordoned,
		Arrived: arrived}), st.sees(n) && (!unjudged || len(arrived) > 0)
}

// checklistPatience is how long the end of a run waits for the first lists of what the
// checklist is judged from: a drain of few nodes begins before the whole cluster is read.
const checklistPatience = 15 * time.Second

// awaitChecklist reports whether something that the checklist is judged from is still being read for the first time.
func awaitChecklist(st *stepper) bool {
	return st.snap.All().Reading(checklist.Kinds...) && slices.ContainsFunc(st.s.Nodes, func(n *NodeRun) bool {
		return n.State == NodeDrained && !st.past(st.s.counted(n.Ended).Add(checklistPatience))
	})
}
