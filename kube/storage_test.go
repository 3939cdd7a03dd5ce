package kube_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func storageObjects() (*corev1.PersistentVolumeClaim, *corev1.PersistentVolume, *storagev1.VolumeAttachment) {
	class, volume, limit := "fast", "pv-1", resource.MustParse("10Gi")
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "data", UID: "c1", Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class, VolumeName: volume, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: limit}},
		},
	}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume, UID: "v1"},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: class, Capacity: corev1.ResourceList{corev1.ResourceStorage: limit},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs", VolumeHandle: "vol-1"}},
			ClaimRef:               &corev1.ObjectReference{Namespace: "a", Name: "data", UID: "c1"},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	attachment := &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "va-1", UID: "a1"},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: "ebs", NodeName: "n1", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
		Status:     storagev1.VolumeAttachmentStatus{Attached: true},
	}
	return claim, pv, attachment
}

func TestStorageRecords(t *testing.T) {
	claim, pv, attachment := storageObjects()
	store := kubetest.StoreOf(time.Unix(0, 0), claim, pv, attachment, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "x"}}})
	s := store.Snapshot()
	c := s.Storage().Claim("a", "data")
	if c == nil || !c.Bound || c.Volume != "pv-1" || c.Class != "fast" || !c.Exclusive() || c.RequestBytes != 10<<30 {
		t.Errorf("claim %+v", c)
	}
	v := s.Storage().Volume("pv-1")
	if v == nil || v.Driver != "ebs" || v.Handle != "vol-1" || v.Claim.Name != "data" || v.CapacityBytes != 10<<30 {
		t.Errorf("volume %+v", v)
	}
	if on := s.Storage().AttachmentsOn("n1"); len(on) != 1 || on[0].Volume != "pv-1" || !on[0].Attached {
		t.Errorf("attachments on n1: %+v", on)
	}
	if n := len(s.Storage().UnboundVolumes("fast")); n != 1 {
		t.Errorf("%d unbound volumes", n)
	}
	if s.Sync(kube.KindClaims).Count != 1 || s.Sync(kube.KindNamespaces).Count != 1 || s.Namespace("a").Labels["team"] != "x" {
		t.Error("counts or labels")
	}

	bound := pv.DeepCopy()
	bound.Status.Phase = corev1.VolumeBound
	store.Put(convert.VolumeRecord(bound))
	store.Remove(&kube.VolumeAttachment{Name: "va-1", Node: "n1", UID: "another"})
	later := store.Snapshot()
	if len(later.Storage().UnboundVolumes("fast")) != 0 || len(s.Storage().UnboundVolumes("fast")) != 1 {
		t.Error("a bound volume is unbound, or an older snapshot changed")
	}
	if len(later.Storage().AttachmentsOf("pv-1")) != 1 {
		t.Error("an attachment went with another's UID")
	}
	store.Remove(convert.AttachmentRecord(attachment))
	if last := store.Snapshot(); len(last.Storage().AttachmentsOf("pv-1"))+len(last.Storage().AttachmentsOn("n1"))+len(last.Storage().Attachments()) != 0 {
		t.Error("the attachment is still there")
	}
	store.Replace(kube.Scope{Kind: kube.KindVolumes}, nil, 0, kube.SyncState{Phase: kube.Synced})
	if store.Snapshot().Storage().Volume("pv-1") != nil {
		t.Error("a volume outlived an empty list")
	}
}

func TestFacetsOfPods(t *testing.T) {
	pod := func(name string, change func(*corev1.PodSpec)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name)}}
		p.Spec.NodeName = "n1"
		change(&p.Spec)
		return p
	}
	repel := func(namespaces ...string) func(*corev1.PodSpec) {
		return func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone", Namespaces: namespaces}},
			}}
		}
	}
	store := kubetest.StoreOf(time.Unix(0, 0),
		pod("plain", func(*corev1.PodSpec) {}),
		pod("near", repel()), pod("far", repel("b")),
		pod("port", func(s *corev1.PodSpec) {
			s.Containers = []corev1.Container{{Ports: []corev1.ContainerPort{{HostPort: 80}}}}
		}),
		pod("claim", func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
			}}}
		}))
	s := store.Snapshot()
	if len(s.PodsRepelling("a")) != 2 || len(s.PodsRepelling("b")) != 1 {
		t.Errorf("repelling: %d in a, %d in b", len(s.PodsRepelling("a")), len(s.PodsRepelling("b")))
	}
	if len(s.PodsWithHostPorts()) != 1 || len(s.Storage().PodsUsing("a", "data")) != 1 || len(s.Storage().PodsUsing("b", "data")) != 0 || len(s.Storage().PodsWithClaims()) != 1 {
		t.Error("ports or claims")
	}
	for _, p := range s.Pods() {
		store.Remove(p)
	}
	if s = store.Snapshot(); len(s.PodsRepelling("a"))+len(s.PodsWithHostPorts())+len(s.Storage().PodsWithClaims()) != 0 {
		t.Error("facets of pods that are gone")
	}
}
