package cli

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// writeJournal puts the journal of run "aaaaaa" into the state folder, with its
// first event before the others.
func writeJournal(t *testing.T, dir, clusterUID string, events ...drain.Event) {
	t.Helper()
	journal, err := journal.CreateJournal(dir, "aaaaaa")
	if err != nil {
		t.Fatal(err)
	}
	start := drain.Event{Kind: drain.EventRunStarted, Run: &drain.RunFacts{
		ID: "aaaaaa", Context: "prod", Server: "https://prod.example:6443", ClusterUID: clusterUID, User: "ada",
		Options: plan.DefaultOptions(),
		Nodes:   []drain.NodeFacts{{Name: "worker-1", UID: "uid-worker-1"}, {Name: "worker-2", UID: "uid-worker-2"}},
		Pods: []eviction.Facts{
			{Node: "worker-1", Namespace: "shop", Name: "api-1", UID: "uid-api-1", Action: plan.ActionEvict},
			{Node: "worker-1", Namespace: "shop", Name: "web-1", UID: "uid-web-1", Action: plan.ActionEvict}},
	}}
	events = append([]drain.Event{start}, events...)
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), noon.Add(time.Duration(i)*time.Second)
	}
	if err := journal.Append(events, false); err != nil {
		t.Fatal(err)
	}
	closed(t, journal)
}

// cutShort are the events of a run whose process died on its way: two nodes
// cordoned, two budgets made and one asked for without an answer, one pod gone.
func cutShort() []drain.Event {
	temporary := func(name string, state tempbudget.State, uid kube.UID) drain.Event {
		return drain.Event{Kind: drain.EventBudget, Namespace: "shop", BudgetState: state,
			Budget: &tempbudget.Facts{Namespace: "shop", Name: name, UID: uid}}
	}
	cordon := func(node string) drain.Event {
		return drain.Event{Kind: drain.EventIntent, Node: node, Action: &attempt.ActionFacts{ID: 9, Verb: attempt.VerbCordon}}
	}
	return []drain.Event{
		temporary("kdrain-api", tempbudget.Planned, ""), temporary("kdrain-web", tempbudget.Planned, ""),
		temporary("kdrain-old", tempbudget.Planned, ""),
		temporary("kdrain-api", tempbudget.Created, "uid-kdrain-api"), temporary("kdrain-old", tempbudget.Created, "uid-kdrain-old"),
		cordon("worker-1"), nodeEvent(drain.NodeCordoned, ""), cordon("worker-2"),
		podEvent("api-1", eviction.Gone, nil, ""),
	}
}

func cordonedBy(manager, name string) *corev1.Node {
	n := node(name, "blue", true)
	n.ResourceVersion = "7"
	n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: "aaaaaa", By: "ada", Was: "schedulable"}.String()}
	n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)}}
	return n
}

func temporaryBudget(name string) *policyv1.PodDisruptionBudget {
	b := givenBudget(name, 1, 1, 0, 1)
	b.Labels = map[string]string{kube.ManagedByLabel: kube.ManagedByValue, kube.RunLabel: "aaaaaa"}
	return b
}

// unguarding is a scribe that answers for budgets too.
type unguarding struct {
	*scribe
	removed []request.BudgetRef
	code    int
}

func (u *unguarding) DeleteBudget(_ context.Context, r request.BudgetRef) kube.Answer {
	u.removed = append(u.removed, r)
	if u.code == 404 {
		return kube.Answer{Code: 404, Reason: "NotFound", Message: `poddisruptionbudgets.policy "x" not found`}
	}
	return kube.Answer{Code: u.code, Reason: "Forbidden", Message: "not today"}
}

// rollbackBench is the cluster after cutShort: somebody has made the cordon of
// worker-2 their own.
func rollbackBench(t *testing.T) (*bench, *unguarding) {
	t.Helper()
	b := newBench(t, kubetest.SnapshotOf(noon, cordonedBy(kube.FieldManager, "worker-1"), cordonedBy("kubectl", "worker-2"),
		temporaryBudget("kdrain-api"), temporaryBudget("kdrain-web")))
	writer := &unguarding{scribe: b.writer, code: 200}
	b.acts = writer
	writeJournal(t, b.StateDir, "cluster-1", cutShort()...)
	return b, writer
}

