package landing

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// candidates are the volumes that a claim which waits for its pod could get,
// sorted so that a node needs to look at its own only.
type candidates struct {
	claim   *kube.PersistentVolumeClaim
	class   *kube.StorageClass
	kept    *candidate // the one that is kept for this claim, nil if none is
	byLabel map[string]map[string][]*candidate
	rest    []*candidate
}

type candidate struct {
	*kube.PersistentVolume
	reachable func(node int32) bool
}

// candidates sorts out what FindMatchingVolume (component-helpers/storage/
// volume/pv_helpers.go) would look at, smallest first.
func (st *storage) candidates(claim *kube.PersistentVolumeClaim, class *kube.StorageClass) *candidates {
	found := &candidates{claim: claim, class: class, byLabel: map[string]map[string][]*candidate{}}
	volumes := slices.Clone(st.s.Storage().UnboundVolumes(claim.Class))
	slices.SortStableFunc(volumes, func(a, b *kube.PersistentVolume) int {
		return cmp.Compare(a.CapacityBytes, b.CapacityBytes)
	})
	for _, v := range volumes {
		kept := v.Claim != nil && v.Claim.Namespace == claim.Namespace && v.Claim.Name == claim.Name &&
			(v.Claim.UID == "" || v.Claim.UID == claim.UID)
		if v.Claim != nil && !kept || !suits(v, claim) {
			continue
		}
		one := &candidate{v, st.reachable(v)}
		if kept {
			found.kept = one
			return found
		}
		if v.Phase == corev1.VolumeAvailable && offers(v, claim) {
			found.add(one)
		}
	}
	return found
}

// suits tells of what a volume must have even where it is kept for the claim.
func suits(v *kube.PersistentVolume, claim *kube.PersistentVolumeClaim) bool {
	return v.CapacityBytes >= claim.RequestBytes && v.Block == claim.Block &&
		v.AttributesClass == claim.AttributesClass && v.Deleted.IsZero()
}

func offers(v *kube.PersistentVolume, claim *kube.PersistentVolumeClaim) bool {
	if claim.Selector != nil && !claim.Selector.Matches(v.Labels) {
		return false
	}
	for _, mode := range claim.AccessModes {
		if !slices.Contains(v.AccessModes, mode) {
			return false
		}
	}
	return true
}

// add puts a volume under the one label by which it names its nodes, as local
// volumes do, or with the rest.
func (c *candidates) add(v *candidate) {
	if v.Affinity != nil && len(v.Affinity.NodeSelectorTerms) == 1 {
		term := &v.Affinity.NodeSelectorTerms[0]
		if len(term.MatchFields) == 0 && len(term.MatchExpressions) == 1 {
			if by := &term.MatchExpressions[0]; by.Operator == corev1.NodeSelectorOpIn {
				if c.byLabel[by.Key] == nil {
					c.byLabel[by.Key] = map[string][]*candidate{}
				}
				for _, value := range by.Values {
					c.byLabel[by.Key][value] = append(c.byLabel[by.Key][value], v)
				}
				return
			}
		}
	}
	c.rest = append(c.rest, v)
}

// match is volumebinding/binder.go FindPodVolumes for the claims that are not
// bound: volumes that are there for some, others made for the rest. It returns
// the names of the volumes it would take.
func (st *storage) match(claims []*candidates, node int32) (taken []string, ok bool) {
	for _, wanted := range claims {
		if at := wanted.claim.SelectedNode; at != "" {
			if at != st.nodes[node].Name || !wanted.canBeMade(&st.nodes[node]) {
				return nil, false
			}
			continue
		}
		if v := wanted.on(st, node, taken); v != nil {
			taken = append(taken, v.Name)
			continue
		}
		if !wanted.canBeMade(&st.nodes[node]) {
			return nil, false
		}
	}
	return taken, true
}

// on is the smallest volume for the claim at a node, nil if there is none.
func (c *candidates) on(st *storage, node int32, taken []string) *candidate {
	free := func(v *candidate) bool {
		return !st.taken[v.Name] && !slices.Contains(taken, v.Name)
	}
	if c.kept != nil {
		if free(c.kept) && c.kept.reachable(node) {
			return c.kept
		}
		return nil
	}
	var best *candidate
	better := func(volumes []*candidate) {
		for _, v := range volumes {
			if free(v) && v.reachable(node) {
				if best == nil || v.CapacityBytes < best.CapacityBytes {
					best = v
				}
				return // they are sorted
			}
		}
	}
	for key, values := range c.byLabel {
		if value, ok := st.nodes[node].Labels[key]; ok {
			better(values[value])
		}
	}
	better(c.rest)
	return best
}

// canBeMade is volumebinding/binder.go checkVolumeProvisions.
func (c *candidates) canBeMade(n *node) bool {
	if c.class.Provisioner == "" || c.class.Provisioner == noProvisioner {
		return false
	}
	if len(c.class.Topologies) == 0 {
		return true
	}
	set := n.Labels
	for i := range c.class.Topologies {
		terms := c.class.Topologies[i].MatchLabelExpressions
		missed := slices.ContainsFunc(terms, func(t corev1.TopologySelectorLabelRequirement) bool {
			value, ok := set[t.Key]
			return !ok || !slices.Contains(t.Values, value)
		})
		if len(terms) > 0 && !missed {
			return true
		}
	}
	return false
}
