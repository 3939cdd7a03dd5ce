package volume

import (
	"cmp"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// State is where a volume of a pod of a run is.
type State string

// The states of a volume. Detached is only said where a VolumeAttachment can
// tell; node.status.volumesAttached is not asked, for the controller clears it
// before it detaches (kubernetes attachdetach/reconciler.go).
const (
	VolumeInUse         State = "InUse"         // its pod is on the node
	VolumeDetaching     State = "Detaching"     // its pod is gone, the volume is still attached to the node
	VolumeStillAttached State = "StillAttached" // and so for longer than it is waited for
	VolumeDetached      State = "Detached"      // its attachment to the node is gone, or says so
	VolumeReattached    State = "Reattached"    // and it is attached to another node
	VolumeShared        State = "Shared"        // other pods on the node use it: the last of them is waited for
	VolumeUnattached    State = "Unattached"    // its driver attaches nothing
	VolumeUnknown       State = "Unknown"       // it is not known when it is detached; Why says why
)

// awaited reports whether the next pod's turn waits for a volume in this state.
func (s State) awaited() bool { return s == VolumeInUse || s == VolumeDetaching }

// attachable reports whether a volume in this state takes a turn of its driver.
func (s State) attachable() bool { return s != VolumeUnknown && s != VolumeUnattached }

// Facts are what is known of one volume of a pod.
type Facts struct {
	Name   string `json:"name,omitempty"`   // in the pod
	Claim  string `json:"claim,omitempty"`  // in the pod's namespace
	Volume string `json:"volume,omitempty"` // the PersistentVolume
	Driver string `json:"driver,omitempty"` // of CSI
	Handle string `json:"handle,omitempty"` // what the driver calls it
	State  State  `json:"state"`
	Node   string `json:"node,omitempty"` // Reattached: where to
	Why    string `json:"why,omitempty"`  // Unknown: why
	// Late tells that it was not attached elsewhere within the time for that,
	// which is worth a warning and delays nothing.
	Late bool `json:"late,omitempty"`
}

// Title is what a person calls the volume: the name that kubectl shows.
func (v *Facts) Title() string {
	switch {
	case v.Volume != "":
		return v.Volume
	case v.Claim != "":
		return "claim " + v.Claim
	}
	return v.Name
}

// VolumeRun is a volume of a pod in a run.
type VolumeRun struct {
	Facts
	DetachedAt   time.Time // when it was first seen detached from the pod's node
	ReattachedAt time.Time // when it was first seen attached to another
}

// The reasons why it is not known whether a volume is detached.
const (
	WhyInline     = "named in the pod itself, without a claim"
	whyNoClaim    = "its claim does not exist"
	whyUnbound    = "its claim has no volume yet"
	whyNoVolume   = "its volume does not exist"
	whyMigrated   = "an in-tree volume handed to a CSI driver"
	WhyNoCSI      = "not a CSI volume"
	WhyNodeDisk   = "a disk or folder of its node, which nothing detaches"
	WhyUnreadable = "volumeattachments cannot be read"
	WhyNoClaims   = "persistentvolumeclaims cannot be read"
	WhyNoVolumes  = "persistentvolumes cannot be read"
	WhyUnseen     = "volumeattachments could not be read in time"
	WhyNodeGone   = "its node is gone"
)

// settles reports whether what is unknown now may be known at the next look:
// claims bind, and objects come later than those that name them.
func settles(why string) bool { return why == whyNoClaim || why == whyUnbound || why == whyNoVolume }

// VolumeKinds are what the accounting of volumes is made from.
var VolumeKinds = []kube.Kind{kube.KindClaims, kube.KindVolumes, kube.KindAttachments}

// VolumesReadable reports whether what tells of the volumes of a pod is either complete or
// known to be hidden from us: while it is still coming in, nothing is known.
func VolumesReadable(s *kube.Snapshot, p *kube.Pod) bool {
	return s.In(p.Namespace).Settled(kube.KindClaims) && s.All().Settled(kube.KindVolumes, kube.KindAttachments)
}

// HasVolumes reports whether the pod has volumes that may have to be detached.
func HasVolumes(p *kube.Pod) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v kube.Volume) bool {
		switch v.Kind {
		case kube.VolumeClaim, kube.VolumeEphemeral, kube.VolumeMounted, kube.VolumeInline, kube.VolumeDisk:
			return true
		}
		return false
	})
}

