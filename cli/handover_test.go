package cli

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// markedBench is rollbackBench on another machine: no journal, all that is known
// is in the cluster.
func markedBench(t *testing.T, more ...runtime.Object) (*bench, *unguarding) {
	t.Helper()
	mark := annotation.Mark{Run: "aaaaaa", By: "ada", Reason: "kernel", At: noon.Add(-time.Hour), Was: "schedulable"}.String()
	nodes := []*corev1.Node{cordonedBy(kube.FieldManager, "worker-1"), cordonedBy("kubectl", "worker-2"), cordonedBy(kube.FieldManager, "worker-3")}
	objects := append(more, temporaryBudget("kdrain-api"), temporaryBudget("kdrain-web"))
	for _, n := range nodes {
		n.Annotations[kube.CordonAnnotation] = mark
		objects = append(objects, n)
	}
	own := cordonedBy(kube.FieldManager, "worker-4")
	own.Annotations[kube.CordonAnnotation] = annotation.Mark{By: "bob", At: noon, Was: "schedulable"}.String()
	b := newBench(t, kubetest.SnapshotOf(noon, append(objects, own, node("worker-5", "blue", false))...))
	writer := &unguarding{scribe: b.writer, code: 200}
	b.acts = writer
	return b, writer
}

func TestRollbackByMarks(t *testing.T) {
	b, writer := markedBench(t)
	b.expect(t, ExitDone, nil, "rollback", "--node", "worker-1", "--node", "node/worker-2", "--yes")
	golden(t, "rollback-marks.out.txt", b.out.String())
	golden(t, "rollback-marks.err.txt", b.err.String())
	want := request.Cordon{Node: "worker-1", UID: "uid-worker-1", ResourceVersion: "7"}
	if len(writer.cordons) != 1 || writer.cordons[0] != want {
		t.Errorf("requests %+v", writer.cordons)
	}
	if len(writer.removed) != 2 || writer.removed[0].UID != "uid-kdrain-api" || writer.removed[1].UID != "uid-kdrain-web" {
		t.Errorf("removed %+v", writer.removed)
	}
}

func TestRollbackByMarksAsks(t *testing.T) {
	b, writer := markedBench(t)
	b.types("n\n")
	b.expect(t, ExitAborted, []string{"run aaaaaa by ada at 2026-11-21T11:00:00Z, reason: kernel", "Undo it? [y/N] "}, "rollback", "--node=worker-1")
	if writer.writes()+len(writer.removed) > 0 {
		t.Error("wrote")
	}
}

// What --node refuses, and that nothing is written then.
func TestMarksThatAreNotTakenUp(t *testing.T) {
	for _, command := range []string{"rollback", "resume"} {
		b, writer := markedBench(t)
		b.expect(t, ExitUsage, []string{"either a run or --node"}, command, "aaaaaa", "--node=worker-1", "--yes")
		b.expect(t, ExitUsage, []string{"there is no terminal to ask on"}, command, "--node=worker-1")
		b.expect(t, ExitUsage, []string{"--read-only forbids " + command}, command, "--node=worker-1", "--yes", "--read-only")
		b.connection.ReadOnly = false
		if len(b.opened) > 0 {
			t.Error("connected for nothing")
		}
		b.expect(t, ExitError, []string{"worker-4: no run cordoned it, bob at", "uncordon worker-4"}, command, "--node=worker-4", "--yes")
		b.expect(t, ExitError, []string{"worker-5: it is schedulable"}, command, "--node=worker-5", "--yes")
		b.expect(t, ExitError, []string{"nosuch"}, command, "--node=nosuch", "--yes")

		live := writeRun(t, b.StateDir, "aaaaaa", noon, "")
		b.expect(t, ExitError, []string{"run aaaaaa is live in another process"}, command, "--node=worker-1", "--yes")
		closed(t, live)
		if writer.writes()+len(writer.removed) > 0 || b.out.Len() > 0 {
			t.Errorf("%s wrote %v %v, said %s", command, writer.cordons, writer.removed, b.out)
		}
	}
	b, _ := markedBench(t)
	b.expect(t, ExitUsage, []string{"a run is resumed with the options that it had: --force is for --node only"}, "resume", "aaaaaa", "--yes", "--force")
}

