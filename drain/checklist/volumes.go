package checklist

import (
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/volume"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// volumes are those that are attached, and those of moved pods.
func (j *judge) volumes() {
	j.attachments()
	j.moved()
}

// attachments names the volumes that the machine has. One that is wanted there and
// does not say that it is attached may be on its way.
func (j *judge) attachments() {
	switch {
	case j.s.Sync(kube.KindAttachments).Phase == kube.Denied:
		j.unknown("VolumeAttachment", volume.WhyUnreadable)
		return
	case !j.s.Trusted(kube.KindAttachments):
		j.unknown("VolumeAttachment", volume.WhyUnseen)
		return
	}
	used := volume.VolumesUsedOn(j.Node, j.s)
	for _, a := range j.s.Storage().AttachmentsOn(j.Node) {
		f := volume.AttachmentFacts(a, j.s)
		title := "volume " + f.Title()
		if f.Claim != "" {
			title += " (" + f.Claim + ")"
		}
		switch object := "VolumeAttachment/" + a.Name; {
		case !a.Attached && a.Deleted.IsZero():
			j.unknown(object, title+" is wanted there, and may be attached by now")
		case !a.Attached:
		case a.Volume != "" && used[a.Volume]:
			j.against(object, title+" is attached for a pod that stays")
		default:
			j.against(object, title+" is still attached")
		}
	}
}

// moved names the volumes of moved pods of which no attachment tells. Where the
// attachments could not be read, that is said once; a disk or folder of the node is
// not attached at all.
func (j *judge) moved() {
	for _, p := range j.Moved {
		for i := range p.Volumes {
			v := &p.Volumes[i]
			if v.State != volume.VolumeUnknown {
				continue
			}
			switch v.Why {
			case volume.WhyNodeDisk, volume.WhyUnreadable, volume.WhyUnseen:
			default:
				pod := p.Namespace + "/" + p.Name
				j.unknown("Pod/"+pod, "it is not known when volume "+v.Title()+" of pod "+pod+" is detached ("+v.Why+
					")")
			}
		}
	}
}

// claims names those whose data only this node has, of pods that were moved away
// and of pods that wait for a node: they cannot start while its machine is off.
func (j *judge) claims() {
	if !j.s.On("").InWhole(kube.KindPods) {
		j.unknown("pods", onlyHere+" is not known: not all pods are read yet")
	}
	seen := map[string]bool{}
	for _, p := range j.s.PodsOn("") {
		if p.Finished() || p.Terminating() {
			continue
		}
		for i := range p.Spec.Volumes {
			j.claim(seen, p.Namespace, p.Spec.Volumes[i].Claim, p.Namespace+"/"+p.Name)
		}
	}
	for _, p := range j.Moved {
		for i := range p.Volumes {
			if v := &p.Volumes[i]; v.State != volume.VolumeReattached {
				j.claim(seen, p.Namespace, v.Claim, "")
			}
		}
	}
}

const onlyHere = "whether a claim is bound to this node only"

// claim judges one claim, once; waits is the pod that waits for it, "" for none.
func (j *judge) claim(seen map[string]bool, namespace, name, waits string) {
	if name == "" || j.unread(j.s.In(namespace), kube.KindClaims, onlyHere) ||
		j.unread(j.s, kube.KindVolumes, onlyHere) {
		return
	}
	object := "PersistentVolumeClaim/" + namespace + "/" + name
	claim := j.s.Storage().Claim(namespace, name)
	if seen[object] || claim == nil || !claim.Bound {
		return
	}
	volume := j.s.Storage().Volume(claim.Volume)
	if volume == nil || !j.onlyHere(volume) {
		return
	}
	seen[object] = true
	words := "volume " + volume.Name + " of claim " + namespace + "/" + name
	switch {
	case !j.s.All().InWhole(kube.KindNodes):
		j.unknown(object, "it is not known yet whether another node reaches "+words)
	case waits != "":
		j.against(object, "no other node that takes pods reaches "+words+", and pod "+waits+" waits for it")
	default:
		j.against(object, "no other node that takes pods reaches "+words)
	}
}

// onlyHere reports whether this node reaches the volume and no other that is known and
// takes pods does. Of in-tree kinds the affinity is translated by the scheduler, so it is not
// known here.
func (j *judge) onlyHere(volume *kube.PersistentVolume) bool {
	if volume.Affinity == nil || volume.InTree != "" {
		return false
	}
	reaches := landing.Reaches(volume)
	here := false
	for _, n := range j.s.Nodes() {
		switch {
		case n.Name == j.Node:
			here = reaches(n)
		case takesPods(n) && !j.leaves(n.Name) && reaches(n):
			return false
		}
	}
	return here
}
