package landing

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// constraint is a topology spread constraint that must be kept
// (podtopologyspread/filtering.go).
type constraint struct {
	selector   labels.Selector
	self       int32 // 1 where the group's pods count themselves
	maxSkew    int32
	minDomains int32
	tally
	eligible []bool // by node: its pods count, and its domain must be filled
	open     []bool // by domain: some node of it is eligible
	least    int32  // pods in the emptiest domain
}

// askSpread counts the pods of the namespace for the group's constraints.
func (c *Cluster) askSpread(g *group) {
	for i := range g.spec.Spread {
		if s := &g.spec.Spread[i]; s.WhenUnsatisfiable == corev1.DoNotSchedule {
			g.spread = append(g.spread, c.constraint(g, s))
		}
	}
	if len(g.spread) == 0 {
		return
	}
	c.openDomains(g)
	for _, b := range c.podsIn(g.namespace) {
		for i := range g.spread {
			k := &g.spread[i]
			if !k.selects(b.labels) {
				continue
			}
			for _, node := range b.nodes {
				k.count(node, 1)
			}
		}
	}
}

func (c *Cluster) constraint(g *group, s *corev1.TopologySpreadConstraint) constraint {
	k := constraint{
		selector: spreadSelector(g, s), maxSkew: s.MaxSkew, minDomains: 1, tally: c.tally(s.TopologyKey),
	}
	if s.MinDomains != nil {
		k.minDomains = *s.MinDomains
	}
	if k.selector.Matches(g.labels) {
		k.self = 1
	}
	k.eligible, k.open = make([]bool, len(c.nodes)), make([]bool, k.domain.n)
	honorAffinity := s.NodeAffinityPolicy == nil || *s.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor
	honorTaints := s.NodeTaintsPolicy != nil && *s.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
	matches := g.matchesNode()
	for i := range c.nodes {
		n := &c.nodes[i]
		k.eligible[i] = (!honorAffinity || matches(n.Node)) && (!honorTaints || g.tolerates[n.taints])
	}
	return k
}

// spreadSelector adds the values of matchLabelKeys; the API server of today has
// put them into the selector already, where they do no harm twice.
func spreadSelector(g *group, s *corev1.TopologySpreadConstraint) labels.Selector {
	by := selector(s.LabelSelector)
	same := labels.Set{}
	for _, key := range s.MatchLabelKeys {
		if value, ok := g.labels[key]; ok {
			same[key] = value
		}
	}
	own, selectable := by.Requirements()
	if len(same) == 0 || !selectable {
		return by
	}
	return labels.SelectorFromSet(same).Add(own...)
}

// openDomains leaves out the nodes that lack the label of any constraint, and
// finds the domains that are left.
func (c *Cluster) openDomains(g *group) {
	for node := range c.nodes {
		labelled := true
		for i := range g.spread {
			labelled = labelled && g.spread[i].domain.of[node] >= 0
		}
		for i := range g.spread {
			k := &g.spread[i]
			k.eligible[node] = k.eligible[node] && labelled
			if k.eligible[node] {
				k.open[k.domain.of[node]] = true
			}
		}
	}
}

// selects reports whether a pod of the namespace counts; by an empty selector none
// does (countPodsMatchSelector).
func (k *constraint) selects(set labels.Set) bool {
	return !k.selector.Empty() && k.selector.Matches(set)
}

func (k *constraint) count(node, n int32) {
	if k.eligible[node] {
		k.add(node, n)
	}
}

// settle finds the emptiest domain, before nodes are asked: minMatchNum.
func (k *constraint) settle() {
	domains := int32(0)
	k.least = math.MaxInt32
	for v, open := range k.open {
		if open {
			domains++
			k.least = min(k.least, k.counts[v])
		}
	}
	if domains < k.minDomains {
		k.least = 0
	}
}

func (k *constraint) on(node int32) reason {
	n, labelled := k.tally.on(node)
	switch {
	case !labelled:
		return spreadLabel
	case n+k.self-k.least > k.maxSkew:
		return spreadSkew
	}
	return none
}
