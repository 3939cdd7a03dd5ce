package landing

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// attachment is a volume that a CSI driver attaches, under a name that is its
// own in the cluster.
type attachment struct{ driver, volume string }

// attached is an attachment that a node has for a pod; no pod where only a
// VolumeAttachment tells of it.
type attached struct {
	attachment
	pod kube.UID
}

// storage is what the pods of the cluster have of volumes, and what was given
// away to pods that an estimate has placed; the filters about volumes ask it.
type storage struct {
	*view
	attached map[int32][]attached // by node, nil until asked for
	taken    map[string]bool      // volumes
	users    map[string]kube.UID  // of exclusive claims, by namespace/name
}

// migrated are the CSI drivers of in-tree volumes (csi-translation-lib).
var migrated = map[string]string{
	"aws-ebs": "ebs.csi.aws.com", "gce-pd": "pd.csi.storage.gke.io", "azure-disk": "disk.csi.azure.com",
	"azure-file": "file.csi.azure.com", "cinder": "cinder.csi.openstack.org", "vsphere": "csi.vsphere.vmware.com",
	"portworx": "pxd.portworx.com",
}

func attachmentOf(v *kube.PersistentVolume) attachment {
	if v.Driver != "" {
		return attachment{v.Driver, v.Driver + "/" + v.Handle}
	}
	return attachment{migrated[v.InTree], v.Name}
}

// wishOf stands for the volume that will be made for a claim.
func wishOf(claim *kube.PersistentVolumeClaim) string {
	return "claim " + claim.Namespace + "/" + claim.Name
}

// overLimit is nodevolumelimits/csi.go Filter. What a VolumeAttachment alone
// tells of counts beside the pod's volumes, even if it is one of them.
func (st *storage) overLimit(wanted []attachment, node int32, self kube.UID) bool {
	drivers := st.s.Storage().CSINode(st.nodes[node].Name)
	if drivers == nil {
		return false
	}
	for _, d := range drivers.Drivers {
		if d.Limit == nil {
			continue
		}
		added := map[string]bool{}
		for _, w := range wanted {
			if w.driver == d.Name {
				added[w.volume] = true
			}
		}
		if len(added) > 0 && st.attachedBy(d.Name, node, self, added)+len(added) > int(*d.Limit) {
			return true
		}
	}
	return false
}

// attachedBy counts the volumes of a driver on a node, and strikes those off the
// list of new ones that other pods there have already.
func (st *storage) attachedBy(driver string, node int32, self kube.UID, added map[string]bool) int {
	seen := map[string]bool{}
	for _, a := range st.attachments()[node] {
		if a.driver != driver || a.pod == self && self != "" {
			continue
		}
		seen[a.volume] = true
		if a.pod != "" {
			delete(added, a.volume)
		}
	}
	return len(seen)
}

// attachments lists what is attached where, once.
func (st *storage) attachments() map[int32][]attached {
	if st.attached != nil {
		return st.attached
	}
	st.attached = map[int32][]attached{}
	var last kube.UID
	for _, p := range st.s.Storage().PodsWithClaims() { // a pod comes once for each claim
		at := st.home(p)
		if at < 0 || p.Finished() || p.UID == last {
			continue
		}
		last = p.UID
		st.attach(p, at)
	}
	for _, a := range st.s.Storage().Attachments() {
		at, volume := st.index(a.Node), st.s.Storage().Volume(a.Volume)
		if at < 0 || a.Driver == "" || volume == nil || volume.Driver == "" {
			continue
		}
		one := attachment{a.Driver, a.Driver + "/" + volume.Handle}
		st.attached[at] = append(st.attached[at], attached{one, ""})
	}
	for _, m := range st.moved {
		if m.sign > 0 {
			st.attach(m.pod, m.node)
		}
	}
	return st.attached
}

// leave takes the volumes of a pod off its node.
func (st *storage) leave(p *kube.Pod, node int32) {
	if there := st.attached[node]; len(there) > 0 {
		st.attached[node] = slices.DeleteFunc(there, func(a attached) bool { return a.pod == p.UID })
	}
}

// attach counts the volumes of a pod on a node; counting one twice does no harm.
func (st *storage) attach(p *kube.Pod, node int32) {
	for _, v := range p.Spec.Volumes {
		claim := st.s.Storage().Claim(p.Namespace, v.Claim)
		if v.Claim == "" || claim == nil {
			continue
		}
		var one attachment
		if volume := st.s.Storage().Volume(claim.Volume); volume != nil {
			one = attachmentOf(volume)
		} else if class := st.s.Storage().StorageClass(claim.Class); class != nil {
			one = attachment{class.Provisioner, wishOf(claim)}
		}
		if one.driver != "" {
			st.attached[node] = append(st.attached[node], attached{one, p.UID})
		}
	}
}
