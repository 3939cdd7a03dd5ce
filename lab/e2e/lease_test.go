//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lease is as much of a Lease as the tests look at.
type lease struct {
	Metadata meta
	Spec     struct {
		HolderIdentity   string
		LeaseTransitions int
	}
}

// leaseOver is the Lease of a node, by which runs keep off each other.
func (w *world) leaseOver(t *testing.T, name string) *lease {
	t.Helper()
	for _, l := range list[lease](t, w, "leases", "-n", "kube-system") {
		if strings.HasSuffix(l.Metadata.Name, w.node(t, name).Metadata.UID) {
			return &l
		}
	}
	return nil
}

func (w *world) heldBy(t *testing.T, run string, transitions int) {
	t.Helper()
	l := w.leaseOver(t, "worker-1")
	if l == nil || l.Spec.HolderIdentity != run || l.Spec.LeaseTransitions != transitions {
		t.Errorf("the Lease is %+v, want it held by %s after %d changes of hands", l, run, transitions)
	}
	if n := w.node(t, "worker-1"); !n.Spec.Unschedulable || !strings.Contains(n.Metadata.Annotations[mark], run) {
		t.Errorf("the mark is not of run %s: %+v", run, n)
	}
}

// Two operators mean the same node. A run that lives is not joined, undone or taken
// up; killed, it takes its own Lease back at once; and another one takes the node
// over only where it was told to, by name.
func TestTwoRunsOnOneNode(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	defer world.logOnFailure(t, "get", "nodes,leases,pods", "-A", "-o", "wide")
	first := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--reason=new kernel", "--yes")
	first.waitsBlocked(2)
	world.heldBy(t, first.id, 0)

	world.operator(t).run("drain", "worker-1", "--ignore-daemonsets", "--take-over").exits(t, 2, "no terminal to ask on")
	// All of these wait until the first run shows that it lives, so at the same time.
	refused := []string{"node/worker-1 refused: held by run " + first.id + " of ada since 2", `("new kernel")`,
		"only --take-over takes it over", "node/worker-1 was left untouched"}
	var tries []func()
	for _, try := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"drain", "worker-1", "--ignore-daemonsets", "--yes"}, 3, refused},
		{[]string{"drain", "worker-1", "--ignore-daemonsets", "--yes", "--take-over=another"}, 3, refused},
		{[]string{"rollback", "--node", "worker-1", "--yes"}, 1, []string{"is live: it renews its Lease of node worker-1"}},
		{[]string{"resume", "--node", "worker-1", "--ignore-daemonsets", "--yes"}, 1, []string{"is live: it renews its Lease of node worker-1"}},
	} {
		r := world.operator(t).start(try.args...)
		tries = append(tries, func() { r.wait(patience).exits(t, try.code, try.says...) })
	}
	for _, ends := range tries {
		ends()
	}
	world.heldBy(t, first.id, 0)

	first.run.signal(syscall.SIGKILL)
	if code := first.run.wait(patience).code; code != -1 {
		t.Errorf("exit code %d of a killed process", code)
	}
	first.run = first.start("resume", first.id, "--yes")
	first.run.waitFor(patience, "waits: budget web")
	if said := first.run.said(); strings.Contains(said, "whether that run is still running") {
		t.Errorf("it waited for a sign of life of itself:%s", said)
	}
	world.heldBy(t, first.id, 0)

	second := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--take-over="+first.id, "--reason=new disks", "--yes")
	stopped := first.run.wait(patience)
	stopped.exits(t, 4, "taken over by run "+second.id+" of ada since 2", `("new disks")`, "that run is responsible for the rest")
	report := first.operator.run("report", first.id)
	report.prints(t, "stopped: taken over by run "+second.id+" of ada since 2", "node worker-1 was taken over by run "+second.id)
	if strings.Contains(stopped.out+stopped.err+report.out, "uncordon worker-1") {
		t.Errorf("the first run tells to undo the cordon of the second:\n%s%s", stopped.err, report.out)
	}
	second.waitsBlocked(2)
	world.heldBy(t, second.id, 1)

	world.healWeb(t)
	second.run.wait(patience).exits(t, 0)
	if l := world.leaseOver(t, "worker-1"); l != nil {
		t.Errorf("the Lease is left behind: %+v", l)
	}
}

// The operator at the screen takes a node over by typing the name of the run that
// holds it, and by nothing less.
func TestANodeIsTakenOverFromTheScreen(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	defer world.logOnFailure(t, "get", "nodes,leases,pods", "-A", "-o", "wide")
	first := world.steer(t, "drain", "worker-1", "--ignore-daemonsets", "--reason=new kernel", "--yes")
	first.waitsBlocked(2)

	ada := world.operator(t)
	term := ada.open(120, 40, "--ignore-daemonsets", "worker-1")
	term.waitFor("● live · 3 nodes", "1 marked")
	story := onScreen{t, world, ada, term}
	term.keys("D")
	// Whether the Leases are listed before or after the plan is made: without it the plan shows a change.
	term.waitFor("Plan  ", "is held by run "+first.id, "D continue to cordon")
	term.keys("D")
	const question = "Take over worker-1 from another run?"
	term.waitFor(question, "worker-1 is held by run "+first.id+" of ada since 2", `"new kernel"`, "type "+first.id+" and press Enter")
	term.typing("take over")
	term.keys("Enter")
	term.waitFor(question, "nothing was done")
	world.heldBy(t, first.id, 0)
	term.keys("Escape")
	term.waitGone(question)
	world.heldBy(t, first.id, 0)

	term.keys("D")
	term.waitFor(question, "and press Enter")
	term.typing(first.id)
	term.keys("Enter")
	term.waitGone(question)
	second := strings.TrimSuffix(filepath.Base(story.start(2).path), ".jsonl")
	first.run.wait(patience).exits(t, 4, "taken over by run "+second+" of ada since 2", "that run is responsible for the rest")
	world.heldBy(t, second, 1)

	world.healWeb(t)
	term.waitFor("Result ", "✔ Drained worker-1")
	term.keys("q")
	ada.leaves(term, 0)
	if l := world.leaseOver(t, "worker-1"); l != nil {
		t.Errorf("the Lease is left behind: %+v", l)
	}
}