// resume --node on a real server's answers: the mark is taken over with what the
// node was before, and the pods go.
func TestResumeByMarks(t *testing.T) {
	n := theNode(true)
	marked := cordonedBy(kube.FieldManager, "node")
	n.Annotations, n.ManagedFields = marked.Annotations, marked.ManagedFields
	s := newAPIServer(t, n)
	s.put("ADDED", thePod())
	b := s.connected(t)
	if code := b.run("resume", "--node=node", "--force", "--yes", "--server="+s.URL); code != ExitDone {
		t.Fatalf("exit %d\n%s%s", code, b.out, b.err)
	}
	for _, want := range []string{"The annotations are of run aaaaaa by ada", "the run takes over the cordon of run aaaaaa by ada"} {
		if !strings.Contains(b.err.String(), want) {
			t.Errorf("no %q in\n%s", want, b.err)
		}
	}
	for _, want := range []string{"node/node already cordoned\n", "node/node drained\n"} {
		if strings.Count(b.out.String(), want) != 1 {
			t.Errorf("not once %q in\n%s", want, b.out)
		}
	}
	if s.sent("PATCH", "/nodes/node") != 1 || s.sent("POST", "/eviction") != 1 {
		t.Errorf("requests %v", s.requests)
	}
}

// The budgets of the run that is taken up are removed before anything else; where
// that fails nothing else is done.
func TestResumeByMarksRemovesBudgetsFirst(t *testing.T) {
	b, writer := markedBench(t)
	writer.code = 403
	b.expect(t, ExitError, []string{"first: remove budget shop/kdrain-api\nfirst: remove budget shop/kdrain-web\n",
		"cannot remove budget shop/kdrain-api; nothing else was changed", "not today"}, "resume", "--node=worker-1", "--yes")
	if writer.writes() > 0 || len(writer.removed) != 1 {
		t.Errorf("%d writes, removed %v", writer.writes(), writer.removed)
	}
	b, writer = markedBench(t)
	writer.code = 403
	b.expect(t, ExitError,
		[]string{"first: remove budget shop/kdrain-api\nfirst: remove budget shop/kdrain-web\n", "not today"},
		"drain", "worker-1", "--take-over=aaaaaa", "--yes")
	if writer.writes() > 0 || len(writer.removed) != 1 {
		t.Errorf("%d writes, removed %v", writer.writes(), writer.removed)
	}
	b, _ = markedBench(t)
	b.denied = []string{"delete poddisruptionbudgets.policy"}
	b.expect(t, ExitPermission, []string{"ada may not delete poddisruptionbudgets.policy"}, "resume", "--node=worker-1", "--yes")
}

// Headless commands say which budgets a dead run left, with the exact command,
// and read-only ones without.
func TestLeftoversAreSaid(t *testing.T) {
	const command = "kubectl --context=prod delete pdb -n shop kdrain-api kdrain-web"
	b, _ := markedBench(t)
	closed(t, writeRun(t, b.StateDir, "aaaaaa", noon, ""))
	b.expect(t, ExitDone, nil, "plan", "worker-5")
	if !strings.Contains(b.out.String(), "2 temporary budgets are still there: shop/kdrain-api of run aaaaaa") || !strings.Contains(b.out.String(), command) {
		t.Errorf("%s", b.out)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "plan", "worker-5", "--read-only")
	if !strings.Contains(b.out.String(), "still there") || strings.Contains(b.out.String(), command) {
		t.Errorf("%s", b.out)
	}
	b.connection.ReadOnly = false
	b.expect(t, ExitError, []string{"Warning: 2 temporary budgets are still there", "remove what the run left behind: " + command}, "drain", "worker-5", "--yes")

	live := journal.JournalPath(b.StateDir, "aaaaaa")
	journal, _, err := journal.OpenJournal(live)
	if err != nil {
		t.Fatal(err)
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "plan", "worker-5")
	if strings.Contains(b.out.String(), "still there") {
		t.Errorf("the run is live: %s", b.out)
	}
	closed(t, journal)
}
