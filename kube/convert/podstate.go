package convert

import (
	"encoding/binary"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

var sharedStates weakTable[kube.PodState]

// podState counts containers and finds their word as the server does for kubectl get pods: init
// containers first, while one of them is not done; else the first container that says something.
func podState(p *corev1.Pod) *kube.PodState {
	s := kube.PodState{Status: string(p.Status.Phase)}
	if p.Status.Reason != "" {
		s.Status = p.Status.Reason
	}
	if c := podCondition(p, corev1.PodScheduled); c != nil && c.Reason == corev1.PodReasonSchedulingGated {
		s.Status = c.Reason
	}
	sidecars := map[string]bool{}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars[c.Name] = true
		}
	}
	s.Total = int32(len(p.Spec.Containers) + len(sidecars)) //nolint:gosec // an object has room for thousands
	initializing, ofSidecars := initState(p, sidecars, &s)
	initialized := podCondition(p, corev1.PodInitialized)
	if !initializing || initialized != nil && initialized.Status == corev1.ConditionTrue {
		s.Restarts = ofSidecars
		containerState(p, &s)
	}
	s.Status = kube.CleanText(s.Status)
	return shareState(s)
}

// initState follows the init containers up to the first that is not done; restarts are those of
// sidecars alone.
func initState(p *corev1.Pod, sidecars map[string]bool, s *kube.PodState) (initializing bool, restarts int32) {
	for i := range p.Status.InitContainerStatuses {
		c := &p.Status.InitContainerStatuses[i]
		s.Restarts += c.RestartCount
		if sidecars[c.Name] {
			restarts += c.RestartCount
		}
		ended, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case ended != nil && ended.ExitCode == 0:
			continue
		case sidecars[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				s.Ready++
			}
			continue
		case ended != nil:
			s.Status = "Init:" + endWord(ended)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			s.Status = "Init:" + waiting.Reason
		default:
			s.Status = "Init:" + strconv.Itoa(i) + "/" + strconv.Itoa(len(p.Spec.InitContainers))
		}
		return true, restarts
	}
	return false, restarts
}

// containerState follows the containers: of several that say something the first one counts.
func containerState(p *corev1.Pod, s *kube.PodState) {
	running, said := false, false
	for i := range p.Status.ContainerStatuses {
		c := &p.Status.ContainerStatuses[i]
		s.Restarts += c.RestartCount
		word := ""
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			word = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			word = endWord(c.State.Terminated)
		case c.Ready && c.State.Running != nil:
			running = true
			s.Ready++
		}
		if word != "" && !said {
			s.Status, said = word, true
		}
	}
	if s.Status != "Completed" || !running {
		return
	}
	s.Status = "NotReady"
	if ready := podCondition(p, corev1.PodReady); ready != nil && ready.Status == corev1.ConditionTrue {
		s.Status = "Running"
	}
}

// endWord is how a container ended.
func endWord(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return "Signal:" + strconv.Itoa(int(t.Signal))
	}
	return "ExitCode:" + strconv.Itoa(int(t.ExitCode))
}

func shareState(s kube.PodState) *kube.PodState {
	var buffer [64]byte
	key := appendText(buffer[:0], s.Status)
	for _, n := range []int32{s.Ready, s.Total, s.Restarts} {
		key = binary.AppendVarint(key, int64(n))
	}
	return sharedStates.get(digestOf(key), func() *kube.PodState {
		s.Status = Share(s.Status)
		return &s
	})
}
