package kubetest

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// Disks are the volumes of a simulation: an attach-detach controller with its
// attacher, which takes a volume off a node when the last pod there that uses it
// is gone, and puts it on another.
type Disks struct {
	*Simulation
	DetachAfter, attachAfter time.Duration
	Elsewhere                string // where volumes are attached next, "" for nowhere
	Stay                     map[string]bool
	attached                 map[string]string // by volume: its node
	Film                     []string          // "pod gone", "volume detached", in order
	Overlaps                 []string
}

func NewDisks(s *Simulation) *Disks {
	d := &Disks{Simulation: s, DetachAfter: 3 * time.Second, attachAfter: time.Second, Stay: map[string]bool{},
		attached: map[string]string{}}
	s.onGone = d.gone
	return d
}

// With gives a pod claims "name@driver", each with a volume "pv-name" that is
// attached to the pod's node.
func (d *Disks) With(claims ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, one := range claims {
			name, driver, _ := strings.Cut(one, "@")
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
			if driver == "" {
				continue // the claim is somebody else's, or missing
			}
			d.Store.Put(convert.ClaimRecord(BoundClaim(name, "pv-"+name)))
			d.Store.Put(convert.VolumeRecord(CsiVolume("pv-"+name, driver)))
			d.Attach("pv-"+name, driver, p.Spec.NodeName)
		}
	}
}

func Attachment(volume, driver, node string, attached bool) *kube.VolumeAttachment {
	return convert.AttachmentRecord(&storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + volume + "-" + node, UID: types.UID(volume + node)},
		Spec: storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: node,
			Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
		Status: storagev1.VolumeAttachmentStatus{Attached: attached},
	})
}

func (d *Disks) Attach(volume, driver, node string) {
	d.attached[volume] = node
	d.Store.Put(Attachment(volume, driver, node, true))
}

// gone is the end of a pod: its volumes leave the node, unless others there use
// them.
func (d *Disks) gone(p *corev1.Pod) {
	d.Film = append(d.Film, p.Name+" gone")
	for _, v := range p.Spec.Volumes {
		volume := "pv-" + v.Name
		if d.attached[volume] == "" || d.usedOn(p.Spec.NodeName, v.Name) || d.Stay[volume] {
			continue
		}
		d.Later(d.DetachAfter, func() {
			d.Film = append(d.Film, volume+" detached")
			delete(d.attached, volume)
			d.Store.Remove(Attachment(volume, "", p.Spec.NodeName, true))
			if d.Elsewhere != "" {
				d.Later(d.attachAfter, func() { d.Attach(volume, "disk", d.Elsewhere) })
			}
		})
	}
}

func (d *Disks) usedOn(node, claim string) bool {
	for _, p := range d.Pods {
		for _, v := range p.Spec.Volumes {
			if p.Spec.NodeName == node && v.Name == claim {
				return true
			}
		}
	}
	return false
}

// WatchTurns notes each moment in which more than one pod with volumes of the
// node is going: terminating, or gone with volumes that are still attached.
func (d *Disks) WatchTurns(node string, volumesOf map[string][]string) {
	d.OnChange = func() {
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
			d.Overlaps = append(d.Overlaps, strings.Join(going, "+"))
		}
	}
}

func Prio(n int32) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Priority = &n } }
