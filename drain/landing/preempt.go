package landing

import (
	"math"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// WhyPreempts is the Why of a pod that no node has room for, and that the scheduler may make
// room for by evicting others.
const WhyPreempts = "may preempt pods of lower priority"

// preempts reports whether a node could take a pod of the group without its pods of lower
// priority: the scheduler may evict those (defaultpreemption/default_preemption.go
// SelectVictimsOnNode). Of whom it evicts, and whether budgets hold it off, nothing is said; host
// ports that it would free are left out.
func (c *Cluster) preempts(g *group, self kube.UID) bool {
	if g.blocked != "" || g.spec.NeverPreempts {
		return false
	}
	for i, lowest := range c.lowestPriorities() {
		at := int32(i)
		if lowest >= g.spec.Priority || g.early[i] != none || c.ports.on(g, at, self) != none {
			continue
		}
		if c.fitsWithoutLower(g, at, self) {
			return true
		}
	}
	return false
}

func (c *Cluster) fitsWithoutLower(g *group, at int32, self kube.UID) bool {
	var o outcome
	alone := c.nodes[at]
	count := func(sign int32) {
		c.eachOn(at, func(p *kube.Pod) {
			if p.Spec.Priority < g.spec.Priority {
				alone.take(p.Spec.Requests, int64(sign))
				g.count(c, p, at, sign)
			}
		})
	}
	count(-1)
	defer count(1)
	return !alone.fits(&g.spec.Requests, &o) && c.late(g, at, self, &o) == none
}

// eachOn gives the pods that are on a node, and those that an estimate has placed there.
func (c *Cluster) eachOn(node int32, do func(*kube.Pod)) {
	for _, p := range c.s.PodsOn(c.nodes[node].Name) {
		if !p.Finished() && c.home(p) == node {
			do(p)
		}
	}
	for _, p := range c.nodes[node].placed {
		do(p)
	}
}

// lowestPriorities are the lowest of the pods of each node: in most clusters no pod has
// a lower one than that which looks for a place.
func (c *Cluster) lowestPriorities() []int32 {
	if c.lowest == nil {
		c.lowest = make([]int32, len(c.nodes))
		for i := range c.lowest {
			c.lowest[i] = math.MaxInt32
			c.eachOn(int32(i), func(p *kube.Pod) { c.lowest[i] = min(c.lowest[i], p.Spec.Priority) })
		}
	}
	return c.lowest
}
