//go:build lab

package watch

import (
	"strings"
	"testing"
)

// A node is read with its conditions and resources, and not where another one has its name.
func TestLabReadNode(t *testing.T) {
	c := labConnect(t, "")
	node := labWatch(t, c).Snapshot().Nodes()[0]
	d, err := ReadNode(t.Context(), c, node.Name, node.UID)
	if err != nil || len(d.Conditions) == 0 || len(d.Resources) < 3 || d.OS == "" || d.Kernel == "" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := ReadNode(t.Context(), c, node.Name, "another"); err == nil || !strings.Contains(err.Error(), "another node has its name") {
		t.Errorf("with another UID: %v", err)
	}
	if _, err := ReadNode(t.Context(), c, "no-such-node", node.UID); err == nil {
		t.Error("a node that is not there was read")
	}
}
