package nodes

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

const rolePrefix = "node-role.kubernetes.io/"

// roles are the roles of a node, from its labels.
func roles(n *kube.Node) []string {
	var roles []string
	for key, value := range n.Labels {
		if role, ok := strings.CutPrefix(key, rolePrefix); ok && role != "" {
			roles = append(roles, role)
		} else if key == "kubernetes.io/role" && value != "" {
			roles = append(roles, value)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// silent says how long a node has not been Ready, "" while it is.
func silent(n *kube.Node, now time.Time) string {
	switch {
	case n.Ready == kube.NodeReady:
		return ""
	case n.ReadySince.IsZero():
		return "not ready"
	case n.Silent():
		return "kubelet silent for " + format.Age(now.Sub(n.ReadySince))
	}
	return "not ready for " + format.Age(now.Sub(n.ReadySince))
}

// since is the age of a moment, "" where there is none.
func since(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return format.Age(now.Sub(t))
}
