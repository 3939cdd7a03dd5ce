package ui

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// The last control plane takes a word of its own before the run; a plain yes does
// not start it.
func TestLastControlPlaneNeedsATypedConfirmation(t *testing.T) {
	d := drive(t, company(), 100, 30, usual)
	d.list(frame.Nodes).Table.Select("control-1")
	d.keys("D")
	d.shows("the last Ready control-plane node is to be drained: control-1")
	d.keys("D")
	d.shows("The last Ready control-plane node is to be drained: control-1.", "control-plane")
	d.keys("y", "enter")
	d.typed("control")
	d.keys("enter")
	if len(d.started) != 0 {
		t.Fatal("started without the word")
	}
	for range len("ycontrol") {
		d.keys("backspace")
	}
	d.typed("control-plane")
	d.keys("enter")
	if len(d.started) != 1 || d.started[0].Nodes[0].Name != "control-1" {
		t.Fatalf("the word started %d runs\n%s", len(d.started), d.frame())
	}
}

// A node that becomes the last control plane while its plan is confirmed is asked
// about again.
func TestLastControlPlaneSinceTheLook(t *testing.T) {
	w := company()
	w.node("control-2", "eu-1b", 0, func(n *kube.Node) { n.Labels["node-role.kubernetes.io/control-plane"] = "" })
	d := drive(t, w, 100, 30, usual)
	d.list(frame.Nodes).Table.Select("control-1")
	d.keys("D", "D")
	w.node("control-2", "eu-1b", 0, func(n *kube.Node) {
		n.Labels["node-role.kubernetes.io/control-plane"] = ""
		n.Ready = kube.NodeUnknown
	})
	d.keys("y")
	if len(d.started) != 0 {
		t.Fatal("started on a plan that became grave")
	}
	d.shows("The plan changed since you looked", "control-plane")
}
