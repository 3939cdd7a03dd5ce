//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"
)

// theRun is the run that the operator's machine knows as live.
func (o *operator) theRun() string {
	o.t.Helper()
	for _, r := range decode[[]struct {
		Run  string
		Live bool
	}](o.t, o.run("runs", "-o", "json").out) {
		if r.Live {
			return r.Run
		}
	}
	o.t.Fatal("no run is live")
	return ""
}

// heldNode is where two pods are that the sick cart holds, or one if there is no
// such node, and their names.
func (w *world) heldNode(t *testing.T) (node string, pods []string) {
	sick, on := w.sickCart(t), map[string][]string{}
	for _, p := range list[pod](t, w, "pods", "-n", "checkout", "-l", "app=cart") {
		if p.Metadata.Name != sick {
			on[p.Spec.NodeName] = append(on[p.Spec.NodeName], "checkout/"+p.Metadata.Name)
		}
	}
	for name, held := range on {
		if len(held) > len(pods) {
			node, pods = name, held
		}
	}
	return node, pods
}

// A run is steered from another terminal, is cut off from its own, goes on, and
// is left and aborted by words from outside.
func TestARunIsSteeredFromOutside(t *testing.T) {
	world := ownWorld(t)
	ada := world.operator(t)
	name, held := world.heldNode(t)
	run := ada.start("drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--yes")
	run.waitFor(patience, held[0]+" waits: budget cart")
	id := ada.theRun()

	ada.run("ctl", id, "pause").exits(t, 0)
	world.healCart(t) // its budget would let them go now
	ada.run("ctl", id, "status", "-o", "json").prints(t, `"paused": true`)
	ada.run("ctl", id, "last", "checkout/nobody").exits(t, 1, "nobody")

	run.signal(syscall.SIGHUP)
	run.wait(patience).exits(t, 128+1, "is suspended, not ended")
	ada.run("ctl", id, "continue").exits(t, 1, "is not live")
	if left := world.podsOn(t, name); !strings.Contains(strings.Join(podNames(left), " "), strings.TrimPrefix(held[0], "checkout/")) {
		t.Errorf("%s went although the run was paused", held[0])
	}

	again := ada.start("resume", id, "--yes")
	again.waitFor(patience, "goes on, begun by")
	again.wait(patience).exits(t, 0)
	world.onlyDaemonsLeft(t, name)
	ada.run("ctl", id, "abort").exits(t, 1, "ended")
}

func podNames(pods []pod) []string {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = p.Metadata.Name
	}
	return names
}
