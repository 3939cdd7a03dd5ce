package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Landing says where the replacement of a pod could be scheduled.
type Landing struct {
	landing.Verdict // judged alone: the cluster as it is, this pod gone
	// Together is the same with the plan's other pods moved before it: an
	// estimate, for the scheduler may place them otherwise.
	Together landing.Verdict
	Target   string // the node that the estimate took for it, "" for none
}

// Room is the room in the cluster before the plan and, estimated, after it.
type Room struct{ Before, After landing.Headroom }

// land fills in where the pods could go. A pod that is not recreated, and one
// that has finished, goes nowhere.
func (p *planner) land(plan *Plan) {
	names := make([]string, len(plan.Nodes))
	var plans []*Pod
	var pods []*kube.Pod
	for i := range plan.Nodes {
		names[i] = plan.Nodes[i].Name
		for k := range plan.Nodes[i].Pods {
			pod := p.pods[i][k]
			if one := &plan.Nodes[i].Pods[k]; one.Moves() && !one.GoesLast() && pod.Owner != nil &&
				!pod.Finished() && one.NotRemade == "" {
				plans, pods = append(plans, one), append(pods, pod)
			}
		}
	}
	cluster := landing.New(p.s, names)
	for i, pod := range pods {
		plans[i].Landing = &Landing{Verdict: cluster.Alone(pod)}
	}
	together := cluster.Together(pods)
	for i := range pods {
		plans[i].Landing.Together, plans[i].Landing.Target = together.Verdicts[i], together.Targets[i]
	}
	plan.Room = Room{Before: together.Before, After: together.After}
}

// pin notes the volumes that no node beside those of the plan can reach: their pods
// can start nowhere else.
func (p *planner) pin(nodes []Node) {
	if p.s.Sync(kube.KindClaims).Phase == kube.Denied || p.s.Sync(kube.KindVolumes).Phase == kube.Denied {
		return
	}
	if !p.s.All().InWhole(kube.KindNodes) {
		return
	}
	planned := make(map[string]bool, len(nodes))
	for i := range nodes {
		planned[nodes[i].Name] = true
	}
	elsewhere := map[*corev1.NodeSelector]bool{} // volumes of one place share it
	for i := range nodes {
		for k := range nodes[i].Pods {
			plan, pod := &nodes[i].Pods[k], p.pods[i][k]
			if !plan.Moves() || plan.GoesLast() || pod.Finished() {
				continue
			}
			for v := range pod.Spec.Volumes {
				volume := volume.BoundVolume(p.s, pod, &pod.Spec.Volumes[v])
				// those of in-tree kinds are translated
				if volume == nil || volume.Affinity == nil || volume.InTree != "" {
					continue
				}
				reachable, known := elsewhere[volume.Affinity]
				if !known {
					reachable = p.reachableBeside(volume, planned)
					elsewhere[volume.Affinity] = reachable
				}
				if !reachable && plan.Pinned == "" {
					plan.Pinned = volume.Name
				}
			}
		}
	}
}

func (p *planner) reachableBeside(volume *kube.PersistentVolume, planned map[string]bool) bool {
	reaches := landing.Reaches(volume)
	return slices.ContainsFunc(p.s.Nodes(), func(n *kube.Node) bool { return !planned[n.Name] && reaches(n) })
}
