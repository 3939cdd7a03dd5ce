package drain

import (
	"fmt"
	"slices"
)

// FindingWaitsForLaterNode is the code of nodes whose drain waits for a pod that
// the same plan moves, but only once they are done (--strict-order).
const FindingWaitsForLaterNode = "WaitsForLaterNode"

// outOfOrder finds nodes that wait for a sick pod of a node whose turn comes after
// theirs. Its eviction could free their budget; in this order it is never reached.
// The order is the operator's, so it is told and not changed. Where a node that is
// held lets the next begin (heldFrom), every turn comes.
func (p *planner) outOfOrder(nodes []NodePlan) []Finding {
	if !p.o.StrictOrder {
		return nil
	}
	atOnce := max(p.o.MaxParallelNodes, 1)
	turn := make(map[string]int, len(nodes))
	for i := range nodes {
		turn[nodes[i].Name] = i
	}
	var found []Finding
	for i := range nodes {
		sick := p.firstReachedTooLate(nodes, i+atOnce, turn, nodes[i].Pods)
		if sick == nil {
			continue
		}
		pod := sick.Namespace + "/" + sick.Name
		found = append(found, Finding{
			Code: FindingWaitsForLaterNode, Level: LevelWarning,
			Message: fmt.Sprintf("%s waits for pod %s on %s, whose turn comes after it", nodes[i].Name, pod, sick.Node),
			Objects: append(nodeObjects([]string{nodes[i].Name, sick.Node}), "Pod/"+pod),
			Advice: []Advice{{"name " + sick.Node + " first, leave --strict-order out, or drain them at the same time",
				fmt.Sprintf("--max-parallel-nodes=%d", turn[sick.Node]-i+1)}},
		})
	}
	return found
}

// firstReachedTooLate is the first sick pod that one of the pods waits for on a node
// that is not begun before theirs is done, nil for none. One is enough to change the order.
func (p *planner) firstReachedTooLate(nodes []NodePlan, begun int, turn map[string]int, pods []PodPlan) *Sibling {
	for i := range pods {
		sick := waitsForSibling(&pods[i])
		if sick == nil {
			continue
		}
		if later, planned := turn[sick.Node]; planned && later >= begun && p.goesWhenReached(&nodes[later], sick) {
			return sick
		}
	}
	return nil
}

// waitsForSibling is the sick pod that holds a pod to be evicted, nil where none does.
func waitsForSibling(p *PodPlan) *Sibling {
	if p.Action != ActionEvict || p.Budget == nil || p.Budget.Verdict != VerdictWait {
		return nil
	}
	return p.Budget.Sibling
}

// goesWhenReached tells whether the drain of its node would evict the pod at once.
// A refused node is left untouched.
func (p *planner) goesWhenReached(node *NodePlan, sick *Sibling) bool {
	if node.Counts().Refused > 0 {
		return false
	}
	return slices.ContainsFunc(node.Pods, func(plan PodPlan) bool {
		if plan.Namespace != sick.Namespace || plan.Name != sick.Name || !plan.moves() || plan.Wave != 1 {
			return false
		}
		pod := p.s.Pod(plan.UID)
		return pod != nil && !pod.Terminating()
	})
}
