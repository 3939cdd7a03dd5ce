package convert

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What kubectl get pods shows; that it is the same words is compared on the lab (kube/watch).
func TestPodState(t *testing.T) {
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	ended := func(code, signal int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Signal: signal, Reason: reason}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	always, yes := corev1.ContainerRestartPolicyAlways, true
	is := func(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: status, Reason: reason}
	}
	two := []corev1.Container{{Name: "app"}, {Name: "side"}}
	inits := []corev1.Container{{Name: "first"}, {Name: "second"}}
	type statuses = []corev1.ContainerStatus
	for name, c := range map[string]struct {
		spec   corev1.PodSpec
		status corev1.PodStatus
		gone   bool
		want   kube.PodState
		word   string // "" for want.Status
	}{
		"nothing":   {want: kube.PodState{Status: "Pending"}, status: corev1.PodStatus{Phase: corev1.PodPending}},
		"evicted":   {want: kube.PodState{Status: "Evicted"}, status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}},
		"gated":     {want: kube.PodState{Status: "SchedulingGated", Total: 2}, spec: corev1.PodSpec{Containers: two}, status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{is(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)}}},
		"healthy":   {want: kube.PodState{Status: "Running", Ready: 2, Total: 2, Restarts: 3}, spec: corev1.PodSpec{Containers: two}, status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: statuses{{Name: "app", Ready: true, State: running, RestartCount: 3}, {Name: "side", Ready: true, State: running}}}},
		"the first": {want: kube.PodState{Status: "CrashLoopBackOff", Total: 2, Restarts: 9}, spec: corev1.PodSpec{Containers: two}, status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: statuses{{Name: "app", State: waiting("CrashLoopBackOff"), RestartCount: 9}, {Name: "side", State: waiting("ImagePullBackOff")}}}},
		"exit code": {want: kube.PodState{Status: "ExitCode:3"}, status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: statuses{{State: ended(3, 0, "")}}}},
		"signal":    {want: kube.PodState{Status: "Signal:9"}, status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: statuses{{State: ended(137, 9, "")}}}},
		"one ended, one runs": {want: kube.PodState{Status: "NotReady", Ready: 1, Total: 2}, spec: corev1.PodSpec{Containers: two},
			status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: statuses{{State: ended(0, 0, "Completed")}, {Ready: true, State: running}}}},
		"one ended, Ready": {want: kube.PodState{Status: "Running", Ready: 1, Total: 2}, spec: corev1.PodSpec{Containers: two},
			status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{is(corev1.PodReady, corev1.ConditionTrue, "")},
				ContainerStatuses: statuses{{State: ended(0, 0, "Completed")}, {Ready: true, State: running}}}},
		"init runs": {want: kube.PodState{Status: "Init:1/2", Total: 2, Restarts: 4}, spec: corev1.PodSpec{InitContainers: inits, Containers: two},
			status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: statuses{{Name: "first", State: ended(0, 0, "Completed"), RestartCount: 1}, {Name: "second", State: running, RestartCount: 3}},
				ContainerStatuses: statuses{{State: waiting("PodInitializing")}}}},
		"init waits":  {want: kube.PodState{Status: "Init:ImagePullBackOff"}, status: corev1.PodStatus{InitContainerStatuses: statuses{{State: waiting("ImagePullBackOff")}}}},
		"init failed": {want: kube.PodState{Status: "Init:Error"}, status: corev1.PodStatus{InitContainerStatuses: statuses{{State: ended(1, 0, "Error")}}}},
		"sidecar": {want: kube.PodState{Status: "Running", Ready: 2, Total: 2, Restarts: 5}, spec: corev1.PodSpec{Containers: two[:1], InitContainers: []corev1.Container{{Name: "first"}, {Name: "second", RestartPolicy: &always}}},
			status: corev1.PodStatus{Phase: corev1.PodRunning, InitContainerStatuses: statuses{{Name: "first", State: ended(0, 0, "Completed"), RestartCount: 7}, {Name: "second", Started: &yes, Ready: true, State: running, RestartCount: 5}},
				ContainerStatuses: statuses{{Ready: true, State: running}}}},
		"terminating": {gone: true, word: "Terminating", want: kube.PodState{Status: "Running"}, status: corev1.PodStatus{Phase: corev1.PodRunning}},
		"ended":       {gone: true, word: "Completed", want: kube.PodState{Status: "Completed"}, status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: statuses{{State: ended(0, 0, "Completed")}}}},
		"node away":   {gone: true, word: "Unknown", want: kube.PodState{Status: "NodeLost"}, status: corev1.PodStatus{Phase: corev1.PodRunning, Reason: "NodeLost"}},
		"nasty":       {want: kube.PodState{Status: "boo hoo"}, status: corev1.PodStatus{ContainerStatuses: statuses{{State: waiting(nasty)}}}},
	} {
		pod := &corev1.Pod{Spec: c.spec, Status: c.status}
		if c.gone {
			pod.DeletionTimestamp = &metav1.Time{}
			pod.DeletionTimestamp.Time = metav1.Now().Time
		}
		got, again := Pod(pod), Pod(pod)
		if *got.State != c.want || got.State != again.State {
			t.Errorf("%s: %+v, want %+v", name, *got.State, c.want)
		}
		if word := got.Status(); c.word != "" && word != c.word {
			t.Errorf("%s: %s, want %s", name, word, c.word)
		}
	}
}
