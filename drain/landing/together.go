package landing

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Estimate is what a whole plan comes to: its nodes cordoned, its pods taken off them
// and placed one after the other, the largest first, each where most is free. The
// scheduler may place them otherwise, so it is an estimate.
type Estimate struct {
	Verdicts []Verdict // in the order of the pods that were asked for
	Targets  []string  // the node taken for each, "" for none
	Before   Headroom
	After    Headroom
}

// Together estimates how the pods of the plan would land, moved together. The nodes of the
// plan stay in the cluster: a spread constraint counts their domains.
func (c *Cluster) Together(pods []*kube.Pod) Estimate {
	rest := &Cluster{planned: c.planned}
	rest.load(c.s)
	rest.storage.taken, rest.storage.users = map[string]bool{}, map[string]kube.UID{}
	e := Estimate{Verdicts: make([]Verdict, len(pods)), Targets: make([]string, len(pods)), Before: c.headroom(nil)}
	for placed, i := range rest.largestFirst(pods) {
		e.Verdicts[i], e.Targets[i] = rest.place(pods[i], placed)
	}
	e.After = rest.headroom(c.planned)
	return e
}

// place takes one pod off its node, finds another for it and takes that.
func (c *Cluster) place(p *kube.Pod, earlier int) (Verdict, string) {
	c.leave(p)
	g := c.group(p)
	v, feasible := c.judge(g, p)
	if len(feasible) == 0 {
		return v, ""
	}
	if other := slices.DeleteFunc(slices.Clone(feasible), c.isPlanned); len(other) > 0 {
		feasible = other
	}
	best := slices.MaxFunc(feasible, func(a, b int32) int {
		return cmp.Compare(c.nodes[a].freeAfter(&p.Spec.Requests), c.nodes[b].freeAfter(&p.Spec.Requests))
	})
	c.settle(g, p, best)
	if v.Answer == Fits && earlier > 0 {
		v.Why += fmt.Sprintf(", %d others of this plan placed before it", earlier)
	}
	return v, c.nodes[best].Name
}

func (c *Cluster) isPlanned(node int32) bool { return c.planned[c.nodes[node].Name] }

// leave takes a pod off its node for good.
func (c *Cluster) leave(p *kube.Pod) {
	own := c.home(p)
	c.left[p.UID] = true
	if own < 0 || p.Finished() {
		return
	}
	c.nodes[own].take(p.Spec.Requests, -1)
	c.ports.leave(p, own)
	c.storage.leave(p, own)
	c.count(placement{p, own, -1})
}

// count counts a pod in or out for the groups that there are, and for later ones.
func (c *Cluster) count(m placement) {
	c.moved = append(c.moved, m)
	for _, same := range c.groups {
		for _, other := range same {
			for ; other != nil; other = other.broad {
				if other.unknown == "" {
					other.count(c, m.pod, m.node, m.sign)
				}
			}
		}
	}
}

// settle counts a pod as running on a node from now on.
func (c *Cluster) settle(g *group, p *kube.Pod, node int32) {
	moved := *p
	moved.Node, moved.Deleted = c.nodes[node].Name, time.Time{} // the new pod is not terminating
	c.nodes[node].take(p.Spec.Requests, 1)
	c.nodes[node].placed = append(c.nodes[node].placed, &moved)
	if c.lowest != nil {
		c.lowest[node] = min(c.lowest[node], p.Spec.Priority)
	}
	c.ports.take(p, node)
	c.count(placement{&moved, node, 1})
	volumes, _ := c.storage.match(g.volumes.unbound, node)
	for _, name := range volumes {
		c.storage.taken[name] = true
	}
	for _, claim := range g.volumes.exclusive {
		c.storage.users[g.namespace+"/"+claim] = p.UID
	}
	if c.storage.attached != nil {
		c.storage.attach(p, node)
	}
}

// freeAfter is the mean free share of CPU and memory, by which the scheduler
// prefers the emptier node (noderesources/least_allocated.go).
func (n *node) freeAfter(r *kube.Resources) float64 {
	share := func(has, used int64) float64 {
		if has <= 0 {
			return 0
		}
		return float64(has-used) / float64(has)
	}
	return share(n.Allocatable.CPUMilli, n.used.CPUMilli+r.CPUMilli) +
		share(n.Allocatable.MemoryBytes, n.used.MemoryBytes+r.MemoryBytes)
}

// largestFirst is the order in which pods are placed: by the larger of their
// shares of the cluster's CPU and memory, because large pods have least choice.
func (c *Cluster) largestFirst(pods []*kube.Pod) []int {
	var cpu, memory float64 = 1, 1
	for i := range c.nodes {
		cpu += float64(c.nodes[i].Allocatable.CPUMilli)
		memory += float64(c.nodes[i].Allocatable.MemoryBytes)
	}
	size := func(p *kube.Pod) float64 {
		if p.Spec == nil {
			return 0
		}
		return max(float64(p.Spec.Requests.CPUMilli)/cpu, float64(p.Spec.Requests.MemoryBytes)/memory)
	}
	order := make([]int, len(pods))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(pods[b]), size(pods[a])) })
	return order
}

// Amount is how much of something there is, and how much of it is asked for.
type Amount struct{ Has, Requested int64 }

// Room is the room in a zone, or in all of the cluster.
type Room struct {
	Zone   string // "" for nodes without a zone, and for the total
	Nodes  int
	CPU    Amount // millicores
	Memory Amount // bytes
}

// Headroom is the room on the nodes that take pods.
type Headroom struct {
	Total Room
	Zones []Room // by name
}

// headroom adds up the nodes that pods can be scheduled to, by zone, without those that
// are drained.
func (c *Cluster) headroom(drained map[string]bool) Headroom {
	var h Headroom
	zones := make([]Room, len(c.zones))
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.Unschedulable || n.Ready == kube.NodeNotReady || n.Ready == kube.NodeUnknown || drained[n.Name] {
			continue
		}
		zones[n.zone].add(n)
		h.Total.add(n)
	}
	for i, r := range zones {
		if r.Zone = c.zones[i]; r.Nodes > 0 {
			h.Zones = append(h.Zones, r)
		}
	}
	slices.SortFunc(h.Zones, func(a, b Room) int { return cmp.Compare(a.Zone, b.Zone) })
	return h
}

func (r *Room) add(n *node) {
	r.Nodes++
	r.CPU.Has += n.Allocatable.CPUMilli
	r.CPU.Requested += n.used.CPUMilli
	r.Memory.Has += n.Allocatable.MemoryBytes
	r.Memory.Requested += n.used.MemoryBytes
}
