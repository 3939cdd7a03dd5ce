package plan

import "github.com/kdrain-tui/kdrain-tui/kube"

// NeedsWhole are the kinds that a plan of the nodes must have in whole, although a
// drain needs only what is on them: whether a control-plane node is the last one
// only the others say.
func NeedsWhole(s *kube.Snapshot, nodes []string) []kube.Kind {
	for _, name := range nodes {
		if IsControlPlane(s.Node(name)) {
			return []kube.Kind{kube.KindNodes}
		}
	}
	return nil
}

// IsControlPlane reports whether the node, nil for none, runs a control plane.
func IsControlPlane(n *kube.Node) bool {
	if n == nil {
		return false
	}
	_, current := n.Labels["node-role.kubernetes.io/control-plane"]
	_, legacy := n.Labels["node-role.kubernetes.io/master"]
	return current || legacy
}
