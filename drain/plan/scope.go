package plan

import "github.com/kdrain-tui/kdrain-tui/kube"

// IsControlPlane reports whether the node, nil for none, runs a control plane.
func IsControlPlane(n *kube.Node) bool {
	if n == nil {
		return false
	}
	_, current := n.Labels["node-role.kubernetes.io/control-plane"]
	_, legacy := n.Labels["node-role.kubernetes.io/master"]
	return current || legacy
}
