package plan

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The node-offlining seed stops a drain at workloads of one replica.
func TestBlockSingleReplica(t *testing.T) {
	table := []struct {
		name    string
		objects []runtime.Object // the pod in question is the last
		want    ReasonCode       // of the refusal, "" where it is evicted
	}{
		{"Deployment of one", kubetest.Ready("shop/api", 1, 1, []string{"w1"}), ReasonSingleReplica},
		{"StatefulSet of one", kubetest.StatefulSet("data/db", 1, "w1"), ReasonSingleReplica},
		{"ReplicaSet of one", []runtime.Object{kubetest.ReplicaSet("shop/x", 1), kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "ReplicaSet", "x"))}, ReasonSingleReplica},
		{"Deployment of two, one of them in this revision", kubetest.Ready("shop/api", 2, 2, []string{"w1"}), ""},
		{"finished", kubetest.Ready("shop/api", 1, 1, []string{"w1"}, kubetest.Phase(corev1.PodFailed)), ""},
		{"terminating", kubetest.Ready("shop/api", 1, 1, []string{"w1"}, kubetest.Deleted(0)), ""},
		{"Job", []runtime.Object{kubetest.Pod("shop/x-1", kubetest.OwnedBy("batch/v1", "Job", "x"))}, ""},
		{"owner not known", []runtime.Object{kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "CloneSet", "x"))}, ReasonScaleUnknown},
		{"owner gone", []runtime.Object{kubetest.Pod("shop/x-1", kubetest.OwnedBy("apps/v1", "StatefulSet", "x"))}, ReasonScaleUnknown},
		{"another pod, which has no scale, alone", []runtime.Object{kubetest.Pod("shop/x-1", kubetest.OwnedBy("v1", "Pod", "x"))}, ReasonScaleUnknown},
		{"another pod, which has no scale, two of it", []runtime.Object{
			kubetest.Pod("shop/x-2", kubetest.OwnedBy("v1", "Pod", "x")), kubetest.Pod("shop/x-1", kubetest.OwnedBy("v1", "Pod", "x"))}, ""},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			s := kubetest.SnapshotOf(kubetest.Now, row.objects...)
			pod := kubetest.RecordOf(s, row.objects[len(row.objects)-1].(*corev1.Pod))
			expectSingle(t, pod, s, row.want)
			if d := Classify(pod, s, flags(), kubetest.Now); d.Action != ActionEvict {
				t.Errorf("%s without the option", d.Action)
			}
		})
	}
}

// expectSingle expects that --block-single-replica refuses a pod for that reason.
func expectSingle(t *testing.T, pod *kube.Pod, s *kube.Snapshot, want ReasonCode) {
	t.Helper()
	block := flags()
	block.BlockSingleReplica = true
	d := Classify(pod, s, block, kubetest.Now)
	got := ReasonCode("")
	for _, r := range d.Reasons {
		if r.Level == LevelError {
			got = r.Code
		}
	}
	if got != want || (d.Action == ActionRefuse) != (want != "") {
		t.Errorf("%s %v, want %q", d.Action, d.Reasons, want)
	}
}

// What may not be read, or is not there yet, is not taken for many.
func TestBlockSingleReplicaFailsClosed(t *testing.T) {
	two := kubetest.Ready("shop/api", 2, 2, []string{"w1"})
	for _, kind := range []kube.Kind{kube.KindReplicaSets, kube.KindDeployments} {
		for _, phase := range []kube.SyncPhase{kube.Denied, kube.NotSynced} {
			store := kubetest.StoreOf(kubetest.Now, two[2:]...) // what is not read is not there
			if kind == kube.KindDeployments {
				store = kubetest.StoreOf(kubetest.Now, two[1:]...)
			}
			store.SetSync(kind, kube.SyncState{Phase: phase, Reason: "no"})
			s := store.Snapshot()
			expectSingle(t, s.PodsOn("w1")[0], s, ReasonScaleUnknown)
		}
	}
	store := kubetest.StoreOf(kubetest.Now, kubetest.Pod("shop/side-1", kubetest.OwnedBy("apps.kruise.io/v1alpha1", "SidecarSet", "side"), kubetest.On("w1")))
	pod := store.Snapshot().PodsOn("w1")[0]
	expectSingle(t, pod, store.Snapshot(), ReasonScaleUnknown)
	store.Put(&kube.Workload{Kind: "SidecarSet", Namespace: "shop", Name: "side", UID: pod.Owner.UID, APIVersion: pod.Owner.APIVersion})
	expectSingle(t, pod, store.Snapshot(), ReasonScaleUnknown) // it has no scale, and this is its only pod
	store.Put(&kube.Workload{Kind: "StatefulSet", Namespace: "shop", Name: "side", UID: pod.Owner.UID, APIVersion: pod.Owner.APIVersion,
		Resource: "statefulsets.apps.kruise.io", Hidden: "no right"})
	expectSingle(t, pod, store.Snapshot(), ReasonScaleUnknown)
}
