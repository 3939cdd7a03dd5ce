package landing

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

type groupKey struct {
	spec      *kube.PodSpec
	namespace string
	bound     bool // the claims of a bound pod's template would be recreated
	labels    uint64
}

// group is what pods of the same namespace, labels and spec have in common, and
// what all nodes say to them.
type group struct {
	namespace string
	labels    labels.Set
	spec      *kube.PodSpec

	unknown    string // why nothing is said
	unmodelled string // a rule that we do not know and that may rule out more nodes
	blocked    string // why the scheduler does not even look at nodes (PreFilter)

	tolerates []bool   // by taint set
	early     []reason // by node: what the node itself and its labels say
	volumes   volumes
	peers     peers
	// broad is the group with its own terms read as schedulers from 1.34 on do it,
	// nil where that makes no difference.
	broad  *group
	spread []constraint
}

// group finds the group of a pod.
func (c *Cluster) group(p *kube.Pod) *group {
	set := template(p)
	key := groupKey{p.Spec, p.Namespace, p.Node != "", hashOf(set)}
	for _, g := range c.groups[key] {
		if maps.Equal(g.labels, set) {
			return g
		}
	}
	g := c.newGroup(p, set, false)
	if g.peers.twoWays {
		g.broad = c.newGroup(p, set, true)
	}
	c.groups[key] = append(c.groups[key], g)
	return g
}

func (c *Cluster) newGroup(p *kube.Pod, set labels.Set, broad bool) *group {
	g := &group{namespace: p.Namespace, labels: set, spec: p.Spec}
	g.unknown = c.notOurs(p)
	if g.unknown != "" {
		return g
	}
	g.unmodelled = c.delegated(p)
	c.askTaints(g)
	c.askNodes(g)
	c.storage.ask(g, p)
	c.askPeers(g, broad)
	c.askSpread(g)
	for _, m := range c.moved {
		g.count(c, m.pod, m.node, m.sign)
	}
	return g
}

var hashSeed = maphash.MakeSeed()

// hashOf is equal for equal labels. There can be thousands of owners whose pods
// differ in nothing else.
func hashOf(set labels.Set) uint64 {
	var sum uint64
	for key, value := range set {
		sum += maphash.Comparable(hashSeed, [2]string{key, value})
	}
	return sum
}

// template are the labels that a pod had before it had a node: the API server
// copies the node's zone and region to the pod when it is bound (the admission
// plugin PodTopologyLabels).
func template(p *kube.Pod) labels.Set {
	set := p.Labels
	for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		if _, copied := p.Labels[key]; copied && p.Node != "" {
			if len(set) == len(p.Labels) {
				set = maps.Clone(p.Labels)
			}
			delete(set, key)
		}
	}
	return set
}

// notOurs says why the default scheduler's rules do not settle where the pod
// goes.
func (c *Cluster) notOurs(p *kube.Pod) string {
	s := p.Spec
	switch {
	case c.blind != "":
		return c.blind
	case s == nil:
		return "its spec is not known"
	case p.Mirror():
		return "a static pod stays with its node"
	case p.Owner != nil && p.Owner.Kind == "DaemonSet":
		return "a DaemonSet's pod belongs to its node"
	case s.SchedulerName != "" && s.SchedulerName != corev1.DefaultSchedulerName:
		return fmt.Sprintf("scheduled by %s, not by the default scheduler", s.SchedulerName)
	case s.Gated:
		return "has scheduling gates: not modelled"
	case s.PodGroup != "":
		return fmt.Sprintf("is scheduled with its pod group %s: not modelled", s.PodGroup)
	}
	return ""
}

