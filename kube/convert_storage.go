package kube

import (
	"reflect"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Annotations of claims that the scheduler and the volume controller leave
// (component-helpers/storage/volume pv_helpers.go).
const (
	bindCompleted = "pv.kubernetes.io/bind-completed"
	selectedNode  = "volume.kubernetes.io/selected-node"
)

// storageRecord makes the record of an object that has to do with volumes, or
// of a namespace; nil for any other.
func storageRecord(object any) Record {
	switch o := object.(type) {
	case *corev1.PersistentVolumeClaim:
		return ClaimRecord(o)
	case *corev1.PersistentVolume:
		return VolumeRecord(o)
	case *storagev1.StorageClass:
		return StorageClassRecord(o)
	case *storagev1.CSINode:
		return CSINodeRecord(o)
	case *storagev1.CSIDriver:
		return CSIDriverRecord(o)
	case *storagev1.VolumeAttachment:
		return AttachmentRecord(o)
	case *coordinationv1.Lease:
		return LeaseRecord(o)
	case *corev1.Namespace:
		return &Namespace{Name: share(o.Name), UID: o.UID, Labels: copyMap(o.Labels), Deleted: timeOf(o.DeletionTimestamp)}
	}
	return nil
}

// ClaimRecord is the compact record of a claim.
func ClaimRecord(c *corev1.PersistentVolumeClaim) *PersistentVolumeClaim {
	record := &PersistentVolumeClaim{
		Namespace: share(c.Namespace), Name: share(c.Name), UID: c.UID, Owner: controllerOf(c.OwnerReferences),
		Class: share(classOf(c.Annotations, valueOr(c.Spec.StorageClassName, ""))), Volume: share(c.Spec.VolumeName),
		Phase:       corev1.PersistentVolumeClaimPhase(share(string(c.Status.Phase))),
		AccessModes: accessModes(c.Spec.AccessModes), RequestBytes: bytesOf(c.Spec.Resources.Requests),
		Block:           valueOr(c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock,
		AttributesClass: share(valueOr(c.Spec.VolumeAttributesClassName, "")),
		SelectedNode:    share(c.Annotations[selectedNode]), Deleted: timeOf(c.DeletionTimestamp),
	}
	_, completed := c.Annotations[bindCompleted]
	record.Bound = completed && c.Spec.VolumeName != ""
	if c.Spec.Selector != nil {
		record.Selector = selectorOf(c.Spec.Selector)
	}
	return record
}

// classOf prefers the old annotation to the field, as the controllers do
// (component-helpers/storage/volume helpers.go).
func classOf(annotations map[string]string, field string) string {
	if class, ok := annotations[corev1.BetaStorageClassAnnotation]; ok {
		return class
	}
	return field
}

func bytesOf(list corev1.ResourceList) int64 {
	quantity := list[corev1.ResourceStorage]
	return quantity.Value()
}

func accessModes(modes []corev1.PersistentVolumeAccessMode) []corev1.PersistentVolumeAccessMode {
	kept := make([]corev1.PersistentVolumeAccessMode, len(modes))
	for i, m := range modes {
		kept[i] = corev1.PersistentVolumeAccessMode(share(string(m)))
	}
	return kept
}

// VolumeRecord is the compact record of a volume.
func VolumeRecord(v *corev1.PersistentVolume) *PersistentVolume {
	record := &PersistentVolume{
		Name: share(v.Name), UID: v.UID, Labels: labels.Set(copyMap(v.Labels)),
		Class: share(classOf(v.Annotations, v.Spec.StorageClassName)), CapacityBytes: bytesOf(v.Spec.Capacity),
		AccessModes:     accessModes(v.Spec.AccessModes),
		Block:           valueOr(v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock,
		AttributesClass: share(valueOr(v.Spec.VolumeAttributesClassName, "")),
		Phase:           corev1.PersistentVolumePhase(share(string(v.Status.Phase))), Local: v.Spec.Local != nil, HostPath: v.Spec.HostPath != nil,
		InTree: inTree(&v.Spec.PersistentVolumeSource), Deleted: timeOf(v.DeletionTimestamp),
	}
	if ref := v.Spec.ClaimRef; ref != nil {
		record.Claim = &ClaimRef{Namespace: share(ref.Namespace), Name: share(ref.Name), UID: ref.UID}
	}
	if v.Spec.CSI != nil {
		record.Driver, record.Handle = share(v.Spec.CSI.Driver), v.Spec.CSI.VolumeHandle
	}
	record.Mounted = v.Spec.NFS != nil || v.Spec.CephFS != nil || v.Spec.Glusterfs != nil || v.Spec.Quobyte != nil
	if a := v.Spec.NodeAffinity; a != nil && a.Required != nil {
		var buffer [512]byte
		record.Affinity = sharedReach.get(digestOf(appendMessage(buffer[:0], a.Required)), func() *corev1.NodeSelector {
			kept := a.Required.DeepCopy()
			makeVisible(reflect.ValueOf(kept))
			return kept
		})
	}
	return record
}

// sharedReach holds the nodes that volumes can be reached from: all volumes of
// a zone have the same.
var sharedReach weakTable[corev1.NodeSelector]

// inTree names the plugin of a volume that csi-translation-lib would hand to a
// CSI driver.
func inTree(s *corev1.PersistentVolumeSource) string {
	switch {
	case s.AWSElasticBlockStore != nil:
		return "aws-ebs"
	case s.GCEPersistentDisk != nil:
		return "gce-pd"
	case s.AzureDisk != nil:
		return "azure-disk"
	case s.AzureFile != nil:
		return "azure-file"
	case s.Cinder != nil:
		return "cinder"
	case s.VsphereVolume != nil:
		return "vsphere"
	case s.PortworxVolume != nil:
		return "portworx"
	}
	return ""
}

// StorageClassRecord is the compact record of a storage class.
func StorageClassRecord(c *storagev1.StorageClass) *StorageClass {
	record := &StorageClass{
		Name: share(c.Name), UID: c.UID, Provisioner: share(c.Provisioner),
		WaitForPod: valueOr(c.VolumeBindingMode, storagev1.VolumeBindingImmediate) == storagev1.VolumeBindingWaitForFirstConsumer,
	}
	for i := range c.AllowedTopologies {
		record.Topologies = append(record.Topologies, *c.AllowedTopologies[i].DeepCopy())
	}
	return record
}

// CSINodeRecord is the compact record of a CSINode.
func CSINodeRecord(n *storagev1.CSINode) *CSINode {
	record := &CSINode{Name: share(n.Name), UID: n.UID}
	for _, d := range n.Spec.Drivers {
		driver := NodeDriver{Name: share(d.Name), NodeID: share(d.NodeID)}
		if d.Allocatable != nil && d.Allocatable.Count != nil {
			limit := *d.Allocatable.Count
			driver.Limit = &limit
		}
		record.Drivers = append(record.Drivers, driver)
	}
	return record
}

// CSIDriverRecord is the compact record of a CSI driver.
func CSIDriverRecord(d *storagev1.CSIDriver) *CSIDriver {
	return &CSIDriver{
		Name: share(d.Name), UID: d.UID, Attaches: valueOr(d.Spec.AttachRequired, true),
		TracksCapacity: valueOr(d.Spec.StorageCapacity, false),
	}
}

// AttachmentRecord is the compact record of a VolumeAttachment.
func AttachmentRecord(a *storagev1.VolumeAttachment) *VolumeAttachment {
	return &VolumeAttachment{
		Name: a.Name, UID: a.UID, Driver: share(a.Spec.Attacher), Node: share(a.Spec.NodeName),
		Volume: share(valueOr(a.Spec.Source.PersistentVolumeName, "")), Attached: a.Status.Attached,
		AttachError: volumeError(a.Status.AttachError), DetachError: volumeError(a.Status.DetachError),
		Deleted: timeOf(a.DeletionTimestamp),
	}
}

func volumeError(e *storagev1.VolumeError) string {
	if e == nil {
		return ""
	}
	return CleanText(e.Message)
}
