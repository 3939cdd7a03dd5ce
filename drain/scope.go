package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// A drain of few nodes begins before the whole cluster is read. What it does to a
// pod needs the node, the pods on it, the budgets and the owners; what needs all
// pods or all nodes is not known until they are in, and is not guessed.

// nodeLive tells whether the node itself is known and live.
func nodeLive(s *kube.Snapshot, node string) bool {
	return s.SyncOn(kube.KindNodes, node).Phase == kube.Synced
}

// NeedsWhole are the kinds that a plan of the nodes must have in whole, although a
// drain needs only what is on them: whether a control-plane node is the last one
// says nobody but the others.
func NeedsWhole(s *kube.Snapshot, nodes []string) []kube.Kind {
	for _, name := range nodes {
		if isControlPlane(s.Node(name)) {
			return []kube.Kind{kube.KindNodes}
		}
	}
	return nil
}

// isControlPlane tells whether the node, nil for none, runs a control plane.
func isControlPlane(n *kube.Node) bool {
	if n == nil {
		return false
	}
	_, current := n.Labels["node-role.kubernetes.io/control-plane"]
	_, legacy := n.Labels["node-role.kubernetes.io/master"]
	return current || legacy
}
