package convert

import (
	"reflect"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Annotations of claims that the scheduler and the volume controller leave
// (component-helpers/storage/volume pv_helpers.go).
const (
	bindCompleted = "pv.kubernetes.io/bind-completed"
	selectedNode  = "volume.kubernetes.io/selected-node"
)

// storageRecord makes the record of an object that has to do with volumes, or
// of a namespace; nil for any other.
func storageRecord(object any) kube.Record {
	switch o := object.(type) {
	case *corev1.PersistentVolumeClaim:
		return ClaimRecord(o)
	case *corev1.PersistentVolume:
		return VolumeRecord(o)
	case *storagev1.StorageClass:
		return storageClassRecord(o)
	case *storagev1.CSINode:
		return csiNodeRecord(o)
	case *storagev1.CSIDriver:
		return csiDriverRecord(o)
	case *storagev1.VolumeAttachment:
		return AttachmentRecord(o)
	case *coordinationv1.Lease:
		return lease(o)
	case *corev1.Namespace:
		return &kube.Namespace{Name: Share(o.Name), UID: o.UID, Labels: copyMap(o.Labels),
			Deleted: timeOf(o.DeletionTimestamp)}
	}
	return nil
}

// ClaimRecord is the compact record of a claim.
func ClaimRecord(c *corev1.PersistentVolumeClaim) *kube.PersistentVolumeClaim {
	record := &kube.PersistentVolumeClaim{
		Namespace: Share(c.Namespace), Name: Share(c.Name), UID: c.UID, Owner: controllerOf(c.OwnerReferences),
		Class: Share(classOf(c.Annotations, valueOr(c.Spec.StorageClassName, ""))), Volume: Share(c.Spec.VolumeName),
		Phase:       corev1.PersistentVolumeClaimPhase(Share(string(c.Status.Phase))),
		AccessModes: accessModes(c.Spec.AccessModes), RequestBytes: bytesOf(c.Spec.Resources.Requests),
		Block:           valueOr(c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock,
		AttributesClass: Share(valueOr(c.Spec.VolumeAttributesClassName, "")),
		SelectedNode:    Share(c.Annotations[selectedNode]), Deleted: timeOf(c.DeletionTimestamp),
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
		kept[i] = corev1.PersistentVolumeAccessMode(Share(string(m)))
	}
	return kept
}

// VolumeRecord is the compact record of a volume.
func VolumeRecord(v *corev1.PersistentVolume) *kube.PersistentVolume {
	record := &kube.PersistentVolume{
		Name: Share(v.Name), UID: v.UID, Labels: labels.Set(copyMap(v.Labels)),
		Class: Share(classOf(v.Annotations, v.Spec.StorageClassName)), CapacityBytes: bytesOf(v.Spec.Capacity),
		AccessModes:     accessModes(v.Spec.AccessModes),
		Block:           valueOr(v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem) == corev1.PersistentVolumeBlock,
		AttributesClass: Share(valueOr(v.Spec.VolumeAttributesClassName, "")),
		Phase:           corev1.PersistentVolumePhase(Share(string(v.Status.Phase))), Local: v.Spec.Local != nil,
		HostPath: v.Spec.HostPath != nil,
		InTree:   inTree(&v.Spec.PersistentVolumeSource), Deleted: timeOf(v.DeletionTimestamp),
	}
	if ref := v.Spec.ClaimRef; ref != nil {
		record.Claim = &kube.ClaimRef{Namespace: Share(ref.Namespace), Name: Share(ref.Name), UID: ref.UID}
	}
	if v.Spec.CSI != nil {
		record.Driver, record.Handle = Share(v.Spec.CSI.Driver), v.Spec.CSI.VolumeHandle
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

// storageClassRecord is the compact record of a storage class.
func storageClassRecord(c *storagev1.StorageClass) *kube.StorageClass {
	record := &kube.StorageClass{
		Name: Share(c.Name), UID: c.UID, Provisioner: Share(c.Provisioner),
		WaitForPod: valueOr(c.VolumeBindingMode, storagev1.VolumeBindingImmediate) == storagev1.VolumeBindingWaitForFirstConsumer,
	}
	for i := range c.AllowedTopologies {
		record.Topologies = append(record.Topologies, *c.AllowedTopologies[i].DeepCopy())
	}
	return record
}

// csiNodeRecord is the compact record of a CSINode.
func csiNodeRecord(n *storagev1.CSINode) *kube.CSINode {
	record := &kube.CSINode{Name: Share(n.Name), UID: n.UID}
	for _, d := range n.Spec.Drivers {
		driver := kube.NodeDriver{Name: Share(d.Name), NodeID: Share(d.NodeID)}
		if d.Allocatable != nil && d.Allocatable.Count != nil {
			limit := *d.Allocatable.Count
			driver.Limit = &limit
		}
		record.Drivers = append(record.Drivers, driver)
	}
	return record
}

// csiDriverRecord is the compact record of a CSI driver.
func csiDriverRecord(d *storagev1.CSIDriver) *kube.CSIDriver {
	return &kube.CSIDriver{
		Name: Share(d.Name), UID: d.UID, Attaches: valueOr(d.Spec.AttachRequired, true),
		TracksCapacity: valueOr(d.Spec.StorageCapacity, false),
	}
}

// AttachmentRecord is the compact record of a VolumeAttachment.
func AttachmentRecord(a *storagev1.VolumeAttachment) *kube.VolumeAttachment {
	return &kube.VolumeAttachment{
		Name: a.Name, UID: a.UID, Driver: Share(a.Spec.Attacher), Node: Share(a.Spec.NodeName),
		Volume: Share(valueOr(a.Spec.Source.PersistentVolumeName, "")), Attached: a.Status.Attached,
		AttachError: volumeError(a.Status.AttachError), DetachError: volumeError(a.Status.DetachError),
		Deleted: timeOf(a.DeletionTimestamp),
	}
}

func volumeError(e *storagev1.VolumeError) string {
	if e == nil {
		return ""
	}
	return kube.CleanText(e.Message)
}
