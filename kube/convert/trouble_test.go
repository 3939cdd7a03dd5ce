package convert

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func notReady(reason, message string) corev1.PodCondition {
	return corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: reason, Message: message}
}

func TestTrouble(t *testing.T) {
	unready := notReady("ContainersNotReady", "containers with unready status: [app]")
	waiting := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	ended := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for name, c := range map[string]struct {
		phase      corev1.PodPhase
		conditions []corev1.PodCondition
		init, app  []corev1.ContainerStatus
		want       *kube.Trouble
		starting   bool
	}{
		"ready": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
		"nothing said": {phase: corev1.PodPending},
		"succeeded":    {phase: corev1.PodSucceeded, conditions: []corev1.PodCondition{notReady("PodCompleted", "")}},
		"unschedulable": {
			phase: corev1.PodPending,
			conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"},
			},
			want: &kube.Trouble{Reason: "Unschedulable", Message: "0/3 nodes are available"},
		},
		"crash loop": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{unready},
			app: []corev1.ContainerStatus{
				{Name: "ok", Ready: true, State: running},
				{Name: "app", RestartCount: 7, State: waiting("CrashLoopBackOff", nasty), LastTerminationState: ended(137, "OOMKilled")},
			},
			want: &kube.Trouble{Container: "app", Reason: "CrashLoopBackOff", Message: "boo hoo", ExitCode: 137, HasExit: true, Restarts: 7},
		},
		"crash loop in the kubelet's words": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{unready},
			app: []corev1.ContainerStatus{{Name: "app",
				State: waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container=app pod=web-1_shop(0f2d)")}},
			want: &kube.Trouble{Container: "app", Reason: "CrashLoopBackOff", Message: "back-off 5m0s restarting failed container"},
		},
		"image": {
			phase: corev1.PodPending, conditions: []corev1.PodCondition{unready},
			app:  []corev1.ContainerStatus{{Name: "side", State: waiting("ContainerCreating", "")}, {Name: "app", State: waiting("ImagePullBackOff", "no such image")}},
			want: &kube.Trouble{Container: "app", Reason: "ImagePullBackOff", Message: "no such image"},
		},
		"init fails": {
			phase: corev1.PodPending, conditions: []corev1.PodCondition{unready},
			init: []corev1.ContainerStatus{{Name: "done", State: ended(0, "Completed")}, {Name: "migrate", RestartCount: 1, State: ended(2, "Error")}},
			app:  []corev1.ContainerStatus{{Name: "app", State: waiting("PodInitializing", "")}},
			want: &kube.Trouble{Container: "migrate", Reason: "Error", ExitCode: 2, HasExit: true, Restarts: 1},
		},
		"creating": {
			phase: corev1.PodPending, conditions: []corev1.PodCondition{unready},
			app:  []corev1.ContainerStatus{{Name: "app", State: waiting("ContainerCreating", "")}},
			want: &kube.Trouble{Container: "app", Reason: "ContainerCreating"}, starting: true,
		},
		"running after a crash": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{unready},
			app:  []corev1.ContainerStatus{{Name: "app", RestartCount: 2, State: running, LastTerminationState: ended(1, "Error")}},
			want: &kube.Trouble{Container: "app", Reason: "Error", ExitCode: 1, HasExit: true, Restarts: 2, Running: true},
		},
		"probe fails": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{unready},
			app:  []corev1.ContainerStatus{{Name: "app", State: running}},
			want: &kube.Trouble{Reason: "ContainersNotReady", Message: "containers with unready status: [app]"}, starting: true,
		},
		"gate": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{notReady("ReadinessGatesNotReady", "the gate is shut")},
			app:  []corev1.ContainerStatus{{Name: "app", Ready: true, State: running}},
			want: &kube.Trouble{Reason: "ReadinessGatesNotReady", Message: "the gate is shut"},
		},
		"node is gone": {
			phase: corev1.PodRunning, conditions: []corev1.PodCondition{notReady("", "")},
			app:  []corev1.ContainerStatus{{Name: "app", Ready: true, State: running}},
			want: &kube.Trouble{Reason: "NotReady"},
		},
		"failed": {
			phase: corev1.PodFailed, conditions: []corev1.PodCondition{notReady("PodFailed", "")},
			app:  []corev1.ContainerStatus{{Name: "app", State: ended(3, "Error")}},
			want: &kube.Trouble{Container: "app", Reason: "Error", ExitCode: 3, HasExit: true},
		},
	} {
		got := Pod(&corev1.Pod{
			Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyAlways},
			Status: corev1.PodStatus{
				Phase: c.phase, Conditions: c.conditions, InitContainerStatuses: c.init, ContainerStatuses: c.app,
			},
		}).Trouble
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if got != nil && got.Starting() != c.starting {
			t.Errorf("%s: starting %v", name, got.Starting())
		}
	}
}
