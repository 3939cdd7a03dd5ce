package landing

import (
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// filter asks all nodes, each plugin in turn, on behalf of a pod of the group
// that is no longer counted anywhere; self is its UID, by which ports and
// claims are known as its own.
func (c *Cluster) filter(g *group, self kube.UID) outcome {
	var o outcome
	if g.blocked != "" || g.unknown != "" {
		return o
	}
	exclusive := c.storage.exclusiveInUse(g, self)
	for i := range g.spread {
		g.spread[i].settle()
	}
	for i := range c.nodes {
		why := g.early[i]
		if why == none {
			why = c.ports.on(g, int32(i), self)
		}
		if why == none {
			short := c.nodes[i].fits(&g.spec.Requests, &o)
			switch {
			case short:
				continue
			case exclusive:
				why = claimInUse
			default:
				why = c.late(g, int32(i), self, &o)
			}
		}
		if why == none {
			o.feasible = append(o.feasible, int32(i))
			continue
		}
		o.counts[why]++
	}
	o.preempts = len(o.feasible) == 0 && !exclusive && c.preempts(g, self)
	return o
}

// late asks the plugins that come after the resources.
func (c *Cluster) late(g *group, i int32, self kube.UID, o *outcome) reason {
	if g.volumes.any() {
		if why := c.storage.on(g, i, self, o); why != none {
			return why
		}
	}
	for k := range g.spread {
		if why := g.spread[k].on(i); why != none {
			return why
		}
	}
	return g.peers.on(i)
}

// fits is noderesources/fit.go fitsRequest; it tells of all that is short.
func (n *node) fits(r *kube.Resources, o *outcome) (short bool) {
	refuse := func(why reason) {
		o.counts[why]++
		short = true
	}
	has := &n.Allocatable
	if n.used.Pods+1 > has.Pods {
		refuse(tooManyPods)
	}
	if r.CPUMilli > 0 && r.CPUMilli > has.CPUMilli-n.used.CPUMilli {
		refuse(noCPU)
	}
	if r.MemoryBytes > 0 && r.MemoryBytes > has.MemoryBytes-n.used.MemoryBytes {
		refuse(noMemory)
	}
	if r.EphemeralBytes > 0 && r.EphemeralBytes > has.EphemeralBytes-n.used.EphemeralBytes {
		refuse(noEphemeral)
	}
	if len(r.Extended) == 0 {
		return short // most pods; it runs for every node
	}
	for name, amount := range r.Extended {
		if amount > 0 && amount > has.Extended[name]-n.used.Extended[name] {
			o.short(name)
			short = true
		}
	}
	return short
}
