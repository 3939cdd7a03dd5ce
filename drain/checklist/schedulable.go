package checklist

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// LeavesSchedulable says whether a Ready node that takes new pods is left once the named
// ones are cordoned. It is true while not all nodes are known.
func LeavesSchedulable(s *kube.Snapshot, named []string) bool {
	return !s.All().InWhole(kube.KindNodes) || slices.ContainsFunc(s.Nodes(), func(n *kube.Node) bool {
		return takesPods(n) && !slices.Contains(named, n.Name)
	})
}

// takesPods reports whether new pods can start on a node: it is neither cordoned nor silent.
func takesPods(n *kube.Node) bool { return !n.Unschedulable && n.Ready == kube.NodeReady }
