package landing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// volumes are what the claims of a group's pods ask of nodes.
type volumes struct {
	reach     []reason // by node: bound volumes that it cannot reach (volumebinding)
	zone      []reason // by node: bound volumes of another zone (volumezone)
	unbound   []*candidates
	exclusive []string // claims of which there may be one user
	attach    []attachment
}

func (v *volumes) any() bool {
	return v.reach != nil || v.zone != nil || len(v.unbound)+len(v.attach) > 0
}

// noProvisioner is the provisioner of classes whose volumes people make
// (component-helpers/storage/volume).
const noProvisioner = "kubernetes.io/no-provisioner"

// ask reads the claims of a pod: volumebinding/volume_binding.go
// PreFilter and volumebinding/binder.go GetPodVolumeClaims.
func (st *storage) ask(g *group, p *kube.Pod) {
	for _, v := range p.Spec.Volumes {
		if v.Kind == kube.VolumeDisk {
			g.cannotTell("uses a disk of an in-tree driver: not modelled")
		}
	}
	if !slices.ContainsFunc(p.Spec.Volumes, func(v kube.Volume) bool { return v.Claim != "" }) {
		return
	}
	if hidden := unseen(st.s, kube.KindClaims, kube.KindVolumes, kube.KindStorageClasses); hidden != "" {
		g.cannotTell("uses volumes: " + hidden)
		return
	}
	var claims []*kube.PersistentVolumeClaim
	for _, v := range p.Spec.Volumes {
		if v.Claim == "" {
			continue
		}
		claim := st.claim(g, p, v)
		if claim == nil {
			return
		}
		claims = append(claims, claim)
		if v.Kind == kube.VolumeClaim && claim.Exclusive() {
			g.volumes.exclusive = append(g.volumes.exclusive, claim.Name)
		}
	}
	for _, claim := range claims {
		if !st.bind(g, claim) {
			return
		}
	}
	// The scheduler tries small claims first.
	slices.SortStableFunc(g.volumes.unbound, func(a, b *candidates) int {
		return cmp.Compare(a.claim.RequestBytes, b.claim.RequestBytes)
	})
	if hidden := unseen(st.s, kube.KindCSINodes, kube.KindAttachments); hidden != "" && len(g.volumes.attach) > 0 {
		g.cannotTell("limits of attached volumes: " + hidden)
	}
}

func (g *group) cannotTell(why string) {
	if g.unmodelled == "" {
		g.unmodelled = why
	}
}

func (g *group) block(format string, args ...any) {
	if g.blocked == "" {
		g.blocked = fmt.Sprintf(format, args...)
	}
}

// claim finds the claim behind a volume; nil where the pod cannot be scheduled
// for the lack of it, or where that is not known. A claim made from a running
// pod's template goes with the pod, and the next pod gets a fresh one.
func (st *storage) claim(g *group, p *kube.Pod, v kube.Volume) *kube.PersistentVolumeClaim {
	claim := st.s.Storage().Claim(p.Namespace, v.Claim)
	ephemeral := v.Kind == kube.VolumeEphemeral
	switch {
	case claim == nil && ephemeral && p.Node != "":
		g.cannotTell(fmt.Sprintf("the claim of its volume %s does not exist, so its requirements are not known",
			v.Name))
		return nil
	case claim == nil && ephemeral:
		g.block("waiting for ephemeral volume controller to create the persistentvolumeclaim %q", v.Claim)
		return nil
	case claim == nil:
		g.block("persistentvolumeclaim %q not found", v.Claim)
		return nil
	case ephemeral && p.Node != "":
		fresh := *claim
		fresh.UID, fresh.Volume, fresh.Bound, fresh.Phase, fresh.SelectedNode = "", "", false, "", ""
		if class := st.s.Storage().StorageClass(claim.Class); class == nil || !class.WaitForPod {
			g.cannotTell(fmt.Sprintf("its volume %s is recreated before a node is chosen", v.Name))
			return nil
		}
		return &fresh
	case claim.Phase == corev1.ClaimLost:
		g.block("persistentvolumeclaim %q bound to non-existent persistentvolume %q", claim.Name, claim.Volume)
		return nil
	case !claim.Deleted.IsZero():
		g.block("persistentvolumeclaim %q is being deleted", claim.Name)
		return nil
	}
	return claim
}

// bind looks at one claim, and is false where there is no use in looking on.
func (st *storage) bind(g *group, claim *kube.PersistentVolumeClaim) bool {
	if !claim.Bound {
		return st.unbound(g, claim)
	}
	volume := st.s.Storage().Volume(claim.Volume)
	if volume == nil {
		g.block("persistentvolume %q not found", claim.Volume)
		return false
	}
	if volume.InTree != "" {
		// Its affinity and name are translated for the CSI driver.
		g.cannotTell(fmt.Sprintf("volume %s is of the in-tree kind %s: not modelled", volume.Name, volume.InTree))
		return true
	}
	if volume.Driver != "" {
		g.volumes.attach = append(g.volumes.attach, attachmentOf(volume))
	}
	st.reach(g, volume)
	st.zones(g, volume)
	return true
}

