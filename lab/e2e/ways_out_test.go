//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/operators"
)

// closed are the pods of worker-3 in the scene managed whose controllers do not open their budgets, with the object that
// the documentation of the controller says to change.
var closed = []struct{ pod, object string }{
	{"data/solo-1", "solo"}, {"streams/plain-kafka-0", "plain-kafka-0"}, {"longhorn-system/instance-manager-3", "worker-3"},
}

// fields are what the controllers of these pods see.
func (w *world) fields(t *testing.T) string {
	t.Helper()
	return w.asMachinery(t, "get", "clusters.postgresql.cnpg.io", "-n", "data", "solo", "-o", "jsonpath={.spec.enablePDB}") + " " +
		w.asMachinery(t, "get", "nodes.longhorn.io", "-n", "longhorn-system", "worker-3", "-o", "jsonpath={.spec}")
}

const asBefore = `true {"allowScheduling":true,"evictionRequested":false}`

// ask applies the remedy to one of the closed pods, once the run has read what its controller reports.
func (s *steered) ask(pod, object string) {
	s.t.Helper()
	eventually(s.t, patience, "the remedy for "+pod+" is applied", func() bool {
		return s.ctl("ask-controller", pod, "--confirm", "ask-controller "+object).code == 0
	})
}

// The controllers of three pods open no budget by themselves. A drain ends when it has changed what their documentation
// prescribes. The run sets back what was there, and so does a rollback.
func TestWaysOut(t *testing.T) {
	world := worldOf(t, setting{scene: "managed", audited: true})
	defer world.logOnFailure(t, "get", "pods,pdb", "-A", "-o", "wide")
	for node, words := range map[string][]string{
		"worker-3": {"CloudNativePG never opens it for a single instance", `{"spec":{"enablePDB":false}}`,
			"the last healthy replica of local is on its node", `"evictionRequested":true`},
		"worker-4": {`the virtual machine cannot be migrated: "VMI uses virtiofs"`, "virtctl stop -n vms vm-2"},
	} {
		operator := world.operator(t)
		answer := operator.run("plan", node, "--ignore-daemonsets")
		answer.exits(t, 3)
		answer.prints(t, words...)
		operator.run("drain", node, "--yes", "--ignore-daemonsets", "--fail-on-blockers").exits(t, 3, words[0])
		if world.node(t, node).Spec.Unschedulable {
			t.Errorf("%s was cordoned although --fail-on-blockers refuses it", node)
		}
	}

	// A process that is killed leaves the change, and rollback undoes it. No controller plays yet: it would move the pod
	// meanwhile.
	killed := world.steer(t, "drain", "worker-3", "--ignore-daemonsets", "--yes")
	killed.waitsBlocked(len(closed))
	killed.ask(closed[2].pod, closed[2].object)
	killed.run.signal(syscall.SIGKILL)
	killed.run.wait(patience)
	if got := world.fields(t); !strings.HasSuffix(got, `{"allowScheduling":false,"evictionRequested":true}`) {
		t.Errorf("the run has set %s", got)
	}
	killed.operator.run("rollback", killed.id, "--yes").exits(t, 0, `set spec of Node longhorn-system/worker-3 back to {"allowScheduling":true,"evictionRequested":false}`)
	if got := world.fields(t); got != asBefore {
		t.Errorf("after the rollback: %s", got)
	}

	controllers := world.beside(t, "operators")
	eventually(t, patience, "the controllers are ready", func() bool {
		return strings.Contains(controllers.out.String(), operators.Ready)
	})

	since := world.auditEnd(t)
	run := world.steer(t, "drain", "worker-3", "--ignore-daemonsets", "--yes")
	run.waitsBlocked(len(closed))
	for _, c := range closed {
		run.ask(c.pod, c.object)
	}
	run.run.wait(2*patience).exits(t, 0)
	if got := world.fields(t); got != asBefore {
		t.Errorf("after the run: %s", got)
	}
	if left := world.podsOn(t, "worker-3"); len(left) > 0 {
		t.Errorf("these are on worker-3: %+v", left)
	}
	want := []string{"patch clusters solo", "patch nodes worker-3", "patch pods plain-kafka-0"}
	for _, change := range others(world.written(t, since)) {
		if !slices.Contains(want, change) {
			t.Errorf("the run also requested %q", change)
		}
	}
	run.trueReport(run.id)
}
