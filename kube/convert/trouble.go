package convert

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// troubleOf says why a pod is not Ready, nil if it is or if the reason is not known.
// The most telling words win: the scheduler's, then those of the first
// container that waits or ended badly, then the Ready condition's.
func troubleOf(p *corev1.Pod) *kube.Trouble {
	ready := podCondition(p, corev1.PodReady)
	if p.Status.Phase == corev1.PodSucceeded || ready != nil && ready.Status == corev1.ConditionTrue {
		return nil
	}
	// A pod that has a node was placed, whatever the scheduler said before: the
	// condition stays behind where something else bound it.
	if c := podCondition(p, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse &&
		p.Spec.NodeName == "" {
		return &kube.Trouble{Reason: Share(kube.CleanText(c.Reason)), Message: kube.CleanText(c.Message)}
	}
	if t := containerTrouble(p); t != nil {
		return t
	}
	if ready == nil || ready.Status == corev1.ConditionTrue || ready.Reason == "PodCompleted" {
		return nil
	}
	t := &kube.Trouble{Reason: Share(kube.CleanText(ready.Reason)), Message: kube.CleanText(ready.Message)}
	if t.Reason == "" {
		t.Reason = "NotReady"
	}
	return t
}

// containerTrouble looks at init containers first: while one of them fails, the
// others wait for it and say so.
func containerTrouble(p *corev1.Pod) *kube.Trouble {
	var starting *kube.Trouble
	for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range statuses {
			t := oneContainer(&statuses[i], p)
			if t == nil {
				continue
			}
			if !t.Starting() {
				return t
			}
			if starting == nil {
				starting = t
			}
		}
	}
	return starting
}

func oneContainer(s *corev1.ContainerStatus, p *corev1.Pod) *kube.Trouble {
	t := &kube.Trouble{Container: Share(s.Name), Restarts: s.RestartCount}
	if last := s.LastTerminationState.Terminated; last != nil {
		t.ExitCode, t.HasExit = last.ExitCode, true
	}
	switch {
	case s.State.Waiting != nil && s.State.Waiting.Reason != "":
		t.Reason, t.Message = Share(kube.CleanText(s.State.Waiting.Reason)), kube.CleanText(waitingMessage(s))
		return t
	case s.State.Terminated != nil:
		ended := s.State.Terminated
		// An end with 0 is what an init container or a job's container does.
		if ended.ExitCode == 0 && (p.Spec.RestartPolicy != corev1.RestartPolicyAlways || s.Ready || isInit(s, p)) {
			return nil
		}
		t.Reason, t.Termination = Share(kube.CleanText(ended.Reason)), kube.CleanText(ended.Message)
		t.ExitCode, t.HasExit = ended.ExitCode, true
		return t
	case s.State.Running != nil && !s.Ready && t.HasExit && !isInit(s, p):
		// Running again after a crash, and not ready yet: the last end tells more
		// than "containers with unready status".
		last := s.LastTerminationState.Terminated
		t.Reason, t.Termination = Share(kube.CleanText(last.Reason)), kube.CleanText(last.Message)
		t.Running = true
		return t
	}
	return nil
}

// waitingMessage is why the container waits, without its own name and that of its pod: the
// kubelet ends with these after a crash (doBackOff in pkg/kubelet/kuberuntime/kuberuntime_manager.go).
func waitingMessage(s *corev1.ContainerStatus) string {
	message, _, _ := strings.Cut(s.State.Waiting.Message, "="+s.Name+" pod=")
	return message
}

func isInit(s *corev1.ContainerStatus, p *corev1.Pod) bool {
	for i := range p.Status.InitContainerStatuses {
		if &p.Status.InitContainerStatuses[i] == s {
			return true
		}
	}
	return false
}
