package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// pin notes the volumes that no node beside those of the plan can reach: their pods
// can start nowhere else.
func (p *planner) pin(nodes []Node) {
	if p.s.Sync(kube.KindClaims).Phase == kube.Denied || p.s.Sync(kube.KindVolumes).Phase == kube.Denied {
		return
	}
	if !kube.InWhole(p.s, kube.KindNodes) {
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
			if !plan.Moves() || pod.Finished() {
				continue
			}
			for v := range pod.Spec.Volumes {
				volume := volume.BoundVolume(p.s, pod, &pod.Spec.Volumes[v])
				if volume == nil || volume.Affinity == nil || volume.InTree != "" { // those of in-tree kinds are translated
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
