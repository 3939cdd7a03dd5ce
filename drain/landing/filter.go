package landing

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// filter asks all nodes, each plugin in turn, on behalf of a pod of the group
// that is not counted anywhere any more; self is its UID, by which ports and
// claims are known as its own.
func (c *Cluster) filter(g *group, self kube.UID) outcome {
	var o outcome
	if g.blocked != "" || g.unknown != "" {
		return o
	}
	exclusive := c.exclusiveInUse(g, self)
	for i := range g.spread {
		g.spread[i].settle()
	}
	for i := range c.nodes {
		why := g.early[i]
		if why == none {
			why = c.portsOn(g, int32(i), self)
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
	return o
}

// late asks the plugins that come after the resources.
func (c *Cluster) late(g *group, i int32, self kube.UID, o *outcome) reason {
	if g.volumes.any() {
		if why := c.volumesOn(g, i, self, o); why != none {
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

// portUse is a port of a node that a pod has.
type portUse struct {
	pod  kube.UID
	port kube.HostPort
}

// portsOn is nodeports/node_ports.go.
func (c *Cluster) portsOn(g *group, i int32, self kube.UID) reason {
	if len(g.spec.HostPorts) == 0 {
		return none
	}
	if c.ports == nil {
		c.ports = map[int32][]portUse{}
		for _, p := range c.s.PodsWithHostPorts() {
			if at := c.index(p.Node); at >= 0 && !p.Finished() {
				c.takePorts(p, at)
			}
		}
		for _, m := range c.moved {
			c.takePorts(m.pod, m.node)
		}
	}
	for _, use := range c.ports[i] {
		for _, wanted := range g.spec.HostPorts {
			if use.pod != self && clash(wanted, use.port) {
				return portTaken
			}
		}
	}
	return none
}

func (c *Cluster) takePorts(p *kube.Pod, at int32) {
	if c.ports == nil {
		return // not asked yet
	}
	for _, port := range p.Spec.HostPorts {
		c.ports[at] = append(c.ports[at], portUse{p.UID, port})
	}
}

// clash is HostPortInfo.CheckConflict of kube-scheduler/framework/types.go: no
// address is every address, and no protocol is TCP.
func clash(a, b kube.HostPort) bool {
	everywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	protocol := func(p corev1.Protocol) corev1.Protocol {
		if p == "" {
			return corev1.ProtocolTCP
		}
		return p
	}
	return a.Port == b.Port && protocol(a.Protocol) == protocol(b.Protocol) &&
		(everywhere(a.IP) || everywhere(b.IP) || a.IP == b.IP)
}
