package cli

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// volumeCluster is worker-1 with a pod on a disk of that node, one with a claim that
// is not there, and one with a folder; and worker-2, empty.
func volumeCluster() *kube.Snapshot {
	local := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "folder-notes", UID: "folder-notes"}}
	local.Spec.Local = &corev1.LocalVolumeSource{Path: "/var/lib/notes"}
	local.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "notes"}
	local.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "pool", Operator: corev1.NodeSelectorOpIn, Values: []string{"blue"}}}}}}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: meta("notes")}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Spec.VolumeName = local.Name
	roomy := func(name, pool string) *corev1.Node {
		n := node(name, pool, false)
		n.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}
		return n
	}
	with := func(name, owner string, source corev1.VolumeSource) runtime.Object {
		p := pod("worker-1", name, "ReplicaSet", owner, true)
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: source}}
		return p
	}
	claiming := func(name string) corev1.VolumeSource {
		return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
	}
	return kubetest.SnapshotOf(noon, roomy("worker-1", "blue"), roomy("worker-2", "green"),
		replicaSet("notes", 1), replicaSet("lost", 1), replicaSet("logs", 1), local, claim,
		with("notes-1", "notes", claiming("notes")), with("lost-1", "lost", claiming("gone")),
		with("logs-1", "logs", corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/log"}}))
}

// What stays behind, and what nobody can tell, is in the plan as text and as JSON.
func TestPlanOfVolumes(t *testing.T) {
	text := newBench(t, volumeCluster())
	text.expect(t, ExitDone, nil, "plan", "worker-1")
	golden(t, "plan-volumes.txt", text.out.String())
	object := newBench(t, volumeCluster())
	object.expect(t, ExitDone, nil, "plan", "worker-1", "-o", "json")
	golden(t, "plan-volumes.json", object.out.String())
}
