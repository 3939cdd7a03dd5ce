package kube

// Storage is what a snapshot knows of volumes. Before "none" is taken for an answer, ask
// Snapshot.Sync of the kind.
type Storage struct{ s *Snapshot }

// Storage is what the snapshot knows of volumes.
func (s *Snapshot) Storage() Storage { return Storage{s} }

// Claim is the claim of that name, nil if there is none. Ask Sync(KindClaims)
// before taking none for an answer; the same holds for all kinds below.
func (x Storage) Claim(namespace, name string) *PersistentVolumeClaim {
	return find(x.s, &PersistentVolumeClaim{Namespace: namespace, Name: name})
}

// Volume is the volume of that name, nil if there is none.
func (x Storage) Volume(name string) *PersistentVolume {
	return find(x.s, &PersistentVolume{Name: name})
}

// UnboundVolumes are the volumes of a class that no claim has yet, by name.
func (x Storage) UnboundVolumes(class string) []*PersistentVolume {
	return x.s.t.unbound.while(&PersistentVolume{Class: class}, func(v *PersistentVolume) bool {
		return v.Class == class
	})
}

// StorageClass is the class of that name, nil if there is none.
func (x Storage) StorageClass(name string) *StorageClass {
	return find(x.s, &StorageClass{Name: name})
}

// CSINode is what the CSI drivers say of a node, nil if they say nothing.
func (x Storage) CSINode(node string) *CSINode {
	return find(x.s, &CSINode{Name: node})
}

// CSIDriver is the driver of that name, nil if there is none.
func (x Storage) CSIDriver(name string) *CSIDriver {
	return find(x.s, &CSIDriver{Name: name})
}

// AttachmentsOn are the attachments of volumes to a node, by name.
func (x Storage) AttachmentsOn(node string) []*VolumeAttachment {
	return rows[*VolumeAttachment](&x.s.t, KindAttachments).while(&VolumeAttachment{Node: node},
		func(a *VolumeAttachment) bool { return a.Node == node })
}

// AttachmentsOf are the attachments of a volume, by name.
func (x Storage) AttachmentsOf(volume string) []*VolumeAttachment {
	return x.s.t.attachedTo.while(&VolumeAttachment{Volume: volume}, func(a *VolumeAttachment) bool {
		return a.Volume == volume
	})
}

// Attachments are all attachments, by node and name.
func (x Storage) Attachments() []*VolumeAttachment {
	return rows[*VolumeAttachment](&x.s.t, KindAttachments).items()
}

// PodsUsing are the pods that name the claim, by name.
func (x Storage) PodsUsing(namespace, claim string) []*Pod {
	var pods []*Pod
	x.s.t.pods.facets.claims.from(claimUser{claim, &podKey{namespace: namespace}}, func(u claimUser) bool {
		if u.pod.namespace != namespace || u.claim != claim {
			return false
		}
		pods = append(pods, x.s.t.pods.records.get(u.pod.slot))
		return true
	})
	return pods
}

// PodsWithClaims are the pods that name claims, once for each, by namespace and
// claim.
func (x Storage) PodsWithClaims() []*Pod {
	pods := make([]*Pod, 0, x.s.t.pods.facets.claims.len())
	x.s.t.pods.facets.claims.all(func(u claimUser) bool {
		pods = append(pods, x.s.t.pods.records.get(u.pod.slot))
		return true
	})
	return pods
}
