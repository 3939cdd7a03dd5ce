package preflight

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// The codes of the findings about volumes of pods that move.
const (
	FindingVolumePinned   = "VolumePinned"
	FindingNodeFiles      = "NodeFiles"
	FindingVolumesUnseen  = "VolumesUnseen"
	FindingVolumesUnknown = "VolumesUnknown"
)

// findPinned finds claims whose data stays on the nodes of the plan.
func findPinned(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	var advice []budget.Advice
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			volume := s.Storage().Volume(p.Nodes[i].Pods[k].Pinned)
			if volume == nil || volume.Claim == nil {
				continue
			}
			kind := "volume "
			if volume.Local {
				kind = "local volume "
			}
			g.note(kind+volume.Name+" of "+p.Nodes[i].Name, "PersistentVolumeClaim", volume.Claim.Namespace,
				volume.Claim.Name)
			if len(advice) < format.NamesShown {
				advice = append(advice, budget.Advice{Text: "see which nodes reach volume " + volume.Name +
					"; move its data before, or let its pod wait for the node",
					Command: "kubectl describe pv " + format.ShellWord(volume.Name)})
			}
		}
	}
	found := g.finding(FindingVolumePinned, plan.LevelWarning,
		"no node that stays can reach it, its pod cannot start until the drained node is back: ")
	for i := range found {
		found[i].Advice = advice
	}
	return found
}

// findNodeFiles finds pods that use folders of their node: a new pod elsewhere finds
// other files there, or none.
func findNodeFiles(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	eachMoved(s, p, func(pod *kube.Pod) {
		if pod.Finished() {
			return
		}
		for v := range pod.Spec.Volumes {
			volume := volume.BoundVolume(s, pod, &pod.Spec.Volumes[v])
			if pod.Spec.Volumes[v].Kind == kube.VolumeHostPath || volume != nil && volume.HostPath &&
				volume.Affinity == nil {
				g.add("Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingNodeFiles, plan.LevelInfo, "uses files of its node (hostPath), which stay there: ")
}

// findUnseenVolumes says what is not known of volumes because it may not be read. What is
// only not read yet, the run waits for.
func findUnseenVolumes(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var namespaces []string // of pods with volumes
	eachMoved(s, p, func(pod *kube.Pod) {
		if volume.HasClaims(pod) && !pod.Finished() {
			namespaces = append(namespaces, pod.Namespace)
		}
	})
	slices.Sort(namespaces)
	namespaces = slices.Compact(namespaces)
	var unread []string
	for _, k := range volume.VolumeKinds {
		state := s.Sync(k)
		if k == kube.KindClaims {
			state = s.In(namespaces...).Sync(k)
		}
		if state.Phase != kube.Denied {
			continue
		}
		text := string(k)
		if state.Reason != "" {
			text += " (" + format.Quote(state.Reason) + ")"
		}
		unread = append(unread, text)
	}
	if len(unread) == 0 || len(namespaces) == 0 {
		return nil
	}
	return []plan.Finding{{Code: FindingVolumesUnseen, Level: plan.LevelWarning,
		Message: "pods with volumes are not evicted in turn, and whether their volumes are detached is not known, since these cannot be read: " + strings.Join(unread, ", ")}}
}

// findUnknownVolumes finds pods with volumes of which it is not known when they are
// detached, and why. Those that may not be read, and disks of the node, have findings
// of their own.
func findUnknownVolumes(s *kube.Snapshot, p *plan.Plan, _ *Env) []plan.Finding {
	var g group
	eachMoved(s, p, func(pod *kube.Pod) {
		if pod.Finished() || !volume.VolumesReadable(s, pod) { // what is missing may be on its way
			return
		}
		for _, v := range volume.VolumesOf(pod, s) {
			switch v.Why {
			case "", volume.WhyNodeDisk, volume.WhyUnreadable, volume.WhyNoClaims, volume.WhyNoVolumes:
			default:
				g.note(v.Title()+": "+v.Why, "Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingVolumesUnknown, plan.LevelInfo,
		"when its volume is detached cannot be known, so it is not evicted in turn: ")
}
