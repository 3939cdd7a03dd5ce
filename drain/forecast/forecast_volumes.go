package forecast

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// detachTakes is how long the volumes of a pod are taken to need from its end until they are attached to another
// node: the kubelet unmounts them, and the attach-detach controller acts. Nothing in the cluster tells how long that
// took before.
const detachTakes = 10 * time.Second

// addVolumes takes the volumes of a pod into the model that are attached to its node.
func (m *model) addVolumes(p *kube.Pod) {
	storage := m.s.Storage()
	for i := range p.Spec.Volumes {
		claim := storage.Claim(p.Namespace, p.Spec.Volumes[i].Claim)
		if claim == nil || claim.Volume == "" {
			continue
		}
		m.store.Put(claim)
		if v := storage.Volume(claim.Volume); v != nil {
			m.store.Put(v)
			if driver := storage.CSIDriver(v.Driver); driver != nil {
				m.store.Put(driver)
			}
		}
		for _, a := range storage.AttachmentsOf(claim.Volume) {
			m.store.Put(a)
		}
	}
}

// detach detaches the volumes of a pod that has left its node, but those that another pod on the node uses.
func (m *model) detach(p *modelPod) {
	for i := range p.live.Spec.Volumes {
		storage, ns := m.store.Snapshot().Storage(), p.live.Namespace
		claim := storage.Claim(ns, p.live.Spec.Volumes[i].Claim)
		if claim == nil || slices.ContainsFunc(storage.PodsUsing(ns, claim.Name), func(other *kube.Pod) bool {
			return other.Node == p.live.Node
		}) {
			continue
		}
		for _, a := range storage.AttachmentsOf(claim.Volume) {
			if a.Node == p.live.Node && a.Attached {
				p.detaches = true
				m.later(detachTakes, func() { m.reattach(p, a) })
			}
		}
	}
}

// reattach attaches a volume where the replacement of its pod is.
func (m *model) reattach(p *modelPod, a *kube.VolumeAttachment) {
	there := *a
	there.Node = elsewhere
	m.store.Put(&there)
	m.stirred = true
	m.leaves(p)
}

// leaves notes that a pod, or a volume of it, has left its node.
func (m *model) leaves(p *modelPod) {
	m.last, m.left = p, m.now.Sub(m.began)
	if span := m.spans[p.plan.Node]; span != nil {
		span.Until = m.left
	}
}
