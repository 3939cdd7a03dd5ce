package kube

// Claim is the claim of that name, nil if there is none. Ask Sync(KindClaims)
// before taking none for an answer; the same holds for all kinds below.
func (s *Snapshot) Claim(namespace, name string) *PersistentVolumeClaim {
	c, _ := s.t.storage.claims.get(&PersistentVolumeClaim{Namespace: namespace, Name: name})
	return c
}

// Volume is the volume of that name, nil if there is none.
func (s *Snapshot) Volume(name string) *PersistentVolume {
	v, _ := s.t.storage.volumes.get(&PersistentVolume{Name: name})
	return v
}

// UnboundVolumes are the volumes of a class that no claim has yet, by name.
func (s *Snapshot) UnboundVolumes(class string) []*PersistentVolume {
	var volumes []*PersistentVolume
	s.t.storage.unbound.from(&PersistentVolume{Class: class}, func(v *PersistentVolume) bool {
		if v.Class != class {
			return false
		}
		volumes = append(volumes, v)
		return true
	})
	return volumes
}

// StorageClass is the class of that name, nil if there is none.
func (s *Snapshot) StorageClass(name string) *StorageClass {
	c, _ := s.t.storage.classes.get(&StorageClass{Name: name})
	return c
}

// CSINode is what the CSI drivers say of a node, nil if they say nothing.
func (s *Snapshot) CSINode(node string) *CSINode {
	n, _ := s.t.storage.csiNodes.get(&CSINode{Name: node})
	return n
}

// CSIDriver is the driver of that name, nil if there is none.
func (s *Snapshot) CSIDriver(name string) *CSIDriver {
	d, _ := s.t.storage.csiDrivers.get(&CSIDriver{Name: name})
	return d
}

// AttachmentsOn are the attachments of volumes to a node, by name.
func (s *Snapshot) AttachmentsOn(node string) []*VolumeAttachment {
	var attachments []*VolumeAttachment
	s.t.storage.attachments.from(&VolumeAttachment{Node: node}, func(a *VolumeAttachment) bool {
		if a.Node != node {
			return false
		}
		attachments = append(attachments, a)
		return true
	})
	return attachments
}

// AttachmentsOf are the attachments of a volume, by name.
func (s *Snapshot) AttachmentsOf(volume string) []*VolumeAttachment {
	var attachments []*VolumeAttachment
	s.t.storage.attachedTo.from(&VolumeAttachment{Volume: volume}, func(a *VolumeAttachment) bool {
		if a.Volume != volume {
			return false
		}
		attachments = append(attachments, a)
		return true
	})
	return attachments
}

// Attachments are all attachments, by node and name.
func (s *Snapshot) Attachments() []*VolumeAttachment { return s.t.storage.attachments.items() }

// Namespace is the namespace of that name, nil if there is none.
func (s *Snapshot) Namespace(name string) *Namespace {
	n, _ := s.t.storage.namespaces.get(&Namespace{Name: name})
	return n
}

// Namespaces are all namespaces, by name.
func (s *Snapshot) Namespaces() []*Namespace { return s.t.storage.namespaces.items() }

// PodsRepelling are the pods with a required anti-affinity that can reach pods
// of the namespace.
func (s *Snapshot) PodsRepelling(namespace string) []*Pod {
	var pods []*Pod
	for _, scope := range []string{"", namespace} {
		s.t.facets.repels.from(scopedKey{scope, &podKey{}}, func(k scopedKey) bool {
			if k.scope != scope {
				return false
			}
			pods = append(pods, s.t.records.get(k.pod.slot))
			return true
		})
	}
	return pods
}

// PodsWithHostPorts are the pods that take ports of their nodes, by node.
func (s *Snapshot) PodsWithHostPorts() []*Pod {
	return s.t.collect(make([]*Pod, 0, s.t.facets.ports.len()), &s.t.facets.ports, &podKey{},
		func(*podKey) bool { return true })
}

// PodsUsing are the pods that name the claim, by name.
func (s *Snapshot) PodsUsing(namespace, claim string) []*Pod {
	var pods []*Pod
	s.t.facets.claims.from(claimUser{claim, &podKey{namespace: namespace}}, func(u claimUser) bool {
		if u.pod.namespace != namespace || u.claim != claim {
			return false
		}
		pods = append(pods, s.t.records.get(u.pod.slot))
		return true
	})
	return pods
}

// PodsWithClaims are the pods that name claims, once for each, by namespace and
// claim.
func (s *Snapshot) PodsWithClaims() []*Pod {
	pods := make([]*Pod, 0, s.t.facets.claims.len())
	s.t.facets.claims.all(func(u claimUser) bool {
		pods = append(pods, s.t.records.get(u.pod.slot))
		return true
	})
	return pods
}
