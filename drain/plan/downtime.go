package plan

import (
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// findDowntime notes the pods whose workload has no other healthy pod when they leave:
// all that it has leave in the first wave, so it is down until a replacement is Ready.
// Nodes that are drained one after the other are judged each for itself. Nothing is
// claimed while the pods of its namespace are not all known.
func (p *planner) findDowntime(nodes []Node) {
	if len(nodes) > max(p.o.MaxParallelNodes, 1) {
		for i := range nodes {
			p.downAtOnce(nodes[i:i+1], p.pods[i:i+1])
		}
		return
	}
	p.downAtOnce(nodes, p.pods)
}

// downAtOnce is findDowntime for nodes that are drained together; live are their pods.
func (p *planner) downAtOnce(nodes []Node, live [][]*kube.Pod) {
	leaving := map[*budget.HealthyPods][]*Pod{}
	for i := range nodes {
		for k := range nodes[i].Pods {
			plan := &nodes[i].Pods[k]
			if !plan.Moves() || plan.GoesLast() || plan.Wave != 1 || plan.Controller == nil || !live[i][k].Healthy() ||
				!p.s.In(plan.Namespace).InWhole(kube.KindPods) {
				continue
			}
			if of := p.tracker.HealthyPodsOf(plan.Controller); of != nil {
				leaving[of] = append(leaving[of], plan)
			}
		}
	}
	for of, pods := range leaving {
		if of.Count <= len(pods) { // no other one stays
			for _, plan := range pods {
				plan.Down = len(pods)
			}
		}
	}
}
