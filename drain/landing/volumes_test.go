package landing

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// data adds a claim, bound to a CSI volume of a zone unless the zone is "".
func (w *world) data(name, zone, class string, modes ...corev1.PersistentVolumeAccessMode) {
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
	claim.Spec.StorageClassName, claim.Spec.AccessModes, claim.Spec.Resources.Requests = &class, modes, size
	if zone != "" {
		claim.Spec.VolumeName, claim.Annotations = "pv-"+name, map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name}}
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "csi.x.io", VolumeHandle: name}
		pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}},
		}}}}
		w.add(pv)
	}
	w.add(claim)
}

func (w *world) class(name string, waits bool, zones ...string) {
	mode := storagev1.VolumeBindingImmediate
	if waits {
		mode = storagev1.VolumeBindingWaitForFirstConsumer
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "csi.x.io", VolumeBindingMode: &mode}
	if len(zones) > 0 {
		class.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: corev1.LabelTopologyZone, Values: zones},
		}}}
	}
	w.add(class)
}

func (w *world) limit(node string, most int32) {
	w.add(&storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
		{Name: "csi.x.io", NodeID: node, Allocatable: &storagev1.VolumeNodeResources{Count: &most}},
	}}})
}

func TestVolumes(t *testing.T) {
	tests := map[string]struct {
		build  func(*world)
		answer Answer
		why    string
	}{
		"its zone": {func(w *world) { w.data("data", "b", "fast"); w.pod("p", "n1", claims("data")) }, Fits, "1 of 3"},
		"another zone": {func(w *world) { w.data("data", "a", "fast"); w.pod("p", "n1", claims("data")) },
			DoesNotFit, "2 node(s) didn't match PersistentVolume's node affinity"},
		"made where allowed": {func(w *world) {
			w.class("slow", true, "c")
			w.data("data", "", "slow")
			w.pod("p", "n1", claims("data"))
		}, Fits, "1 of 3"},
		"made nowhere": {func(w *world) {
			w.class("slow", true, "z")
			w.data("data", "", "slow")
			w.pod("p", "n1", claims("data"))
		},
			DoesNotFit, "2 node(s) didn't find available persistent volumes to bind"},
		"should be bound": {func(w *world) { w.class("now", false); w.data("data", "", "now"); w.pod("p", "n1", claims("data")) },
			DoesNotFit, "pod has unbound immediate PersistentVolumeClaims"},
		"limit": {func(w *world) {
			w.data("data", "b", "fast")
			w.data("other", "b", "fast")
			w.limit("n2", 1)
			w.pod("p", "n1", claims("data"))
			w.pod("q", "n2", claims("other"))
		}, DoesNotFit, "1 node(s) exceed max volume count"},
		"limit, the same volume": {func(w *world) {
			w.data("data", "b", "fast")
			w.limit("n2", 1)
			w.pod("p", "n1", claims("data"))
			w.pod("q", "n2", claims("data"))
		}, Fits, "1 of 3"},
		"its own claim alone": {func(w *world) {
			w.data("data", "b", "fast", corev1.ReadWriteOncePod)
			w.pod("p", "n1", claims("data"))
		}, Fits, "1 of 3"},
		"another has the claim": {func(w *world) {
			w.data("data", "b", "fast", corev1.ReadWriteOncePod)
			w.pod("p", "n1", claims("data"))
			w.pod("q", "n2", claims("data"))
		}, DoesNotFit, "ReadWriteOncePod"},
		"capacity": {func(w *world) {
			yes := true
			w.add(&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.x.io"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: &yes}})
			w.class("slow", true)
			w.data("data", "", "slow")
			w.pod("p", "n1", claims("data"))
		}, Unknown, "free storage"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			w.node("n1", "a")
			w.node("n2", "b")
			w.node("n3", "c")
			tt.build(w)
			if v := alone(t, w, "p", "n1"); v.Answer != tt.answer || !strings.Contains(v.Why, tt.why) {
				t.Errorf("%s: %s, want %s: %s", v.Answer, v.Why, tt.answer, tt.why)
			}
		})
	}
}

// A claim made from the pod's template is recreated with the pod, so its old
// volume does not hold the next pod; one that is bound before a node is chosen
// cannot be foreseen.
func TestVolumesMadeFromThePod(t *testing.T) {
	for class, want := range map[string]Answer{"later": Fits, "now": Unknown} {
		w := &world{}
		w.node("n1", "a")
		w.node("n2", "b")
		w.class("later", true)
		w.class("now", false)
		w.data("p-scratch", "a", class)
		w.pod("p", "n1", func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
		})
		if v := alone(t, w, "p", "n1"); v.Answer != want {
			t.Errorf("%s: %+v", class, v)
		}
	}
}

func TestInTreeVolumesAreUnknown(t *testing.T) {
	w := &world{}
	w.node("n1", "a")
	w.node("n2", "b")
	w.data("data", "a", "fast")
	pv := w.objects[2].(*corev1.PersistentVolume)
	pv.Spec.CSI, pv.Spec.AWSElasticBlockStore = nil, &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	w.pod("p", "n1", claims("data"))
	w.pod("inline", "n1", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{}}}}
	})
	w.pod("huge", "n1", claims("data"), func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests = amounts("9", "1Gi") })
	for name, want := range map[string]Answer{"p": Unknown, "inline": Unknown, "huge": DoesNotFit} {
		if v := alone(t, w, name, "n1"); v.Answer != want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Local volumes are found by the node that they name.
func TestLocalVolumes(t *testing.T) {
	build := func(local ...string) *world {
		w := &world{}
		for _, n := range []string{"n1", "n2", "n3"} {
			w.node(n, "a")
		}
		mode := storagev1.VolumeBindingWaitForFirstConsumer
		w.add(&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: noProvisioner, VolumeBindingMode: &mode})
		w.data("one", "", "local")
		w.data("two", "", "local")
		for i, node := range local {
			pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("disk", i)}}
			pv.Spec.StorageClassName, pv.Spec.Capacity = "local", corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
			pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
			}}}}
			pv.Status.Phase = corev1.VolumeAvailable
			w.add(pv)
		}
		w.pod("p", "n1", claims("one", "two"))
		return w
	}
	if v := alone(t, build("n2", "n2", "n3"), "p", "n1"); v.Answer != Fits || v.Nodes != 1 {
		t.Errorf("two disks on n2: %+v", v)
	}
	if v := alone(t, build("n2", "n3"), "p", "n1"); v.Answer != DoesNotFit || !strings.Contains(v.Why, "2 node(s) didn't find available persistent volumes to bind") {
		t.Errorf("one disk on each: %+v", v)
	}
}
