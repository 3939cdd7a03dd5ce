package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// What a flag asks to be refused, or to be taken over, cannot be where a right is
// missing: the command ends before its first write.
func TestFlagsThatNeedRights(t *testing.T) {
	for _, test := range []struct {
		flags, denied string
	}{
		{"--block-single-replica", "list deployments.apps"},
		{"--block-single-replica", "list replicasets.apps"},
		{"--block-single-replica", "list statefulsets.apps"},
		{"--fail-on-blockers", "list poddisruptionbudgets.policy"},
		{"--surge=1", "patch deployments.apps"},
		{"--surge=1", "patch replicasets.apps"},
		{"--surge=1", "patch pods"},
		{"--surge=1", "list horizontalpodautoscalers.autoscaling"},
		{"--take-over", "list leases.coordination.k8s.io"},
		{"--take-over=k7f3pm", "update leases.coordination.k8s.io"},
		{"--take-over", "create leases.coordination.k8s.io"},
	} {
		b := newBench(t, smallCluster())
		b.denied = []string{test.denied}
		line := append(slices.Clone(drainWorker1), "--yes", test.flags)
		b.expect(t, ExitPermission, []string{"ada may not " + test.denied, "nothing was changed"}, line...)
		if b.writer.writes() > 0 {
			t.Errorf("%s without %q: %d writes", test.flags, test.denied, b.writer.writes())
		}
		b = newBench(t, smallCluster())
		b.denied = []string{test.denied}
		b.script(happyRun())
		b.expect(t, ExitDone, nil, append(slices.Clone(drainWorker1), "--yes")...)
	}
}

// The scale of an owner that nobody watches: without the right the drain ends with
// exit code 5, and where nobody knows why it is refused.
func TestScaleThatIsNotTold(t *testing.T) {
	store := smallStore(false)
	store.Put(&kube.Pod{Namespace: "shop", Name: "game-0", UID: "game-0", Node: "worker-1", Spec: &kube.PodSpec{},
		Owner: &kube.Owner{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "game", UID: "cs-1"}})
	store.Put(&kube.Workload{Kind: "CloneSet", Namespace: "shop", Name: "game", UID: "cs-1", APIVersion: "apps.kruise.io/v1alpha1",
		Resource: "clonesets.apps.kruise.io", Hidden: "the API server did not answer"})
	b := newBench(t, store.Snapshot())
	b.denied = []string{"get clonesets/scale.apps.kruise.io"}
	b.expect(t, ExitPermission, []string{"ada may not get clonesets/scale.apps.kruise.io"},
		append(slices.Clone(drainWorker1), "--yes", "--block-single-replica")...)
	if b.writer.writes() > 0 {
		t.Errorf("%d writes", b.writer.writes())
	}
	b = newBench(t, store.Snapshot())
	b.expect(t, ExitRefused, nil, "plan", "worker-1", "--ignore-daemonsets", "--block-single-replica")
	if words := "how many pods CloneSet game wants is not known: the API server did not answer"; !strings.Contains(b.out.String(), words) {
		t.Errorf("no %q in\n%s", words, b.out)
	}
}