func TestRollback(t *testing.T) {
	b, writer := rollbackBench(t)
	b.expect(t, ExitDone, nil, "rollback", "aaaaaa", "--yes")
	golden(t, "rollback.out.txt", b.out.String())
	golden(t, "rollback.err.txt", b.err.String())
	want := request.Cordon{Node: "worker-1", UID: "uid-worker-1", ResourceVersion: "7"}
	if len(writer.cordons) != 1 || writer.cordons[0] != want {
		t.Errorf("requests %+v", writer.cordons)
	}
	// The budget without an answer in the journal is found by its label.
	if len(writer.removed) != 2 || writer.removed[0].UID != "uid-kdrain-api" || writer.removed[1].UID != "uid-kdrain-web" {
		t.Errorf("removed %+v", writer.removed)
	}
	if live, err := journal.Live(journal.JournalPath(b.StateDir, "aaaaaa")); live || err != nil {
		t.Errorf("the journal is still held: %v, %v", live, err)
	}
	if asked := strings.Join(b.asked, ", "); asked != "get nodes, list poddisruptionbudgets.policy, delete poddisruptionbudgets.policy, patch nodes" {
		t.Errorf("asked for %s", asked)
	}
	if got := b.connection.Overrides.CurrentContext; got != "prod" {
		t.Errorf("context %q instead of the run's", got)
	}
}

// What was taken back is in the journal of the run: its report and the list of runs do not call for it again.
func TestARolledBackRunSaysSo(t *testing.T) {
	b, _ := rollbackBench(t)
	b.expect(t, ExitDone, nil, "report", "aaaaaa")
	left := []string{"node worker-1 was left cordoned", "resume it", "or undo what it did"}
	for _, words := range left {
		if !strings.Contains(b.out.String(), words) {
			t.Errorf("before the rollback no %q in\n%s", words, b.out.String())
		}
	}
	b.expect(t, ExitDone, nil, "rollback", "aaaaaa", "--yes")
	b.out.Reset()
	b.expect(t, ExitDone, nil, "report", "aaaaaa")
	for _, words := range left {
		if strings.Contains(b.out.String(), words) {
			t.Errorf("after it %q in\n%s", words, b.out.String())
		}
	}
	for _, words := range []string{"rolled back: node/worker-1 uncordoned", "rolled back: poddisruptionbudget/kdrain-api removed"} {
		if !strings.Contains(b.out.String(), words) {
			t.Errorf("no %q in\n%s", words, b.out.String())
		}
	}
	b.expect(t, ExitDone, nil, "runs")
	if !strings.Contains(b.out.String(), "cut short, rolled back") {
		t.Errorf("%s", b.out.String())
	}
	briefs, err := b.Program.runs.All()
	if err != nil || len(briefs) != 1 || briefs[0].State() != "rolled back" {
		t.Errorf("%+v, %v", briefs, err)
	}
	b.expect(t, ExitError, []string{"run aaaaaa was rolled back; there is nothing to resume"}, "resume", "aaaaaa", "--yes")
}

// A rollback that failed in part is offered again, and the run does not count as rolled back.
func TestARunIsRolledBackInPart(t *testing.T) {
	b, writer := rollbackBench(t)
	writer.code = 403
	b.expect(t, ExitPartly, nil, "rollback", "aaaaaa", "--yes")
	b.out.Reset()
	b.expect(t, ExitDone, nil, "report", "aaaaaa")
	for _, words := range []string{"rolled back: node/worker-1 uncordoned", "rollback ended: partly: 2 changes are not undone", "or undo what it did"} {
		if !strings.Contains(b.out.String(), words) {
			t.Errorf("no %q in\n%s", words, b.out.String())
		}
	}
	b.out.Reset()
	b.expect(t, ExitDone, nil, "runs")
	if strings.Contains(b.out.String(), "rolled back") {
		t.Errorf("%s", b.out.String())
	}
	writer.code = 200
	b.expect(t, ExitDone, nil, "rollback", "aaaaaa", "--yes")
	b.out.Reset()
	b.expect(t, ExitDone, nil, "runs")
	if !strings.Contains(b.out.String(), "cut short, rolled back") {
		t.Errorf("%s", b.out.String())
	}
}