// VolumesOf accounts for the volumes of a pod that is on its node: claim, volume,
// CSI driver and handle, and what is waited for once it is gone. Where an object
// is missing the answer is Unknown, never Detached (gardener's getPodVolumeInfos
// leaves such volumes out in silence).
func VolumesOf(p *kube.Pod, s *kube.Snapshot) []Facts {
	var all []Facts
	for i := range p.Spec.Volumes {
		switch v := &p.Spec.Volumes[i]; v.Kind {
		case kube.VolumeClaim, kube.VolumeEphemeral:
			all = append(all, claimFacts(p, v, s))
		case kube.VolumeMounted:
			all = append(all, Facts{Name: v.Name, State: VolumeUnattached})
		case kube.VolumeInline, kube.VolumeDisk:
			all = append(all, Facts{Name: v.Name, State: VolumeUnknown, Why: WhyInline})
		}
	}
	return all
}

func claimFacts(p *kube.Pod, v *kube.Volume, s *kube.Snapshot) Facts {
	f := Facts{Name: v.Name, Claim: v.Claim, State: VolumeUnknown}
	if s.In(p.Namespace).Sync(kube.KindClaims).Phase == kube.Denied {
		f.Why = WhyNoClaims
		return f
	}
	claim := s.Storage().Claim(p.Namespace, v.Claim)
	switch {
	case claim == nil:
		f.Why = whyNoClaim
	case claim.Volume == "" || !claim.Bound:
		f.Why = whyUnbound
	case s.Sync(kube.KindVolumes).Phase == kube.Denied:
		f.Volume, f.Why = claim.Volume, WhyNoVolumes
	default:
		f.Volume = claim.Volume
		f.resolve(p, s)
	}
	return f
}

// resolve fills in what the PersistentVolume says.
func (v *Facts) resolve(p *kube.Pod, s *kube.Snapshot) {
	volume := s.Storage().Volume(v.Volume)
	if volume == nil {
		v.Why = whyNoVolume
		return
	}
	v.Driver, v.Handle = volume.Driver, volume.Handle
	driver := s.Storage().CSIDriver(volume.Driver)
	switch {
	case volume.InTree != "":
		v.Why = whyMigrated
	case volume.Local || volume.HostPath:
		v.Why = WhyNodeDisk
	case volume.Mounted:
		v.State = VolumeUnattached
	case volume.Driver == "":
		v.Why = WhyNoCSI
	case driver != nil && !driver.Attaches: // none is taken for one that does (csi_attacher.go CanAttach)
		v.State = VolumeUnattached
	case s.Sync(kube.KindAttachments).Phase == kube.Denied:
		v.Why = WhyUnreadable
	case usedByOthers(p, v.Claim, s):
		v.State = VolumeShared
	default:
		v.State = VolumeInUse
	}
}

// usedByOthers reports whether another pod on the same node has the claim too, and is not known to leave
// first: the volume stays attached until the last of them is gone.
func usedByOthers(p *kube.Pod, claim string, s *kube.Snapshot) bool {
	return slices.ContainsFunc(s.Storage().PodsUsing(p.Namespace, claim), func(other *kube.Pod) bool {
		return other.UID != p.UID && other.Node == p.Node && !other.Finished() && !leavesFirst(other, p)
	})
}

// leavesFirst reports whether a pod that is terminating leaves before another: that stays, or ends later.
func leavesFirst(p, other *kube.Pod) bool {
	return p.Terminating() && (!other.Terminating() ||
		cmp.Or(p.Deleted.Compare(other.Deleted), cmp.Compare(p.UID, other.UID)) < 0)
}

// attachedTo is the attachment of the volume to the node, by exact names; nil
// where it is gone or says that it is not attached.
func attachedTo(volume, node string, s *kube.Snapshot) *kube.VolumeAttachment {
	for _, a := range s.Storage().AttachmentsOf(volume) {
		if a.Node == node && a.Attached {
			return a
		}
	}
	return nil
}

// afterPod is the volume's next state once its pod has left the node.
func (v Facts) afterPod(node string, nodeGone bool, s *kube.Snapshot) Facts {
	if s.Sync(kube.KindAttachments).Phase == kube.Denied {
		v.State, v.Why = VolumeUnknown, WhyUnreadable // they could be read before
		return v
	}
	v.Why = ""
	if attachedTo(v.Volume, node, s) != nil {
		switch {
		case nodeGone: // there is nothing to wait for, and its detach was not reported
			v.State, v.Why = VolumeUnknown, WhyNodeGone
		case v.State != VolumeStillAttached:
			v.State = VolumeDetaching
		}
		return v
	}
	v.State, v.Node = VolumeDetached, ""
	for _, a := range s.Storage().AttachmentsOf(v.Volume) {
		if a.Node != node && a.Attached {
			v.State, v.Node = VolumeReattached, a.Node
		}
	}
	return v
}

func (v *Facts) Open() bool {
	switch v.State {
	case VolumeInUse, VolumeDetaching, VolumeStillAttached, VolumeDetached:
		return true
	}
	return v.State == VolumeUnknown && v.Why == WhyUnseen // they may be readable again
}