// delegated says what part of the decision belongs to a plugin that is not
// modelled. A resource that not even the pod's own node offers is one that the
// scheduler has made by a device driver (noderesources/fit.go
// shouldDelegateResourceToDRA).
func (c *Cluster) delegated(p *kube.Pod) string {
	if p.Spec.ResourceClaims > 0 {
		return "uses resource claims (devices): not modelled"
	}
	own := c.s.Node(p.Node)
	for name, amount := range p.Spec.Requests.Extended {
		if own != nil && amount > 0 && own.Allocatable.Extended[name] == 0 {
			return fmt.Sprintf("asks for %s, which its own node does not list: not modelled", name)
		}
	}
	return ""
}

func (c *Cluster) askTaints(g *group) {
	g.tolerates = make([]bool, len(c.taints.sets))
	for i, set := range c.taints.sets {
		_, kept := schedulinghelper.FindMatchingUntoleratedTaint(klog.Background(), set, g.spec.Tolerations, nil, true)
		g.tolerates[i] = !kept
	}
}

// askNodes asks the plugins that look at the node alone: nodeunschedulable,
// tainttoleration, nodeaffinity.
func (c *Cluster) askNodes(g *group) {
	g.early = make([]reason, len(c.nodes))
	cordonKeepsOff := !schedulinghelper.TolerationsTolerateTaint(klog.Background(), g.spec.Tolerations, &cordonTaint,
		true)
	matches := g.matchesNode()
	named, restricted := g.named()
	if restricted && len(named) == 0 {
		g.blocked = "pod affinity terms conflict"
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		switch {
		case restricted && !slices.Contains(named, n.Name):
			g.early[i] = notNamed
		case n.unschedulable && cordonKeepsOff:
			g.early[i] = cordoned
		case !g.tolerates[n.taints]:
			g.early[i] = tainted
		case !matches(n.Node):
			g.early[i] = nodeAffinity
		}
	}
}

// matchesNode is nodeaffinity/node_affinity.go Filter.
func (g *group) matchesNode() func(*kube.Node) bool {
	if len(g.spec.NodeSelector) == 0 && g.nodeTerms() == nil {
		return func(*kube.Node) bool { return true }
	}
	required := nodeaffinity.NewRequiredNodeAffinity(g.spec.NodeSelector, g.spec.Affinity)
	var seen corev1.Node // the library wants the API's type
	return func(n *kube.Node) bool {
		seen.Name, seen.Labels = n.Name, n.Labels
		matches, _ := required.Match(&seen) // what cannot be read matches nothing
		return matches
	}
}

func (g *group) nodeTerms() *corev1.NodeSelector {
	if a := g.spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// named are the only nodes that the scheduler looks at where each term of the
// node affinity names nodes (nodeaffinity/node_affinity.go PreFilter).
func (g *group) named() (names []string, restricted bool) {
	terms := g.nodeTerms()
	if terms == nil || len(terms.NodeSelectorTerms) == 0 {
		return nil, false
	}
	for i := range terms.NodeSelectorTerms {
		var ofTerm []string
		for j, field := range terms.NodeSelectorTerms[i].MatchFields {
			if field.Key != metav1.ObjectNameField || field.Operator != corev1.NodeSelectorOpIn {
				continue
			}
			if j == 0 || ofTerm == nil {
				ofTerm = slices.Clone(field.Values)
				continue
			}
			ofTerm = slices.DeleteFunc(ofTerm, func(n string) bool { return !slices.Contains(field.Values, n) })
		}
		if ofTerm == nil {
			return nil, false
		}
		names = append(names, ofTerm...)
	}
	return names, true
}

// feels reports whether it makes a difference to the group which of its pods
// leaves that node.
func (g *group) feels(node int32) bool {
	return g.early == nil || g.early[node] == none || g.peers.any() || len(g.spread) > 0
}

// count counts a pod in (1) or out (-1) of a node, for the rules of this group
// on other pods.
func (g *group) count(c *Cluster, p *kube.Pod, node int32, sign int32) {
	g.peers.count(c, g, p, node, sign)
	for i := range g.spread {
		k := &g.spread[i]
		if !p.Terminating() && p.Namespace == g.namespace && k.selects(p.Labels) {
			k.count(node, sign)
		}
	}
}
