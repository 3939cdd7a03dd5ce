package plan

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestAdviceForRefusedPods(t *testing.T) {
	honored := func(o *Options) { o.Honor = []Honored{HonorClusterAutoscaler} }
	table := []struct {
		name string
		pod  *corev1.Pod
		want []string
	}{
		{"DaemonSet", kubetest.Pod("ops/a-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "ds")), []string{"--ignore-daemonsets"}},
		{"orphan", kubetest.Pod("ops/a-1", kubetest.OwnedBy("apps/v1", "DaemonSet", "gone")), []string{"kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"bare", kubetest.Pod("ops/a-1"), []string{"kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"bare with emptyDir", kubetest.Pod("ops/a-1", kubetest.WithEmptyDir), []string{"--delete-emptydir-data", "kubectl get pod -n ops a-1 -o yaml", "--force"}},
		{"foreign mark", kubetest.Pod("ops/a-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "a"), func(p *corev1.Pod) { p.Annotations = map[string]string{safeToEvict: "false"} }),
			[]string{"kubectl annotate pod -n ops a-1 cluster-autoscaler.kubernetes.io/safe-to-evict-"}},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1"), kubetest.DaemonSet("ops/ds"), kubetest.ReplicaSet("ops/a", 2), row.pod)
			pod := mustPlan(t, s, flags(honored), "w1").Nodes[0].Pods[0]
			if got := commandsOf(pod.Advice); pod.Action != ActionRefuse || !slices.Equal(got, row.want) {
				t.Errorf("%s %q, want %q", pod.Action, got, row.want)
			}
		})
	}
	plan := Pod{Namespace: "shop", Action: ActionRefuse, Reasons: []Reason{{Code: ReasonSingleReplica, Level: LevelError, Message: "Deployment api has one replica"}}}
	if got := commandsOf(adviseRefused(&plan)); !slices.Equal(got, []string{"kubectl scale deployment -n shop api --replicas=2"}) {
		t.Errorf("%q", got)
	}
}
