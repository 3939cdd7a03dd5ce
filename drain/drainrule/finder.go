package drainrule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
)

// Finder finds the rules of nodes in one snapshot. It is for one goroutine.
type Finder struct {
	s    *kube.Snapshot
	read *clusterapi.Rules

	sorted  []*clusterapi.Rule
	byName  map[string]*clusterapi.Machine   // by namespace/name
	byNode  map[string][]*clusterapi.Machine // by the name of the node that they refer to
	indexed bool
}

// NewFinder is a finder of the rules that were read by then.
func NewFinder(s *kube.Snapshot) *Finder { return &Finder{s: s, read: s.DrainRules} }

// Of are the rules for the pods of the nodes, nil while the rules were not read.
func (f *Finder) Of(nodes []string) *Rules {
	if f.read == nil {
		return nil
	}
	rules := &Rules{}
	if len(f.read.Rules) == 0 {
		return rules
	}
	f.index()
	rules.Nodes = make(map[string]Node, len(nodes))
	for _, name := range nodes {
		if n := f.s.Node(name); n != nil {
			rules.Nodes[name] = f.of(n)
		}
	}
	return rules
}

// index sorts the rules by name, as Cluster API does; names repeat in other namespaces only.
func (f *Finder) index() {
	if f.indexed {
		return
	}
	f.indexed, f.byName, f.byNode = true, map[string]*clusterapi.Machine{}, map[string][]*clusterapi.Machine{}
	for i := range f.read.Rules {
		f.sorted = append(f.sorted, &f.read.Rules[i])
	}
	slices.SortFunc(f.sorted, func(a, b *clusterapi.Rule) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Namespace, b.Namespace))
	})
	for i := range f.read.Machines {
		m := &f.read.Machines[i]
		f.byName[m.Namespace+"/"+m.Name] = m
		if m.Node != "" {
			f.byNode[m.Node] = append(f.byNode[m.Node], m)
		}
	}
}

func (f *Finder) of(n *kube.Node) Node {
	m, unknown := f.machine(n)
	of, namespace := Node{Unknown: unknown}, n.Annotations[clusterapi.ClusterNamespaceAnnotation]
	if m != nil {
		of.Machine, namespace = m.Namespace+"/"+m.Name, m.Namespace
	}
	for _, rule := range f.sorted {
		if namespace != "" && rule.Namespace != namespace {
			continue
		}
		applies, known := f.applies(rule, m)
		if !known && of.Unknown == "" {
			of.Unknown = f.read.ClustersHidden
		}
		if !applies {
			continue
		}
		one := Rule{Namespace: rule.Namespace, Name: rule.Name, Behavior: rule.Behavior, Order: rule.Order,
			Invalid: rule.Invalid}
		for _, p := range rule.Pods {
			one.Pods = append(one.Pods, Selector{Pods: text{p.Own}, Namespaces: text{p.Of}})
		}
		of.Rules = append(of.Rules, one)
	}
	return of
}

// machine is the Machine of a node, nil with the reason where that is not known. Machines of other
// clusters can refer to nodes of the same name: what else is known of the node must agree.
func (f *Finder) machine(n *kube.Node) (*clusterapi.Machine, string) {
	if f.read.MachinesHidden != "" {
		return nil, f.read.MachinesHidden
	}
	marks := n.Annotations
	named := f.byName[marks[clusterapi.ClusterNamespaceAnnotation]+"/"+marks[clusterapi.MachineAnnotation]]
	if named != nil && (named.Node == "" || named.Node == n.Name) && agree(named, n) {
		return named, ""
	}
	var found []*clusterapi.Machine
	for _, m := range f.byNode[n.Name] {
		if agree(m, n) {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return nil, "no Machine refers to it"
	case 1:
		return found[0], ""
	}
	return nil, "several Machines refer to a node of its name"
}

func agree(m *clusterapi.Machine, n *kube.Node) bool {
	return (m.NodeUID == "" || m.NodeUID == n.UID) &&
		(m.ProviderID == "" || n.ProviderID == "" || m.ProviderID == n.ProviderID)
}

// applies reports whether a rule is for a Machine, nil where that is not known: then only what
// selects every Machine is. Known is false where the labels of its Cluster would decide and cannot
// be read.
func (f *Finder) applies(rule *clusterapi.Rule, m *clusterapi.Machine) (applies, known bool) {
	if len(rule.Machines) == 0 || rule.Invalid != "" {
		return true, true
	}
	known = true
	for _, selector := range rule.Machines {
		switch {
		case selector.Own.Empty() && selector.Of.Empty():
			return true, true
		case m == nil || !selector.Own.Matches(m.Labels):
		case selector.Of.Empty():
			return true, true
		case f.read.ClustersHidden != "":
			known = false
		case selector.Of.Matches(f.read.Clusters[m.Namespace+"/"+m.Cluster]):
			return true, true
		}
	}
	return false, known
}