// A rollback by annotations writes into the journal of the run, where that is here. The run counts as rolled back once
// nothing of it is left.
func TestRollbackByAnnotationsBesideItsJournal(t *testing.T) {
	b, _ := markedBench(t)
	writeJournal(t, b.StateDir, "cluster-1", cutShort()...)
	b.expect(t, ExitDone, nil, "rollback", "--node", "worker-1", "--yes")
	b.out.Reset()
	b.expect(t, ExitDone, nil, "report", "aaaaaa")
	for _, words := range []string{"rolled back: node/worker-1 uncordoned", "rollback ended: partly: 2 changes are not undone"} {
		if !strings.Contains(b.out.String(), words) {
			t.Errorf("no %q in\n%s", words, b.out.String())
		}
	}
	b.expect(t, ExitDone, nil, "rollback", "aaaaaa", "--yes")
}

// A rollback by annotations works although the journal of the run is damaged.
func TestRollbackByAnnotationsBesideADamagedJournal(t *testing.T) {
	b, writer := markedBench(t)
	writeJournal(t, b.StateDir, "cluster-1", cutShort()...)
	path := journal.JournalPath(b.StateDir, "aaaaaa")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("{}\n"), text...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitDone, []string{"what is undone is written into no journal: journal "}, "rollback", "--node", "worker-1", "--yes")
	if len(writer.cordons) != 1 {
		t.Errorf("requests %+v", writer.cordons)
	}
}