// unbound looks at a claim that has no volume yet. One that should have been
// bound at once, or that wants a volume by name, keeps the pod waiting.
func (st *storage) unbound(g *group, claim *kube.PersistentVolumeClaim) bool {
	class := st.s.Storage().StorageClass(claim.Class)
	waits := claim.SelectedNode != "" || class != nil && class.WaitForPod
	if !waits || claim.Volume != "" {
		g.block("pod has unbound immediate PersistentVolumeClaims")
		return false
	}
	if class == nil {
		g.cannotTell(fmt.Sprintf("the storage class %s of claim %s is gone", claim.Class, claim.Name))
		return false
	}
	wanted := st.candidates(claim, class)
	g.volumes.unbound = append(g.volumes.unbound, wanted)
	switch {
	case class.Provisioner == noProvisioner || class.Provisioner == "":
		return true
	case strings.HasPrefix(class.Provisioner, "kubernetes.io/"):
		g.cannotTell(fmt.Sprintf("claim %s is provisioned by the in-tree %s: not modelled", claim.Name,
			class.Provisioner))
		return true
	}
	g.volumes.attach = append(g.volumes.attach, attachment{class.Provisioner, wishOf(claim)})
	driver := st.s.Storage().CSIDriver(class.Provisioner)
	if hidden := unseen(st.s, kube.KindCSIDrivers); hidden != "" {
		g.cannotTell("its volume has to be provisioned: " + hidden)
	} else if driver != nil && driver.TracksCapacity {
		g.cannotTell(fmt.Sprintf("%s tracks its free storage: not modelled", driver.Name))
	}
	return true
}

// reach is volumebinding/binder.go checkBoundClaims.
func (st *storage) reach(g *group, volume *kube.PersistentVolume) {
	if volume.Affinity == nil {
		return
	}
	if g.volumes.reach == nil {
		g.volumes.reach = make([]reason, len(st.nodes))
	}
	reachable := st.reachable(volume)
	for i := range st.nodes {
		if !reachable(int32(i)) {
			g.volumes.reach[i] = volumeElsewhere
		}
	}
}

func (st *storage) reachable(volume *kube.PersistentVolume) func(node int32) bool {
	reaches := Reaches(volume)
	return func(node int32) bool { return reaches(st.nodes[node].Node) }
}

// Reaches returns what tells whether a node can reach a volume
// (component-helpers/storage/volume CheckNodeAffinity). It is asked by one at a time.
func Reaches(volume *kube.PersistentVolume) func(*kube.Node) bool {
	if volume.Affinity == nil {
		return func(*kube.Node) bool { return true }
	}
	by := nodeaffinity.NewLazyErrorNodeSelector(volume.Affinity)
	var seen corev1.Node
	return func(n *kube.Node) bool {
		seen.Labels = n.Labels
		matches, err := by.Match(&seen)
		return matches && err == nil
	}
}

// topologyLabels maps the labels by which volumes name zones and regions to
// those of today's nodes (volumezone/volume_zone.go).
var topologyLabels = map[string]string{
	corev1.LabelFailureDomainBetaZone:   corev1.LabelTopologyZone,
	corev1.LabelFailureDomainBetaRegion: corev1.LabelTopologyRegion,
	corev1.LabelTopologyZone:            corev1.LabelTopologyZone,
	corev1.LabelTopologyRegion:          corev1.LabelTopologyRegion,
}

// zones is volumezone/volume_zone.go Filter, which leaves nodes alone that
// have no label of these.
func (st *storage) zones(g *group, volume *kube.PersistentVolume) {
	for key, today := range topologyLabels {
		value, ok := volume.Labels[key]
		if !ok {
			continue
		}
		if g.volumes.zone == nil {
			g.volumes.zone = make([]reason, len(st.nodes))
		}
		values := strings.Split(value, "__")
		for i := range st.nodes {
			set := st.nodes[i].Labels
			own, has := set[key]
			if !has {
				own, has = set[today]
			}
			if placed(set) && (!has || !slices.Contains(values, own)) {
				g.volumes.zone[i] = otherZone
			}
		}
	}
}

func placed(set map[string]string) bool {
	for key := range topologyLabels {
		if _, ok := set[key]; ok {
			return true
		}
	}
	return false
}

// exclusiveInUse reports whether another pod has a claim that only one may have
// (volumerestrictions/volume_restrictions.go).
func (st *storage) exclusiveInUse(g *group, self kube.UID) bool {
	for _, claim := range g.volumes.exclusive {
		for _, p := range st.s.Storage().PodsUsing(g.namespace, claim) {
			if p.UID != self && st.home(p) >= 0 && !p.Finished() {
				return true
			}
		}
		if user, ok := st.users[g.namespace+"/"+claim]; ok && user != self {
			return true
		}
	}
	return false
}

// on asks a node about the volumes, in the scheduler's order: limits,
// binding, zone. Binding may have two words on a node; both are counted.
func (st *storage) on(g *group, node int32, self kube.UID, o *outcome) reason {
	v := &g.volumes
	if len(v.attach) > 0 && st.overLimit(v.attach, node, self) {
		return tooManyVolumes
	}
	bindable := len(v.unbound) == 0
	if !bindable {
		_, bindable = st.match(v.unbound, node)
	}
	switch {
	case v.reach != nil && v.reach[node] != none:
		if !bindable {
			o.counts[noVolume]++
		}
		return v.reach[node]
	case !bindable:
		return noVolume
	}
	if v.zone != nil {
		return v.zone[node]
	}
	return none
}
