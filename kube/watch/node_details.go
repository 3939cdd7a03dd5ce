package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// NodeDetails is what a person looks at to understand one node, beside what is watched of it. It is read live, and
// never kept.
type NodeDetails struct {
	Conditions   []Condition
	Resources    []NodeResource // by name
	OS, Kernel   string
	Architecture string
}

// NodeResource is what a node has of something, and what pods may have of that, as the server writes it.
type NodeResource struct{ Name, Capacity, Allocatable string }

// ReadNode reads what there is to know about one node. It fails with an error where the name belongs to another
// node by now.
func ReadNode(ctx context.Context, c *conn.Cluster, name string, uid kube.UID) (NodeDetails, error) {
	node, err := c.Reads().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return NodeDetails{}, fmt.Errorf("read node %s: %w", name, err)
	}
	if node.UID != uid {
		return NodeDetails{}, fmt.Errorf("node %s is gone: another node has its name", name)
	}
	info := &node.Status.NodeInfo
	d := NodeDetails{OS: kube.Clean(info.OSImage), Kernel: kube.Clean(info.KernelVersion),
		Architecture: kube.Clean(info.Architecture)}
	for _, c := range node.Status.Conditions {
		d.Conditions = append(d.Conditions, Condition{Type: kube.Clean(string(c.Type)),
			Status: kube.Clean(string(c.Status)), Reason: kube.Clean(c.Reason), Message: kube.Clean(c.Message),
			Since: c.LastTransitionTime.Time})
	}
	for name, capacity := range node.Status.Capacity {
		allocatable := node.Status.Allocatable[name]
		d.Resources = append(d.Resources, NodeResource{kube.Clean(string(name)), capacity.String(),
			allocatable.String()})
	}
	slices.SortFunc(d.Resources, func(a, b NodeResource) int { return cmp.Compare(a.Name, b.Name) })
	return d, nil
}