func TestSurgeTakenBackHasALine(t *testing.T) {
	const what = "set Deployment shop/web back to 2 replicas"
	for want, one := range map[string]request.Request{
		what + ": done": request.Lower{From: 4, To: 2},
		what + ": its replicas were not changed, the rest is done": request.Lower{From: 4, To: 4},
	} {
		u := rollback.Undo{What: what, Surge: []request.Request{request.SetCost{}, one}}
		if got := u.Undone(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRollbackAsks(t *testing.T) {
	for typed, code := range map[string]int{"y\n": ExitDone, "n\n": ExitAborted, "\n": ExitAborted, "": ExitAborted} {
		b, writer := rollbackBench(t)
		b.types(typed)
		b.expect(t, code, []string{"Undo it? [y/N] "}, "rollback", "aaaaaa")
		if wrote := writer.writes() > 0; wrote != (code == ExitDone) {
			t.Errorf("%q: wrote %v", typed, wrote)
		}
	}
}

func TestRollbackThatFailsInPart(t *testing.T) {
	b, writer := rollbackBench(t)
	writer.code = 403
	b.expect(t, ExitPartly, []string{"error: unable to remove budget shop/kdrain-api: not today"}, "rollback", "aaaaaa", "--yes")
	if b.out.String() != "node/worker-1 uncordoned\n" || len(writer.removed) != 2 {
		t.Errorf("%s%v", b.out, writer.removed)
	}
	b, writer = rollbackBench(t)
	writer.code = 404 // gone before we came: what was wanted
	b.writer.answers["worker-1"] = kube.Answer{Code: 409, Message: "the object has been modified"}
	b.expect(t, ExitPartly, []string{"unable to uncordon node worker-1: the object has been modified"}, "rollback", "aaaaaa", "--yes")
	if len(writer.cordons) != 1 {
		t.Errorf("%d requests for one", len(writer.cordons))
	}
}

// Each undo is judged again right before it is sent.
func TestRollbackOfWhatChangesMeanwhile(t *testing.T) {
	b, writer := rollbackBench(t)
	reader := &turning{bench: b, after: kubetest.SnapshotOf(noon, cordonedBy("kubectl", "worker-1"), cordonedBy("kubectl", "worker-2"))}
	b.types("y\n")
	b.shows = reader
	b.expect(t, ExitPartly, []string{"unable to uncordon node worker-1: it changed meanwhile: kubectl has cordoned it since"}, "rollback", "aaaaaa")
	if writer.writes()+len(writer.removed) > 0 {
		t.Errorf("wrote %v %v", writer.cordons, writer.removed)
	}
}

// turning is a cluster that is another one from the question on.
type turning struct {
	bench *bench
	after *kube.Snapshot
}

func (r *turning) Snapshot() *kube.Snapshot {
	if strings.Contains(r.bench.err.String(), "Undo it?") {
		return r.after
	}
	return r.bench.snapshot
}

func (r *turning) Changed(ctx context.Context) <-chan struct{} {
	return still{r.bench.snapshot}.Changed(ctx)
}

func TestRollbackNeedsItsRights(t *testing.T) {
	for _, rule := range []string{"get nodes", "list poddisruptionbudgets.policy", "patch nodes", "delete poddisruptionbudgets.policy"} {
		b, writer := rollbackBench(t)
		b.denied = []string{rule}
		b.expect(t, ExitPermission, []string{"ada may not " + rule}, "rollback", "aaaaaa", "--yes")
		if writer.writes()+len(writer.removed) > 0 {
			t.Errorf("%s: wrote all the same", rule)
		}
	}
}

func TestNothingToRollBack(t *testing.T) {
	b := newBench(t, smallCluster())
	b.denied = []string{"patch nodes", "list poddisruptionbudgets.policy"} // not needed for that
	writeJournal(t, b.StateDir, "cluster-1")
	b.expect(t, ExitDone, []string{"nothing is left to undo for run aaaaaa"}, "rollback", "aaaaaa", "--yes")

	b = newBench(t, smallCluster())
	writeJournal(t, b.StateDir, "cluster-1", cutShort()[5:7]...)
	b.expect(t, ExitDone, []string{"Left as it is:\n  uncordon node worker-1: it is already schedulable\n", "nothing is left to undo"},
		"rollback", "aaaaaa", "--yes")
	if b.writer.writes() > 0 {
		t.Error("wrote")
	}
}

// What rollback and resume refuse, before anything connects.
func TestRunsThatAreNotTouched(t *testing.T) {
	for _, command := range []string{"rollback", "resume"} {
		b, _ := rollbackBench(t)
		b.expect(t, ExitUsage, []string{"which run?"}, command, "--yes")
		b.expect(t, ExitUsage, []string{"there is no terminal to ask on"}, command, "aaaaaa")
		b.expect(t, ExitUsage, []string{"--read-only forbids " + command}, command, "aaaaaa", "--yes", "--read-only")
		b.connection.ReadOnly = false
		b.expect(t, ExitError, []string{`no run "../aaaaaa"`, "it has: aaaaaa"}, command, "../aaaaaa", "--yes")

		path := journal.JournalPath(b.StateDir, "aaaaaa")
		journal, _, err := journal.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		b.expect(t, ExitError, []string{"run aaaaaa is live in another process", "abort it first"}, command, "aaaaaa", "--yes")
		closed(t, journal)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(text, "{}\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		b.expect(t, ExitError, []string{"is damaged at line 12"}, command, "aaaaaa", "--yes")
		if len(b.opened) > 0 || b.out.Len() > 0 {
			t.Errorf("%s: connected %v, printed %s", command, b.opened, b.out)
		}
	}
}

func TestWrongCluster(t *testing.T) {
	for _, command := range []string{"rollback", "resume"} {
		b := newBench(t, smallCluster())
		writeJournal(t, b.StateDir, "cluster-2", cutShort()...)
		b.expect(t, ExitUsage, []string{"wrong cluster: run aaaaaa was on cluster-2, this is cluster-1"}, command, "aaaaaa", "--yes")
		if b.writer.writes()+len(b.asked) > 0 {
			t.Errorf("%s: asked the wrong cluster", command)
		}
	}
}

func TestRollbackOfATornJournal(t *testing.T) {
	b, writer := rollbackBench(t)
	file, err := os.OpenFile(journal.JournalPath(b.StateDir, "aaaaaa"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"seq":12,"ki`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b.expect(t, ExitDone, []string{"the last line of the journal is incomplete"}, "rollback", "aaaaaa", "--yes")
	if writer.writes() != 1 {
		t.Errorf("%d writes", writer.writes())
	}
}

func TestSignalWhileRollbackAsks(t *testing.T) {
	b, writer := rollbackBench(t)
	reader, typing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b.Terminal, b.In = Terminal{In: true, Err: true}, reader
	b.signals <- syscall.SIGINT
	b.expect(t, 128+2, []string{"ended by SIGINT"}, "rollback", "aaaaaa")
	if writer.writes() > 0 {
		t.Error("wrote")
	}
	_ = typing.Close()
}
