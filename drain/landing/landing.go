package landing

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Answer is whether a pod could be scheduled.
type Answer string

// The answers of the contract.
const (
	Fits       Answer = "Fits"
	DoesNotFit Answer = "DoesNotFit"
	Unknown    Answer = "Unknown"
)

// Verdict is the answer for one pod.
type Verdict struct {
	Answer Answer
	// Why is for the operator: the scheduler's own words where the pod does not
	// fit, and what is not modelled or not seen where the answer is Unknown.
	Why   string
	Nodes int // how many could take it; of an Unknown, at most
}

// Cluster answers for the pods of one snapshot. It keeps what it has worked out
// for the next pod of the same template, so it serves one caller at a time.
type Cluster struct {
	*view
	blind   string // why nothing can be said at all
	planned map[string]bool

	taints  taintSets
	groups  map[groupKey][]*group
	pods    map[string][]bucket // by namespace
	memo    map[memoKey]Verdict
	ports   ports
	storage storage
	lowest  []int32 // priority by node, nil until asked for
}

// view is what all filters see of a cluster: its nodes, and the pods that an estimate has
// placed so far.
type view struct {
	s       *kube.Snapshot
	nodes   []node
	at      map[string]int32 // nodes by name
	zones   []string
	domains map[string]*domain
	left    map[kube.UID]bool // pods that an estimate has taken off their nodes
	moved   []placement
}

// placement is a pod that an estimate has taken off its node (-1) or placed on one (1).
type placement struct {
	pod  *kube.Pod
	node int32
	sign int32
}

// memoKey names what pods of one group share an answer by: a pod's own node
// counts only where its leaving changes anything.
type memoKey struct {
	g    *group
	node int32
}

// New is the cluster with the nodes of a plan cordoned.
func New(s *kube.Snapshot, planned []string) *Cluster {
	c := &Cluster{planned: make(map[string]bool, len(planned))}
	for _, name := range planned {
		c.planned[name] = true
	}
	c.load(s)
	return c
}

// load reads the nodes.
func (c *Cluster) load(s *kube.Snapshot) {
	all := s.Nodes()
	c.view = &view{s: s, nodes: make([]node, 0, len(all)), at: make(map[string]int32, len(all)),
		domains: map[string]*domain{}, left: map[kube.UID]bool{}}
	c.ports, c.storage = ports{view: c.view}, storage{view: c.view}
	c.blind, c.groups = unseen(s, kube.KindNodes, kube.KindPods), map[groupKey][]*group{}
	c.pods, c.memo = map[string][]bucket{}, map[memoKey]Verdict{}
	zones := map[string]int32{}
	for _, n := range all {
		zone, known := zones[n.Zone()]
		if !known {
			zone = int32(len(c.zones))
			zones[n.Zone()], c.zones = zone, append(c.zones, n.Zone())
		}
		cordoned := n.Unschedulable || c.planned[n.Name]
		c.at[n.Name] = int32(len(c.nodes))
		c.nodes = append(c.nodes, node{
			Node: n, used: s.Totals(n.Name).Requested, unschedulable: cordoned, taints: c.taints.of(n, cordoned), zone: zone,
		})
	}
}

// Alone is the answer for one pod in the cluster as it is, this pod gone.
func (c *Cluster) Alone(p *kube.Pod) Verdict {
	g, own := c.group(p), c.index(p.Node)
	key := memoKey{g, own}
	if own >= 0 && !g.feels(own) {
		key.node = -2
	}
	if v, ok := c.memo[key]; ok && !p.Terminating() && !p.Finished() {
		return v
	}
	v, _ := c.judge(g, p)
	c.memo[key] = v
	return v
}

// Feasible are the nodes that the pod could be scheduled to, judged alone; where
// the answer is Unknown, those that nothing modelled speaks against.
func (c *Cluster) Feasible(p *kube.Pod) []string {
	var names []string
	_, feasible := c.judge(c.group(p), p)
	for _, i := range feasible {
		names = append(names, c.nodes[i].Name)
	}
	return names
}

