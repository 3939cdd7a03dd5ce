//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// healWeb takes the crashing pod of the scene small away, which holds the budget of
// its siblings on worker-1; its replacement is well.
func (w *world) healWeb(t *testing.T) {
	t.Helper()
	for _, p := range list[pod](t, w, "pods", "-n", "shop", "-l", "app=web") {
		if p.Metadata.Annotations["lab.kdrain-tui.dev/sick"] != "" {
			w.asMachinery(t, "delete", "pod", "-n", "shop", p.Metadata.Name, "--wait=false")
		}
	}
}

// A paused run is cut off from its terminal: nothing was sent, nobody can tell it
// anything, and resume goes on with it.
func TestAPausedRunIsCutOff(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	run := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--yes")
	run.waitsBlocked(2)
	held := run.asks("status").Status.Blocked

	run.ctl("pause").exits(t, 0)
	world.healWeb(t) // its budget lets them go soon
	eventually(t, patience, "the budget allows a disruption", func() bool {
		return world.asMachinery(t, "get", "pdb", "-n", "shop", "web", "-o", "jsonpath={.status.disruptionsAllowed}") == "1"
	})
	run.ctl("status", "-o", "json").prints(t, `"paused": true`)
	run.ctl("last", "shop/nobody").exits(t, 1, "nobody")

	run.run.signal(syscall.SIGHUP)
	run.run.wait(patience).exits(t, 128+1, "is suspended, not ended")
	run.ctl("continue").exits(t, 1, "is not live")
	left := podNames(world.podsOn(t, "worker-1"))
	for _, p := range held {
		if !slices.Contains(left, strings.TrimPrefix(p.Pod, "shop/")) {
			t.Errorf("%s went although the run was paused", p.Pod)
		}
	}

	again := run.start("resume", run.id, "--yes")
	again.waitFor(patience, "is resumed, started by")
	again.wait(patience).exits(t, 0)
	if left := podNames(world.podsOn(t, "worker-1")); len(left) != 1 || !strings.HasPrefix(left[0], "node-exporter-") {
		t.Errorf("on worker-1 are %v", left)
	}
	run.ctl("abort").exits(t, 1, "ended")
}

func podNames(pods []pod) []string {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = p.Metadata.Name
	}
	return names
}

// A run is suspended on purpose: its process ends with a code of its own, its node stays
// cordoned, nothing is sent until resume continues it.
func TestARunIsSuspendedByCtl(t *testing.T) {
	world := worldOf(t, setting{scene: "small", audited: true})
	run := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--yes")
	run.waitsBlocked(2)

	run.ctl("suspend").prints(t, "resume "+run.id)
	run.run.wait(patience).exits(t, 6, "is suspended, not ended")
	from := world.auditEnd(t)
	run.operator.run("runs").prints(t, "suspended")
	run.ctl("abort").exits(t, 1, "is not live")
	if !world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is schedulable again")
	}
	if sent := world.written(t, from); len(sent) > 0 {
		t.Errorf("after the end of its process were sent %v", sent)
	}

	world.healWeb(t)
	again := run.start("resume", run.id, "--yes")
	again.wait(patience).exits(t, 0)
	if left := podNames(world.podsOn(t, "worker-1")); len(left) != 1 || !strings.HasPrefix(left[0], "node-exporter-") {
		t.Errorf("on worker-1 are %v", left)
	}
}

// A second terminal shows a run that works in the first, pauses it and lets it continue, sees
// its result, and its end is not the run's.
func TestARunIsWatchedFromAnotherTerminal(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	run := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--yes")
	run.waitsBlocked(2)
	first := run.operator.open(100, 30, "watch", run.id)
	first.waitFor("Run "+run.id, "of another process", "‖ blocked")
	first.keys("q")
	if code, _ := first.ended(); code != 0 {
		t.Errorf("exit code %d after a look at a run, want 0", code)
	}
	if !run.asks("status").OK {
		t.Fatal("the run ended with the page of it")
	}

	term := run.operator.open(100, 30, "watch", run.id)
	term.waitFor("Run "+run.id, "‖ blocked")
	term.keys("P")
	term.waitFor("‖ paused")
	if !run.asks("status").Status.Paused {
		t.Error("the page shows a pause that the run does not know of")
	}
	term.keys("P")
	term.waitGone("‖ paused")
	world.healWeb(t)
	term.waitFor("Result ", "✔ Drained worker-1")
	run.run.wait(patience).exits(t, 0)
	term.keys("q")
	if code, _ := term.ended(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
