package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingWaitsForLaterNode is the code of nodes whose drain waits for a pod that
// the same plan moves, but only once they are done (--strict-order).
const FindingWaitsForLaterNode = "WaitsForLaterNode"

// findOutOfOrder finds nodes that wait for an unhealthy pod of a node that is drained after
// theirs. Its eviction could free their budget; in this order it is never reached.
// The order is the operator's, so it is told and not changed. Where a node that is
// findHeld lets the next begin (heldFrom), every turn comes.
func findOutOfOrder(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	if !p.Options.StrictOrder {
		return nil
	}
	atOnce := max(p.Options.MaxParallelNodes, 1)
	turn := make(map[string]int, len(p.Nodes))
	for i := range p.Nodes {
		turn[p.Nodes[i].Name] = i
	}
	var found []plan.Finding
	for i := range p.Nodes {
		sick := firstReachedTooLate(s, p.Nodes, i+atOnce, turn, p.Nodes[i].Pods)
		if sick == nil {
			continue
		}
		pod := sick.Namespace + "/" + sick.Name
		found = append(found, plan.Finding{
			Code: FindingWaitsForLaterNode, Level: plan.LevelWarning,
			Message: fmt.Sprintf("%s waits for pod %s on %s, which is drained after it", p.Nodes[i].Name, pod,
				sick.Node),
			Objects: append(nodeObjects([]string{p.Nodes[i].Name, sick.Node}), "Pod/"+pod),
			Advice: []budget.Advice{{Text: "name " + sick.Node +
				" first, leave --strict-order out, or drain them at the same time",
				Command: fmt.Sprintf("--max-parallel-nodes=%d", turn[sick.Node]-i+1)}},
		})
	}
	return found
}

// Advised is the order of the nodes of a plan in which none waits for a later one, as far as its findings
// tell; false where that is the order that it has.
func Advised(p *plan.Plan) (names []string, better bool) {
	names = p.Names()
	for _, f := range p.Findings {
		if f.Code != FindingWaitsForLaterNode {
			continue
		}
		waits, first := strings.TrimPrefix(f.Objects[0], "Node/"), strings.TrimPrefix(f.Objects[1], "Node/")
		from, to := slices.Index(names, first), slices.Index(names, waits)
		if from > to && to >= 0 {
			names, better = slices.Insert(slices.Delete(names, from, from+1), to, first), true
		}
	}
	return names, better
}

// waitsForUnhealthyPod is the unhealthy pod that blocks a pod to be evicted, nil where none does.
func waitsForUnhealthyPod(p *plan.Pod) *budget.UnhealthyPod {
	if p.Action != plan.ActionEvict || p.Budget == nil || p.Budget.Verdict != budget.VerdictWait {
		return nil
	}
	return p.Budget.UnhealthyPod
}

// firstReachedTooLate is the first unhealthy pod that one of the pods waits for on a node
// that is not begun before theirs is done, nil for none. One is enough to change the order.
func firstReachedTooLate(s *kube.Snapshot, nodes []plan.Node, begun int, turn map[string]int,
	pods []plan.Pod) *budget.UnhealthyPod {
	for i := range pods {
		sick := waitsForUnhealthyPod(&pods[i])
		if sick == nil {
			continue
		}
		if later, planned := turn[sick.Node]; planned && later >= begun && goesWhenReached(s, &nodes[later], sick) {
			return sick
		}
	}
	return nil
}

// goesWhenReached reports whether the drain of its node would evict the pod at once.
// A refused node is left untouched.
func goesWhenReached(s *kube.Snapshot, node *plan.Node, sick *budget.UnhealthyPod) bool {
	if node.Refused() {
		return false
	}
	return slices.ContainsFunc(node.Pods, func(plan plan.Pod) bool {
		if plan.Namespace != sick.Namespace || plan.Name != sick.Name || !plan.Moves() || plan.Wave != 1 {
			return false
		}
		pod := s.Pod(plan.UID)
		return pod != nil && !pod.Terminating()
	})
}
