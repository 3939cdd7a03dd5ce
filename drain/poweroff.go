package drain

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// PowerOff is whether the machine of a node can be powered off and nothing ends or
// is lost with it. It follows from the cluster, not from what a run meant to do.
type PowerOff struct {
	Safe bool `json:"safe"`
	// Why is what speaks against it, and what is not known; empty where it is safe.
	Why []PowerOffReason `json:"why,omitempty"`
}

// PowerOffReason is one object because of which a node is not safe to power off.
type PowerOffReason struct {
	Object  string `json:"object"` // Kind/namespace/name
	Message string `json:"message"`
	Unknown bool   `json:"unknown,omitempty"` // nobody can tell: neither safe nor not
}

// Sentence says that the node is not safe to power off, or that this is not known,
// with the first reasons; "" where it is safe.
func (p *PowerOff) Sentence() string {
	if p.Safe {
		return ""
	}
	text, known := "whether it is safe to power off is not known: ", false
	for _, r := range p.Why {
		known = known || !r.Unknown
	}
	if known {
		text = "not safe to power off: "
	}
	var said []string
	for _, r := range p.Why {
		if r.Unknown != known {
			said = append(said, r.Message)
		}
	}
	if more := len(said) - words.NamesShown; more > 0 {
		said = append(said[:words.NamesShown:words.NamesShown], words.Number(int32(more))+" more")
	}
	return text + strings.Join(said, "; ")
}

// powerOff judges one node by the snapshot, and by what the run knows of the pods
// that it moved away and left there. Only pods of DaemonSets and mirror pods may be
// on it. Pods that have finished may too: the kubelet reports the end of a pod once
// all its containers have stopped, so nothing of them is running.
func powerOff(s *kube.Snapshot, n *NodeRun, pods []*PodRun) PowerOff {
	c := powerOffCheck{s: s, node: n.Name}
	c.machine(n.UID)
	c.pods(pods)
	c.attachments()
	c.moved(pods)
	c.claims(pods)
	return PowerOff{Safe: len(c.why) == 0, Why: c.why}
}

type powerOffCheck struct {
	s    *kube.Snapshot
	node string
	why  []PowerOffReason
}

func (c *powerOffCheck) against(object, message string) {
	c.why = append(c.why, PowerOffReason{Object: object, Message: message})
}

func (c *powerOffCheck) unknown(object, message string) {
	c.why = append(c.why, PowerOffReason{Object: object, Message: message, Unknown: true})
}

// machine looks whether the API knows what the machine runs.
func (c *powerOffCheck) machine(uid kube.UID) {
	node := c.s.Node(c.node)
	switch {
	case !c.s.TrustedOn(c.node):
		c.unknown("Node/"+c.node, "the view of the node and its pods is not true at this moment")
	case node == nil || node.UID != uid:
		c.unknown("Node/"+c.node, "the Node object is gone, so it is not known what its machine runs")
	case node.Ready == kube.NodeUnknown:
		c.unknown("Node/"+c.node, "its kubelet is silent, so it is not known whether the pods that are gone have ended there")
	case !node.Unschedulable:
		c.against("Node/"+c.node, "the node is not cordoned: pods may come to it at any time")
	}
}

// pods names those that are on the node and not on every node.
func (c *powerOffCheck) pods(known []*PodRun) {
	for _, p := range c.s.PodsOn(c.node) {
		if p.Mirror() || ofDaemonSet(p, c.s) || p.Finished() && !p.Terminating() {
			continue
		}
		why := "it is not one of the pods of the run"
		if i := slices.IndexFunc(known, func(k *PodRun) bool { return k.UID == p.UID }); i >= 0 {
			why = known[i].leftWhy()
		}
		if why == "" {
			why = "it is still there"
		}
		name := p.Namespace + "/" + p.Name
		c.against("Pod/"+name, "pod "+name+" is left on it ("+why+")")
	}
}

// leftWhy says why the run left a pod on its node, "" where it did not.
func (p *PodRun) leftWhy() string {
	if p.Message != "" || len(p.Reasons) == 0 {
		return p.Message
	}
	return p.Reasons[0].Message
}

// ofDaemonSet tells whether the pod belongs to a DaemonSet that is not known to be
// gone.
func ofDaemonSet(p *kube.Pod, s *kube.Snapshot) bool {
	return namesDaemonSet(p) &&
		(!s.Trusted(kube.KindDaemonSets) || s.WorkloadNamed("DaemonSet", p.Namespace, p.Owner.Name) != nil)
}

