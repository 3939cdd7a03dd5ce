package waits

import (
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestWhyATerminatingPodIsStillThere(t *testing.T) {
	ends := kubetest.Now.Add(20 * time.Second)
	plain := &kube.Pod{Spec: &kube.PodSpec{}}
	hooked := &kube.Pod{Spec: &kube.PodSpec{PreStop: true}}
	held := &kube.Pod{Spec: &kube.PodSpec{}, Finalizers: []string{"example.com/backup", "example.com/hold"}}
	well := &kube.Node{Ready: kube.NodeReady}
	silent := &kube.Node{Ready: kube.NodeUnknown, Heartbeat: kubetest.Now.Add(-7 * time.Minute), ReadySince: kubetest.Now.Add(-6 * time.Minute)}
	sick := &kube.Node{Ready: kube.NodeNotReady, ReadySince: kubetest.Now.Add(-6 * time.Minute)}
	back := &kube.Node{Ready: kube.NodeUnknown, Heartbeat: kubetest.Now.Add(-time.Second), ReadySince: kubetest.Now.Add(-6 * time.Minute)}
	const silence = "the kubelet is silent, its last status is of 11:53:00 UTC: nothing confirms that it ended"
	for _, c := range []struct {
		name  string
		pod   *kube.Pod
		node  *kube.Node
		stuck bool
		says  string
	}{
		{"in its grace", plain, well, false, "its grace period, 20s left"},
		{"with a hook", hooked, well, false, "its grace period, 20s left, its preStop hook within it"},
		{"a finalizer matters only after the grace", held, well, false, "its grace period, 20s left"},
		{"past it", plain, well, true, "its grace period has expired, the kubelet has not removed it"},
		{"past it, a hook has had its time", hooked, well, true, "its grace period has expired, the kubelet has not removed it"},
		{"finalizers", held, well, true, "finalizer example.com/backup, example.com/hold"},
		{"finalizers on a silent node", held, silent, true, silence + "; then finalizer example.com/backup, example.com/hold"},
		{"a silent node is said at once", plain, silent, false, silence},
		{"a silent node", plain, silent, true, silence},
		{"a sick node may still end it", plain, sick, false, "its grace period, 20s left"},
		{"a sick node", plain, sick, true, "its node is not Ready, its kubelet has not removed it"},
		{"its kubelet is back", plain, back, false, "its grace period, 20s left"},
		{"its kubelet is back, and the pod is past it", plain, back, true, "its node is not Ready, its kubelet has not removed it"},
		{"its node is gone", plain, nil, true, "its grace period has expired, the kubelet has not removed it"},
	} {
		if got := Terminating(c.pod, c.node, ends, c.stuck).Sentence(kubetest.Now); got != c.says {
			t.Errorf("%s: waits for %s; want %s", c.name, got, c.says)
		}
	}
}
