package kube

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestFailing(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		pod  Pod
		want bool
	}{
		"Ready":         {Pod{Phase: corev1.PodRunning, Ready: true}, false},
		"crashes":       {Pod{Phase: corev1.PodRunning, Node: "n", Trouble: &Trouble{Container: "app", Reason: "CrashLoopBackOff"}}, true},
		"starts":        {Pod{Phase: corev1.PodPending, Node: "n", Trouble: &Trouble{Container: "app", Reason: "ContainerCreating"}}, false},
		"unschedulable": {Pod{Phase: corev1.PodPending, Trouble: &Trouble{Reason: "Unschedulable"}}, true},
		"node is away":  {Pod{Phase: corev1.PodRunning, Node: "n", Trouble: &Trouble{Reason: "NotReady"}}, false},
		"failed":        {Pod{Phase: corev1.PodFailed}, true},
		"completed":     {Pod{Phase: corev1.PodSucceeded}, false},
		"terminating":   {Pod{Phase: corev1.PodRunning, Deleted: now, Trouble: &Trouble{Container: "app", Reason: "Error"}}, false},
	} {
		if got := c.pod.Failing(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	made := Pod{Phase: corev1.PodPending}
	if evicted := (&Pod{Phase: corev1.PodFailed, Reason: "Evicted"}).Status(); made.Status() != "Pending" || evicted != "Evicted" {
		t.Errorf("without the state of its containers: %s, %s", made.Status(), evicted)
	}
}
