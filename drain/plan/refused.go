package plan

import (
	"slices"
	"strings"
)

// RefusedNode is a node that a run of a plan leaves untouched, not even cordoned.
type RefusedNode struct {
	Node string
	Why  string // in kubectl's words
	// Along tells that its own pods would let it: another node is refused, and
	// --all-or-nothing is set.
	Along bool
}

// Refused are the nodes that a run of the plan leaves untouched, in its order: those
// with a pod that is refused, and with --all-or-nothing all as soon as one is.
func (p *Plan) Refused() []RefusedNode {
	var refused []RefusedNode
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Refused() {
			refused = append(refused, RefusedNode{Node: n.Name, Why: drainErrors(n.Refusals())})
		}
	}
	if len(refused) == 0 || !p.Options.AllOrNothing {
		return refused
	}
	all := make([]RefusedNode, len(p.Nodes))
	for i := range p.Nodes {
		all[i] = RefusedNode{Node: p.Nodes[i].Name, Why: RefusedAlong(refused[0].Node), Along: true}
		if k := slices.IndexFunc(refused, func(r RefusedNode) bool { return r.Node == all[i].Node }); k >= 0 {
			all[i] = refused[k]
		}
	}
	return all
}

// Open is the part of the plan that a run of it touches: all but its refused nodes.
func (p Plan) Open() Plan {
	refused := p.Refused()
	p.Nodes = slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool {
		return slices.ContainsFunc(refused, func(r RefusedNode) bool { return r.Node == n.Name })
	})
	return p
}

// RefusedAlong is why a node is refused for the sake of another.
func RefusedAlong(with string) string {
	return "node " + with + " is refused and --all-or-nothing is set"
}

// Refused reports whether a pod of the node is.
func (n *Node) Refused() bool {
	return slices.ContainsFunc(n.Pods, func(p Pod) bool { return p.Action == ActionRefuse })
}

// Brief is the reason in few words; one that refuses pods names the flag that lifts it.
func (r Reason) Brief() string {
	if r.Level == LevelError {
		switch r.Code {
		case ReasonDaemonSet:
			return "DaemonSet (--ignore-daemonsets)"
		case ReasonEmptyDir:
			return "emptyDir (--delete-emptydir-data)"
		case ReasonUnmanaged:
			return "no controller (--force)"
		case ReasonOrphanedDaemonSet:
			return "its DaemonSet is gone (--force)"
		}
	}
	return r.Message
}

// PodRefusal is one reason to refuse pods of a node.
type PodRefusal struct {
	Message string   // kubectl's, where it is one of its filters
	Brief   string   // the same in few words
	Pods    []string // "namespace/name"
}

// Refusals are the reasons for which pods of the node are refused, sorted by their
// message, where kubectl's order is random.
func (n *Node) Refusals() []PodRefusal {
	var all []PodRefusal
	for i := range n.Pods {
		p := &n.Pods[i]
		for _, r := range p.Reasons {
			if p.Action != ActionRefuse || r.Level != LevelError {
				continue
			}
			at, known := slices.BinarySearchFunc(all, r.Message, func(of PodRefusal, message string) int {
				return strings.Compare(of.Message, message)
			})
			if !known {
				all = slices.Insert(all, at, PodRefusal{Message: r.Message, Brief: r.Brief()})
			}
			all[at].Pods = append(all[at].Pods, p.Namespace+"/"+p.Name)
		}
	}
	return all
}

// drainErrors are the reasons as kubectl prints them: several errors stand in
// brackets (k8s.io/apimachinery/pkg/util/errors Aggregate).
func drainErrors(reasons []PodRefusal) string {
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = "cannot delete " + r.Message + ": " + strings.Join(r.Pods, ", ")
	}
	words := strings.Join(parts, ", ")
	if len(parts) > 1 {
		return "[" + words + "]"
	}
	return words
}
