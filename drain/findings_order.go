package drain

import (
	"fmt"
	"slices"
)

// FindingWaitsForLaterNode is the code of nodes whose drain waits for a pod that
// the same plan moves, but only once they are done.
const FindingWaitsForLaterNode = "WaitsForLaterNode"

// outOfOrder finds nodes that wait for a sick pod of a node whose turn comes after
// theirs. Its eviction could free their budget; in this order it is never reached.
// The order is the operator's, so it is told and not changed.
func (p *planner) outOfOrder(nodes []NodePlan) []Finding {
	atOnce := max(p.o.MaxParallelNodes, 1)
	turn := make(map[string]int, len(nodes))
	for i := range nodes {
		turn[nodes[i].Name] = i
	}
	var found []Finding
	for i := range nodes {
		var waitsFor []string
		for k := range nodes[i].Pods {
			sick := waitsForSibling(&nodes[i].Pods[k])
			if sick == nil || waitsFor != nil && sick.Node != waitsFor[0] {
				continue // the first node that it waits for is enough to change the order
			}
			later, planned := turn[sick.Node]
			if planned && later >= i+atOnce && p.goesWhenReached(&nodes[later], sick) {
				waitsFor = []string{sick.Node, sick.Namespace + "/" + sick.Name}
			}
		}
		if waitsFor == nil {
			continue
		}
		node, pod := waitsFor[0], waitsFor[1]
		found = append(found, Finding{
			Code: FindingWaitsForLaterNode, Level: LevelWarning,
			Message: fmt.Sprintf("%s waits for pod %s on %s, whose turn comes after it: name %s first", nodes[i].Name, pod, node, node),
			Objects: append(nodeObjects([]string{nodes[i].Name, node}), "Pod/"+pod),
			Advice:  []Advice{{"or drain them at the same time", fmt.Sprintf("--max-parallel-nodes=%d", turn[node]-i+1)}},
		})
	}
	return found
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
