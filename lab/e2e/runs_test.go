//go:build e2e

package e2e

import (
	"syscall"
	"testing"
)

// The runs of the machine on the screen: one whose process was killed is looked at and gone on with,
// aborted, and rolled back.
func TestRunsOnTheScreen(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	defer world.logOnFailure(t, "get", "nodes,pods,pdb", "-n", "shop", "-o", "wide")
	ada := world.operator(t)
	drain := ada.start("drain", "worker-1", "--ignore-daemonsets", "--yes", "-o", "json")
	drain.waitFor(patience, `"podState":"BudgetBlocked"`)
	drain.signal(syscall.SIGKILL)
	drain.wait(patience)
	id := decode[[]struct{ Run string }](t, ada.run("runs", "-o", "json").out)[0].Run

	term := ada.open(110, 30)
	term.waitFor("● live · 3 nodes")
	term.keys("r")
	term.waitFor("Runs  of this machine", id, "‖ not ended", "worker-1")
	term.keys("Enter")
	term.waitFor("Run "+id, "resume "+id)
	term.keys("Escape")
	term.waitFor("Runs  of this machine", "R resume")
	confirm := func(key string, texts ...string) {
		t.Helper()
		term.keys(key)
		term.waitFor(texts...)
		term.waitGone("one moment")
		term.keys("y")
	}
	confirm("R", "Go on with run "+id+"?", "worker-1")
	term.waitFor("Run "+id, "‖ blocked", "P pause")
	confirm("A", "Abort the run?")
	term.waitFor("Result "+id, "Aborted worker-1")
	if !world.node(t, "worker-1").Spec.Unschedulable {
		t.Fatal("worker-1 is not cordoned")
	}
	term.keys("r")
	ada.trueReport(id)
	term.waitFor("▲ aborted", "U roll back")
	confirm("U", "Roll back run "+id+"?", "uncordon node worker-1")
	term.waitFor("undone")
	if world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is cordoned still")
	}
	term.keys("q")
	if code, normal := term.ended(); code != 6 || !normal.shows("Aborted worker-1") {
		t.Errorf("exit code %d after a run that was aborted, want 6, and on the normal screen\n%s", code, framed(normal))
	}
}
