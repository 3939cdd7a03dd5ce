package kube

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// PersistentVolumeClaim is the compact record of a claim.
type PersistentVolumeClaim struct {
	Namespace string
	Name      string
	UID       UID
	Owner     *Owner // the pod, for a claim made from a pod's template
	Class     string // name of the StorageClass, "" if there is none
	Volume    string // name of the PersistentVolume, "" while unbound
	// Bound tells that the controller is done with binding; a volume that is
	// only named is wanted, not bound (volumebinding/binder.go isPVCFullyBound).
	Bound           bool
	Phase           corev1.PersistentVolumeClaimPhase
	AccessModes     []corev1.PersistentVolumeAccessMode
	RequestBytes    int64
	Selector        labels.Selector // of volumes, nil for all
	Block           bool            // a raw device, no file system
	AttributesClass string
	SelectedNode    string // where the scheduler wants the volume made, "" if nowhere yet
	Deleted         time.Time
}

// Exclusive tells whether one pod alone may use the claim (ReadWriteOncePod).
func (c *PersistentVolumeClaim) Exclusive() bool {
	return slices.Contains(c.AccessModes, corev1.ReadWriteOncePod)
}

// ClaimRef is the claim that a volume belongs to, or is kept for.
type ClaimRef struct {
	Namespace, Name string
	UID             UID // "" for a volume that is kept for a claim of that name
}

// PersistentVolume is the compact record of a volume.
type PersistentVolume struct {
	Name            string
	UID             UID
	Labels          labels.Set
	Class           string
	CapacityBytes   int64
	AccessModes     []corev1.PersistentVolumeAccessMode
	Block           bool
	AttributesClass string
	Phase           corev1.PersistentVolumePhase
	Claim           *ClaimRef
	Driver          string // of CSI, "" for other kinds of volumes
	Handle          string // what the driver calls it
	// InTree names the old plugin of a volume that Kubernetes hands to a CSI
	// driver, under names that we do not know.
	InTree   string
	Mounted  bool                 // never attached to a node: NFS and its like
	Local    bool                 // a disk of one node
	HostPath bool                 // a folder of whichever node its pod runs on
	Affinity *corev1.NodeSelector // nodes that can reach it, nil for all
	Deleted  time.Time
}

// StorageClass is the compact record of a storage class.
type StorageClass struct {
	Name        string
	UID         UID
	Provisioner string
	// WaitForPod is the binding mode WaitForFirstConsumer: the scheduler chooses
	// the node, and the volume follows.
	WaitForPod bool
	Topologies []corev1.TopologySelectorTerm // where volumes may be made, nil for anywhere
}

// NodeDriver is a CSI driver on a node.
type NodeDriver struct {
	Name   string
	NodeID string // what the driver calls the node
	Limit  *int32 // most volumes attached at once, nil for no limit
}

// CSINode is what the CSI drivers say of a node; it has the node's name.
type CSINode struct {
	Name    string
	UID     UID
	Drivers []NodeDriver
}

// CSIDriver is the compact record of a CSI driver.
type CSIDriver struct {
	Name     string
	UID      UID
	Attaches bool // volumes are attached to a node before they are mounted
	// TracksCapacity tells that the scheduler looks at CSIStorageCapacity objects
	// before it has a volume made.
	TracksCapacity bool
}

// VolumeAttachment is the wish, and its state, that a volume be attached to a
// node.
type VolumeAttachment struct {
	Name        string
	UID         UID
	Driver      string
	Node        string
	Volume      string // name of the PersistentVolume, "" for one named in a pod
	Attached    bool
	AttachError string
	DetachError string
	Deleted     time.Time
}

// Namespace is the compact record of a namespace.
type Namespace struct {
	Name    string
	UID     UID
	Labels  labels.Set
	Deleted time.Time
}
