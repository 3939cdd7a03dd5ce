//go:build e2e

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// A run dies with its machine. Another operator, without its journal, is told of
// the budget that it left, goes on by its marks, and takes everything back.
func TestHandoverByMarks(t *testing.T) {
	world := ownWorld(t)
	defer world.logOnFailure(t, "get", "nodes,pdb", "-A", "-o", "wide")
	sick, name := world.sickCart(t), ""
	for _, p := range list[pod](t, world, "pods", "-n", "checkout", "-l", "app=cart") {
		if p.Metadata.Name != sick {
			name = p.Spec.NodeName // its healthy siblings are held by the sick one
		}
	}
	temporary := func() []string {
		return strings.Fields(world.kubectl(t, "get", "pdb", "-A", "-l", "app.kubernetes.io/managed-by=kdrain-tui", "-o", "name"))
	}
	flags := []string{"--ignore-daemonsets", "--delete-emptydir-data", "--force", "--yes"}
	first := world.operator(t).start(append([]string{"drain", name, "--guard=50%", "--guard-write", "--reason=new kernel"}, flags...)...)
	first.waitFor(patience, "waits: budget cart")
	left := temporary()
	if len(left) == 0 {
		t.Fatal("the run made no temporary budget")
	}
	first.signal(syscall.SIGKILL)
	if code := first.wait(patience).code; code != -1 {
		t.Errorf("exit code %d of a killed process", code)
	}

	second := world.operator(t)
	second.run("plan", "worker-c1").prints(t, "still there", left[0][strings.LastIndex(left[0], "/")+1:],
		"may be live on another machine", "delete pdb -n ")
	goOn := second.start(append([]string{"resume", "--node", name, "--timeout=5s"}, flags...)...)
	ended := goOn.wait(2 * time.Minute)
	ended.exits(t, 4, "The annotations are of run ", "reason: new kernel", "waiting up to 30s to see whether it is still running", "the run takes over the cordon of run ")
	ended.prints(t, "poddisruptionbudget/", "node/"+name+" already cordoned")
	if still := temporary(); len(still) > 0 {
		t.Errorf("still there: %v", still)
	}
	if n := world.node(t, name); !n.Spec.Unschedulable || !strings.Contains(n.Metadata.Annotations["kdrain-tui.dev/cordon"], `"after":`) {
		t.Errorf("%+v", n)
	}

	// A third machine again, with nothing but the marks of the second run.
	world.operator(t).run("rollback", "--node", name, "--yes").exits(t, 0, "reason: new kernel")
	if n := world.node(t, name); n.Spec.Unschedulable || n.Metadata.Annotations["kdrain-tui.dev/cordon"] != "" {
		t.Errorf("not as before: %+v", n)
	}
	world.operator(t).run("rollback", "--node", name, "--yes").exits(t, 1, "it is schedulable")
}
