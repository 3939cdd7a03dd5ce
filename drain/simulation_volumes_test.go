package drain

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// disks are the volumes of a simulation: an attach-detach controller with its
// attacher, which takes a volume off a node when the last pod there that uses it
// is gone, and puts it on another.
type disks struct {
	*simulation
	detachAfter, attachAfter time.Duration
	elsewhere                string // where volumes are attached next, "" for nowhere
	stay                     map[string]bool
	attached                 map[string]string // by volume: its node
	film                     []string          // "pod gone", "volume detached", in order
	overlaps                 []string
}

func newDisks(s *simulation) *disks {
	d := &disks{simulation: s, detachAfter: 3 * time.Second, attachAfter: time.Second, stay: map[string]bool{}, attached: map[string]string{}}
	s.onGone = d.gone
	return d
}

// with gives a pod claims "name@driver", each with a volume "pv-name" that is
// attached to the pod's node.
func (d *disks) with(claims ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, one := range claims {
			name, driver, _ := strings.Cut(one, "@")
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
			if driver == "" {
				continue // the claim is somebody else's, or missing
			}
			d.store.Put(kube.ClaimRecord(boundClaim(name, "pv-"+name)))
			d.store.Put(kube.VolumeRecord(csiVolume("pv-"+name, driver)))
			d.attach("pv-"+name, driver, p.Spec.NodeName)
		}
	}
}

func boundClaim(name, volume string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("claim-" + name),
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume},
	}
}

func csiVolume(name, driver string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("volume-" + name)}}
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle-" + name}
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: strings.TrimPrefix(name, "pv-")}
	return v
}

func attachment(volume, driver, node string, attached bool) *kube.VolumeAttachment {
	return kube.AttachmentRecord(&storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + volume + "-" + node, UID: types.UID(volume + node)},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
		Status:     storagev1.VolumeAttachmentStatus{Attached: attached},
	})
}

func (d *disks) attach(volume, driver, node string) {
	d.attached[volume] = node
	d.store.Put(attachment(volume, driver, node, true))
}

// gone is the end of a pod: its volumes leave the node, unless others there use
// them.
func (d *disks) gone(p *corev1.Pod) {
	d.film = append(d.film, p.Name+" gone")
	for _, v := range p.Spec.Volumes {
		volume := "pv-" + v.Name
		if d.attached[volume] == "" || d.usedOn(p.Spec.NodeName, v.Name) || d.stay[volume] {
			continue
		}
		d.later(d.detachAfter, func() {
			d.film = append(d.film, volume+" detached")
			delete(d.attached, volume)
			d.store.Remove(attachment(volume, "", p.Spec.NodeName, true))
			if d.elsewhere != "" {
				d.later(d.attachAfter, func() { d.attach(volume, "disk", d.elsewhere) })
			}
		})
	}
}

func (d *disks) usedOn(node, claim string) bool {
	for _, p := range d.pods {
		for _, v := range p.Spec.Volumes {
			if p.Spec.NodeName == node && v.Name == claim {
				return true
			}
		}
	}
	return false
}

// watchTurns notes each moment in which more than one pod with volumes of the
// node is going: terminating, or gone with volumes that are still attached.
func (d *disks) watchTurns(node string, volumesOf map[string][]string) {
	d.onChange = func() {
		var going []string
		for name, volumes := range volumesOf {
			p := d.named(name)
			busy := p != nil && p.DeletionTimestamp != nil
			for _, v := range volumes {
				busy = busy || p == nil && d.attached[v] == node
			}
			if busy {
				going = append(going, name)
			}
		}
		if len(going) > 1 {
			d.overlaps = append(d.overlaps, strings.Join(going, "+"))
		}
	}
}

func prio(n int32) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Priority = &n } }
