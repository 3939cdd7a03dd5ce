package drain

import (
	"strings"

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
func findPinned(s *kube.Snapshot, p *Plan, _ *Env) []Finding {
	var g group
	var advice []Advice
	for i := range p.Nodes {
		for k := range p.Nodes[i].Pods {
			volume := s.Volume(p.Nodes[i].Pods[k].Pinned)
			if volume == nil || volume.Claim == nil {
				continue
			}
			kind := "volume "
			if volume.Local {
				kind = "local volume "
			}
			g.note(kind+volume.Name+" of "+p.Nodes[i].Name, "PersistentVolumeClaim", volume.Claim.Namespace, volume.Claim.Name)
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

// findNodeFiles finds pods that use folders of their node: a new pod elsewhere finds
// other files there, or none.
func findNodeFiles(s *kube.Snapshot, p *Plan, _ *Env) []Finding {
	var g group
	eachMoved(s, p, func(pod *kube.Pod) {
		if pod.Finished() {
			return
		}
		for v := range pod.Spec.Volumes {
			volume := boundVolume(s, pod, &pod.Spec.Volumes[v])
			if pod.Spec.Volumes[v].Kind == kube.VolumeHostPath || volume != nil && volume.HostPath && volume.Affinity == nil {
				g.add("Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingNodeFiles, LevelInfo, "uses files of its node (hostPath), which stay there: ")
}

// findUnseenVolumes says what is not known of volumes because it may not be read. What is
// only not read yet, the run waits for.
func findUnseenVolumes(s *kube.Snapshot, p *Plan, _ *Env) []Finding {
	var unread []string
	for _, k := range volumeKinds {
		state := s.Sync(k)
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
	eachMoved(s, p, func(pod *kube.Pod) { withVolumes = withVolumes || hasClaims(pod) && !pod.Finished() })
	if len(unread) == 0 || !withVolumes {
		return nil
	}
	return []Finding{{Code: FindingVolumesUnseen, Level: LevelWarning,
		Message: "pods with volumes go without turns, and whether their volumes are detached is not known, for these may not be read: " + strings.Join(unread, ", ")}}
}

// findUnknownVolumes finds pods with volumes of which nobody can tell when they are
// detached, and why. Those that nobody may read, and disks of the node, have findings
// of their own.
func findUnknownVolumes(s *kube.Snapshot, p *Plan, _ *Env) []Finding {
	var g group
	if !volumesReadable(s) {
		return nil // what is missing may be on its way
	}
	eachMoved(s, p, func(pod *kube.Pod) {
		if pod.Finished() {
			return
		}
		for _, v := range volumesOf(pod, s) {
			switch v.Why {
			case "", whyNodeDisk, whyUnreadable, whyNoClaims, whyNoVolumes:
			default:
				g.note(v.Title()+": "+v.Why, "Pod", pod.Namespace, pod.Name)
			}
		}
	})
	return g.finding(FindingVolumesUnknown, LevelInfo, "nobody can tell when its volume is detached, it goes without a turn: ")
}
