package kube

import (
	"cmp"
	"strings"
)

// storageTables are the records that have to do with volumes, and namespaces.
type storageTables struct {
	claims      index[*PersistentVolumeClaim] // by namespace, name
	volumes     index[*PersistentVolume]      // by name
	unbound     index[*PersistentVolume]      // by class, name: those that a claim could still get
	classes     index[*StorageClass]          // by name
	csiNodes    index[*CSINode]               // by name
	csiDrivers  index[*CSIDriver]             // by name
	attachments index[*VolumeAttachment]      // by node, name
	attachedTo  index[*VolumeAttachment]      // by volume, name
	namespaces  index[*Namespace]             // by name
	leases      index[*Lease]                 // by name
}

func newStorageTables() storageTables {
	return storageTables{
		claims: newIndex(func(a, b *PersistentVolumeClaim) bool {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)) < 0
		}),
		volumes: newIndex(func(a, b *PersistentVolume) bool { return a.Name < b.Name }),
		unbound: newIndex(func(a, b *PersistentVolume) bool {
			return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Name, b.Name)) < 0
		}),
		classes:    newIndex(func(a, b *StorageClass) bool { return a.Name < b.Name }),
		csiNodes:   newIndex(func(a, b *CSINode) bool { return a.Name < b.Name }),
		csiDrivers: newIndex(func(a, b *CSIDriver) bool { return a.Name < b.Name }),
		attachments: newIndex(func(a, b *VolumeAttachment) bool {
			return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Name, b.Name)) < 0
		}),
		attachedTo: newIndex(func(a, b *VolumeAttachment) bool {
			return cmp.Or(strings.Compare(a.Volume, b.Volume), strings.Compare(a.Name, b.Name)) < 0
		}),
		namespaces: newIndex(func(a, b *Namespace) bool { return a.Name < b.Name }),
		leases:     newIndex(func(a, b *Lease) bool { return a.Name < b.Name }),
	}
}

func (t *storageTables) freeze() storageTables {
	return storageTables{
		claims: t.claims.freeze(), volumes: t.volumes.freeze(), unbound: t.unbound.freeze(),
		classes: t.classes.freeze(), csiNodes: t.csiNodes.freeze(), csiDrivers: t.csiDrivers.freeze(),
		attachments: t.attachments.freeze(), attachedTo: t.attachedTo.freeze(), namespaces: t.namespaces.freeze(),
		leases: t.leases.freeze(),
	}
}

// put adds a record or puts it in the place of the one of its name; false means
// that it is there already, or of no kind of these.
func (t *storageTables) put(record any, rev uint64) bool {
	switch r := record.(type) {
	case *PersistentVolumeClaim:
		return putNamed(&t.claims, r, &r.Rev, rev)
	case *PersistentVolume:
		if old, ok := t.volumes.get(r); ok && old != r {
			t.unbound.remove(old)
		}
		if r.Phase != "Bound" {
			t.unbound.set(r)
		}
		return putNamed(&t.volumes, r, &r.Rev, rev)
	case *StorageClass:
		return putNamed(&t.classes, r, &r.Rev, rev)
	case *CSINode:
		return putNamed(&t.csiNodes, r, &r.Rev, rev)
	case *CSIDriver:
		return putNamed(&t.csiDrivers, r, &r.Rev, rev)
	case *VolumeAttachment:
		t.attachedTo.set(r) // node and volume of an attachment never change
		return putNamed(&t.attachments, r, &r.Rev, rev)
	case *Namespace:
		return putNamed(&t.namespaces, r, &r.Rev, rev)
	}
	return false
}

func putNamed[T comparable](x *index[T], record T, at *uint64, rev uint64) bool {
	if old, ok := x.get(record); ok && old == record {
		return false // others read it by now
	}
	*at = rev
	x.set(record)
	return true
}

// remove takes out the record of that name, unless it is another's by now.
func (t *storageTables) remove(record any) bool {
	switch r := record.(type) {
	case *PersistentVolumeClaim:
		return removeNamed(&t.claims, r)
	case *PersistentVolume:
		if old, ok := t.volumes.get(r); ok && (r.UID == "" || r.UID == old.UID) {
			t.unbound.remove(old)
		}
		return removeNamed(&t.volumes, r)
	case *StorageClass:
		return removeNamed(&t.classes, r)
	case *CSINode:
		return removeNamed(&t.csiNodes, r)
	case *CSIDriver:
		return removeNamed(&t.csiDrivers, r)
	case *VolumeAttachment:
		if old, ok := t.attachments.get(r); ok && (r.UID == "" || r.UID == old.UID) {
			t.attachedTo.remove(old)
		}
		return removeNamed(&t.attachments, r)
	case *Namespace:
		return removeNamed(&t.namespaces, r)
	case *Lease:
		return removeNamed(&t.leases, r)
	}
	return false
}

func removeNamed[T any](x *index[T], record T) bool {
	old, ok := x.get(record)
	if uid := uidOf(record); !ok || uid != "" && uid != uidOf(old) {
		return false
	}
	x.remove(old)
	return true
}

func storageUID(record any) UID {
	switch r := record.(type) {
	case *PersistentVolumeClaim:
		return r.UID
	case *PersistentVolume:
		return r.UID
	case *StorageClass:
		return r.UID
	case *CSINode:
		return r.UID
	case *CSIDriver:
		return r.UID
	case *VolumeAttachment:
		return r.UID
	case *Namespace:
		return r.UID
	case *Lease:
		return r.UID
	}
	return ""
}

// counted is what the tables of all kinds have in common.
type counted interface {
	len() int
	each(visit func(any))
}

func (x *index[T]) each(visit func(any)) { x.all(func(r T) bool { visit(r); return true }) }

func (t *storageTables) of(k Kind) counted {
	switch k {
	case KindClaims:
		return &t.claims
	case KindVolumes:
		return &t.volumes
	case KindStorageClasses:
		return &t.classes
	case KindCSINodes:
		return &t.csiNodes
	case KindCSIDrivers:
		return &t.csiDrivers
	case KindAttachments:
		return &t.attachments
	case KindNamespaces:
		return &t.namespaces
	case KindLeases:
		return &t.leases
	}
	return nil
}