// CordonedFeasible are the nodes beside those of a plan that are cordoned, and that the pod
// could be scheduled to if they were not: uncordoning one of them makes room for it.
func CordonedFeasible(s *kube.Snapshot, planned []string, p *kube.Pod) []string {
	c, cordoned := New(s, planned), map[string]bool{}
	for i := range c.nodes {
		n := &c.nodes[i]
		if !n.Unschedulable || c.planned[n.Name] {
			continue
		}
		cordoned[n.Name] = true
		free := *n.Node
		free.Unschedulable = false
		free.Taints = slices.DeleteFunc(slices.Clone(free.Taints),
			func(t corev1.Taint) bool { return t.Key == cordonTaint.Key })
		n.Node, n.unschedulable, n.taints = &free, false, c.taints.of(&free, false)
	}
	return slices.DeleteFunc(c.Feasible(p), func(name string) bool { return !cordoned[name] })
}

// judge is the verdict on a pod and the nodes that could take it. Where rules are
// read in two ways, both have to come to the same answer.
func (c *Cluster) judge(g *group, p *kube.Pod) (Verdict, []int32) {
	o := c.withoutPod(g, p)
	v := c.verdict(g, o)
	if g.broad == nil {
		return v, o.feasible
	}
	other := c.withoutPod(g.broad, p)
	either := slices.Concat(o.feasible, other.feasible)
	slices.Sort(either)
	either = slices.Compact(either)
	if c.verdict(g.broad, other).Answer != v.Answer {
		v = Verdict{Answer: Unknown, Nodes: len(either), Why: "its affinity selects namespaces that lack a label: " +
			"schedulers from 1.34 on take that for all namespaces (kubernetes issue 141526)"}
	}
	return v, either
}

// withoutPod looks for nodes with the pod taken off its own.
func (c *Cluster) withoutPod(g *group, p *kube.Pod) outcome {
	if g.unknown != "" {
		return outcome{}
	}
	own := c.home(p)
	if own >= 0 && !p.Finished() {
		c.nodes[own].take(p.Spec.Requests, -1)
		g.count(c, p, own, -1)
		defer func() {
			c.nodes[own].take(p.Spec.Requests, 1)
			g.count(c, p, own, 1)
		}()
	}
	return c.filter(g, p.UID)
}

func (c *Cluster) verdict(g *group, o outcome) Verdict {
	switch {
	case g.unknown != "":
		return Verdict{Answer: Unknown, Why: g.unknown}
	case o.preempts:
		return Verdict{Answer: Unknown, Why: WhyPreempts}
	case len(o.feasible) == 0:
		// What is not modelled could only rule out more nodes.
		return Verdict{Answer: DoesNotFit, Why: o.message(g, len(c.nodes))}
	case g.unmodelled != "":
		return Verdict{Answer: Unknown, Why: g.unmodelled, Nodes: len(o.feasible)}
	}
	v := Verdict{Answer: Fits, Nodes: len(o.feasible)}
	v.Why = fmt.Sprintf("%d of %d nodes could take it", len(o.feasible), len(c.nodes))
	for _, i := range o.feasible {
		if !c.isPlanned(i) {
			return v
		}
	}
	v.Why += ", all of them nodes of this plan: it tolerates their cordon"
	return v
}

func (v *view) index(name string) int32 {
	if i, ok := v.at[name]; ok {
		return i
	}
	return -1
}

// home is the node that a pod is on, -1 for one that waits for a node or has left its own.
func (v *view) home(p *kube.Pod) int32 {
	if v.left[p.UID] {
		return -1
	}
	return v.index(p.Node)
}

// unseen says which of the kinds we do not have, "" for none. What was complete
// and has lost its connection is used: the health of the snapshot says that.
func unseen(s *kube.Snapshot, kinds ...kube.Kind) string {
	for _, k := range kinds {
		switch state := s.Sync(k); state.Phase {
		case kube.Denied:
			return fmt.Sprintf("%s cannot be seen", k)
		case kube.NotSynced:
			return fmt.Sprintf("%s are not read yet", k)
		case kube.Synced, kube.Stale:
		}
	}
	return ""
}
