package drain

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about volumes of pods that move.
const (
	FindingVolumePinned   = "VolumePinned"
	FindingNodeFiles      = "NodeFiles"
	FindingVolumesUnseen  = "VolumesUnseen"
	FindingVolumesUnknown = "VolumesUnknown"
)

// pin notes the volumes that no node beside those of the plan can reach: their pods
// can start nowhere else.
func (p *planner) pin(nodes []NodePlan) {
	if p.s.Sync(kube.KindClaims).Phase == kube.Denied || p.s.Sync(kube.KindVolumes).Phase == kube.Denied {
		return
	}
	if !inWhole(p.s, kube.KindNodes) {
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
			if !plan.moves() || pod.Finished() {
				continue
			}
			for v := range pod.Spec.Volumes {
				volume := p.boundVolume(pod, &pod.Spec.Volumes[v])
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

// boundVolume is the volume that goes from pod to pod; one that was made for this pod
// alone ends with it.
func (p *planner) boundVolume(pod *kube.Pod, v *kube.Volume) *kube.PersistentVolume {
	if v.Kind != kube.VolumeClaim {
		return nil
	}
	claim := p.s.Claim(pod.Namespace, v.Claim)
	if claim == nil || !claim.Bound {
		return nil
	}
	return p.s.Volume(claim.Volume)
}

func (p *planner) reachableBeside(volume *kube.PersistentVolume, planned map[string]bool) bool {
	reaches := landing.Reaches(volume)
	return slices.ContainsFunc(p.s.Nodes(), func(n *kube.Node) bool { return !planned[n.Name] && reaches(n) })
}

// pinned finds claims whose data stays on the nodes of the plan.
func (p *planner) pinned(nodes []NodePlan) []Finding {
	var g group
	var advice []Advice
	for i := range nodes {
		for k := range nodes[i].Pods {
			volume := p.s.Volume(nodes[i].Pods[k].Pinned)
			if volume == nil || volume.Claim == nil {
				continue
			}
			kind := "volume "
			if volume.Local {
				kind = "local volume "
			}
			g.note(kind+volume.Name+" of "+nodes[i].Name, "PersistentVolumeClaim", volume.Claim.Namespace, volume.Claim.Name)
			if len(advice) < namesShown {
				advice = append(advice, Advice{"see which nodes reach volume " + volume.Name + "; move its data before, or let its pod wait for the node",
					"kubectl describe pv " + ShellWord(volume.Name)})
			}
		}
	}
	found := g.finding(FindingVolumePinned, LevelWarning, "no node that stays can reach it, its pod starts nowhere until the drained one is back: ")
	for i := range found {
		found[i].Advice = advice
	}
	return found
}

// nodeFiles finds pods that use folders of their node: a new pod elsewhere finds
// other files there, or none.
func (p *planner) nodeFiles(nodes []NodePlan) []Finding {
	var g group
	p.eachMoved(nodes, func(pod *kube.Pod) {
		if pod.Finished() {
			return
		}
		for v := range pod.Spec.Volumes {
			volume := p.boundVolume(pod, &pod.Spec.Volumes[v])
			if pod.Spec.Volumes[v].Kind == kube.VolumeHostPath || volume != nil && volume.HostPath && volume.Affinity == nil {
				g.add("Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingNodeFiles, LevelInfo, "uses files of its node (hostPath), which stay there: ")
}

// unseenVolumes says what is not known of volumes because it may not be read. What is
// only not read yet, the run waits for.
func (p *planner) unseenVolumes(nodes []NodePlan) []Finding {
	var unread []string
	for _, k := range volumeKinds {
		state := p.s.Sync(k)
		if state.Phase != kube.Denied {
			continue
		}
		words := string(k)
		if state.Reason != "" {
			words += " (" + quoted(state.Reason) + ")"
		}
		unread = append(unread, words)
	}
	withVolumes := false
	p.eachMoved(nodes, func(pod *kube.Pod) { withVolumes = withVolumes || hasClaims(pod) && !pod.Finished() })
	if len(unread) == 0 || !withVolumes {
		return nil
	}
	return []Finding{{Code: FindingVolumesUnseen, Level: LevelWarning,
		Message: "pods with volumes go without turns, and whether their volumes are detached is not known, for these may not be read: " + strings.Join(unread, ", ")}}
}

// unknownVolumes finds pods with volumes of which nobody can tell when they are
// detached, and why. Those that nobody may read, and disks of the node, have findings
// of their own.
func (p *planner) unknownVolumes(nodes []NodePlan) []Finding {
	var g group
	if !volumesReadable(p.s) {
		return nil // what is missing may be on its way
	}
	p.eachMoved(nodes, func(pod *kube.Pod) {
		if pod.Finished() {
			return
		}
		for _, v := range volumesOf(pod, p.s) {
			switch v.Why {
			case "", whyNodeDisk, whyUnreadable, whyNoClaims, whyNoVolumes:
			default:
				g.note(v.Title()+": "+v.Why, "Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingVolumesUnknown, LevelInfo, "nobody can tell when its volume is detached, it goes without a turn: ")
}
