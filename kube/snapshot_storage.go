package kube

// find is the record of the same kind and name, nil if there is none.
func find[T recordType](s *Snapshot, like T) T {
	found, _ := rows[T](&s.t, like.Meta().Kind).get(like)
	return found
}

// Claim is the claim of that name, nil if there is none. Ask Sync(KindClaims)
// before taking none for an answer; the same holds for all kinds below.
func (s *Snapshot) Claim(namespace, name string) *PersistentVolumeClaim {
	return find(s, &PersistentVolumeClaim{Namespace: namespace, Name: name})
}

// Volume is the volume of that name, nil if there is none.
func (s *Snapshot) Volume(name string) *PersistentVolume {
	return find(s, &PersistentVolume{Name: name})
}

// UnboundVolumes are the volumes of a class that no claim has yet, by name.
func (s *Snapshot) UnboundVolumes(class string) []*PersistentVolume {
	return s.t.unbound.while(&PersistentVolume{Class: class}, func(v *PersistentVolume) bool { return v.Class == class })
}

// StorageClass is the class of that name, nil if there is none.
func (s *Snapshot) StorageClass(name string) *StorageClass {
	return find(s, &StorageClass{Name: name})
}

// CSINode is what the CSI drivers say of a node, nil if they say nothing.
func (s *Snapshot) CSINode(node string) *CSINode {
	return find(s, &CSINode{Name: node})
}

// CSIDriver is the driver of that name, nil if there is none.
func (s *Snapshot) CSIDriver(name string) *CSIDriver {
	return find(s, &CSIDriver{Name: name})
}

// AttachmentsOn are the attachments of volumes to a node, by name.
func (s *Snapshot) AttachmentsOn(node string) []*VolumeAttachment {
	return rows[*VolumeAttachment](&s.t, KindAttachments).while(&VolumeAttachment{Node: node},
		func(a *VolumeAttachment) bool { return a.Node == node })
}

// AttachmentsOf are the attachments of a volume, by name.
func (s *Snapshot) AttachmentsOf(volume string) []*VolumeAttachment {
	return s.t.attachedTo.while(&VolumeAttachment{Volume: volume}, func(a *VolumeAttachment) bool { return a.Volume == volume })
}

// Attachments are all attachments, by node and name.
func (s *Snapshot) Attachments() []*VolumeAttachment {
	return rows[*VolumeAttachment](&s.t, KindAttachments).items()
}

// Namespace is the namespace of that name, nil if there is none.
func (s *Snapshot) Namespace(name string) *Namespace {
	return find(s, &Namespace{Name: name})
}

// Namespaces are all namespaces, by name.
func (s *Snapshot) Namespaces() []*Namespace { return rows[*Namespace](&s.t, KindNamespaces).items() }

// PodsRepelling are the pods with a required anti-affinity that can reach pods
// of the namespace.
func (s *Snapshot) PodsRepelling(namespace string) []*Pod {
	var pods []*Pod
	for _, scope := range []string{"", namespace} {
		s.t.pods.facets.repels.from(scopedKey{scope, &podKey{}}, func(k scopedKey) bool {
			if k.scope != scope {
				return false
			}
			pods = append(pods, s.t.pods.records.get(k.pod.slot))
			return true
		})
	}
	return pods
}

// PodsWithHostPorts are the pods that take ports of their nodes, by node.
func (s *Snapshot) PodsWithHostPorts() []*Pod {
	return s.t.pods.collect(make([]*Pod, 0, s.t.pods.facets.ports.len()), &s.t.pods.facets.ports, &podKey{},
		func(*podKey) bool { return true })
}

// PodsUsing are the pods that name the claim, by name.
func (s *Snapshot) PodsUsing(namespace, claim string) []*Pod {
	var pods []*Pod
	s.t.pods.facets.claims.from(claimUser{claim, &podKey{namespace: namespace}}, func(u claimUser) bool {
		if u.pod.namespace != namespace || u.claim != claim {
			return false
		}
		pods = append(pods, s.t.pods.records.get(u.pod.slot))
		return true
	})
	return pods
}

// PodsWithClaims are the pods that name claims, once for each, by namespace and
// claim.
func (s *Snapshot) PodsWithClaims() []*Pod {
	pods := make([]*Pod, 0, s.t.pods.facets.claims.len())
	s.t.pods.facets.claims.all(func(u claimUser) bool {
		pods = append(pods, s.t.pods.records.get(u.pod.slot))
		return true
	})
	return pods
}
