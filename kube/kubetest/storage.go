package kubetest

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Claim is a claim bound to the volume, which the options make what it is; ""
// is none: the claim waits.
func Claim(name, volume string, options ...func(*corev1.PersistentVolume)) []runtime.Object {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: Meta("PersistentVolumeClaim", name)}
	if volume == "" {
		return []runtime.Object{claim}
	}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Spec.VolumeName = volume
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume, UID: kube.UID(volume)}}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: claim.Namespace,
		Name: claim.Name}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "disk", VolumeHandle: "handle-" + volume}
	for _, o := range options {
		o(v)
	}
	return []runtime.Object{claim, v}
}

func ReachedFrom(label string, values ...string) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpIn,
					Values: values}}}}}}
	}
}

func ofKind(edit func(*corev1.PersistentVolumeSource)) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) {
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{}
		edit(&v.Spec.PersistentVolumeSource)
	}
}

var (
	LocalDisk  = ofKind(func(s *corev1.PersistentVolumeSource) { s.Local = &corev1.LocalVolumeSource{Path: "/data"} })
	NodeFolder = ofKind(func(s *corev1.PersistentVolumeSource) {
		s.HostPath = &corev1.HostPathVolumeSource{Path: "/data"}
	})
	NfsShare = ofKind(func(s *corev1.PersistentVolumeSource) {
		s.NFS = &corev1.NFSVolumeSource{Server: "nas", Path: "/"}
	})
	FcDisk  = ofKind(func(s *corev1.PersistentVolumeSource) { s.FC = &corev1.FCVolumeSource{} })
	EbsDisk = ofKind(func(s *corev1.PersistentVolumeSource) {
		s.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	})
)

func WithVolume(name string, source corev1.VolumeSource) PodOption {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	}
}

func Claiming(claims ...string) PodOption {
	return func(p *corev1.Pod) {
		for _, claim := range claims {
			WithVolume(claim, corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
					ClaimName: claim}})(p)
		}
	}
}

func InZone(zone string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels["topology.kubernetes.io/zone"] = zone }
}

func BoundClaim(name, volume string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("claim-" + name),
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume},
	}
}

func CsiVolume(name, driver string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("volume-" + name)}}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle-" + name}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default",
		Name: strings.TrimPrefix(name, "pv-")}
	return v
}

func AttachmentOf(volume, node string, attached bool) *storagev1.VolumeAttachment {
	a := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "csi-" + volume + "-" + node,
		UID: kube.UID("csi-" + volume + "-" + node)}}
	a.Spec.Attacher, a.Spec.NodeName, a.Status.Attached = "disk", node, attached
	if volume != "" {
		a.Spec.Source.PersistentVolumeName = &volume
	}
	return a
}