// namesDaemonSet tells whether the pod says that a DaemonSet controls it; kubectl knows
// those of apps/v1 only.
func namesDaemonSet(p *kube.Pod) bool {
	return p.Owner != nil && p.Owner.Kind == "DaemonSet" && p.Owner.APIVersion == "apps/v1"
}

// attachments names the volumes that the machine has. One that is wanted there and
// does not say that it is attached may be on its way.
func (c *powerOffCheck) attachments() {
	switch {
	case c.s.Sync(kube.KindAttachments).Phase == kube.Denied:
		c.unknown("VolumeAttachment", volume.WhyUnreadable)
		return
	case !c.s.Trusted(kube.KindAttachments):
		c.unknown("VolumeAttachment", volume.WhyUnseen)
		return
	}
	used := volume.VolumesUsedOn(c.node, c.s)
	for _, a := range c.s.AttachmentsOn(c.node) {
		f := volume.AttachmentFacts(a, c.s)
		title := "volume " + f.Title()
		if f.Claim != "" {
			title += " (" + f.Claim + ")"
		}
		switch object := "VolumeAttachment/" + a.Name; {
		case !a.Attached && a.Deleted.IsZero():
			c.unknown(object, title+" is wanted there, and may be attached by now")
		case !a.Attached:
		case a.Volume != "" && used[a.Volume]:
			c.against(object, title+" is attached for a pod that stays")
		default:
			c.against(object, title+" is still attached")
		}
	}
}

// moved names the volumes of moved pods of which no attachment tells. Where the
// attachments could not be read, that is said once; a disk or folder of the node is
// not attached at all.
func (c *powerOffCheck) moved(pods []*PodRun) {
	for _, p := range pods {
		for i := range p.Volumes {
			v := &p.Volumes[i]
			if !p.State.Left() || v.State != volume.VolumeUnknown {
				continue
			}
			switch v.Why {
			case volume.WhyNodeDisk, volume.WhyUnreadable, volume.WhyUnseen:
			default:
				pod := p.Namespace + "/" + p.Name
				c.unknown("Pod/"+pod, "it is not known when volume "+v.Title()+" of pod "+pod+" is detached ("+v.Why+")")
			}
		}
	}
}

// claims names those whose data only this node has, of pods that were moved away
// and of pods that wait for a node: they cannot start while its machine is off.
func (c *powerOffCheck) claims(pods []*PodRun) {
	seen := map[string]bool{}
	look := func(namespace, name, waits string) {
		object := "PersistentVolumeClaim/" + namespace + "/" + name
		claim := c.s.Claim(namespace, name)
		if seen[object] || claim == nil || !claim.Bound {
			return
		}
		volume := c.s.Volume(claim.Volume)
		if volume == nil || !c.onlyHere(volume) {
			return
		}
		seen[object] = true
		words := "volume " + volume.Name + " of claim " + namespace + "/" + name
		switch {
		case !kube.InWhole(c.s, kube.KindNodes):
			c.unknown(object, "it is not known yet whether another node reaches "+words)
		case waits != "":
			c.against(object, "no other node that takes pods reaches "+words+", and pod "+waits+" waits for it")
		default:
			c.against(object, "no other node that takes pods reaches "+words)
		}
	}
	for _, p := range c.s.PodsWithClaims() {
		if p.Node != "" || p.Finished() || p.Terminating() {
			continue
		}
		for i := range p.Spec.Volumes {
			look(p.Namespace, p.Spec.Volumes[i].Claim, p.Namespace+"/"+p.Name)
		}
	}
	for _, p := range pods {
		for i := range p.Volumes {
			if v := &p.Volumes[i]; p.State.Left() && v.State != volume.VolumeReattached {
				look(p.Namespace, v.Claim, "")
			}
		}
	}
}

// onlyHere tells whether this node reaches the volume and no other that is known and
// takes pods does. Of in-tree kinds the affinity is translated by the scheduler, so it is not
// known here.
func (c *powerOffCheck) onlyHere(volume *kube.PersistentVolume) bool {
	if volume.Affinity == nil || volume.InTree != "" {
		return false
	}
	reaches := landing.Reaches(volume)
	here := false
	for _, n := range c.s.Nodes() {
		switch {
		case n.Name == c.node:
			here = reaches(n)
		case !n.Unschedulable && reaches(n):
			return false
		}
	}
	return here
}
