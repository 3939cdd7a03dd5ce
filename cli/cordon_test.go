package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// kubectl's words: k8s.io/kubectl v0.37.2 pkg/cmd/drain/drain.go
// RunCordonOrUncordon (already, changed).
func TestCordonOutput(t *testing.T) {
	for _, test := range []struct {
		args, out string
		writes    int
	}{
		{"cordon worker-1", "node/worker-1 cordoned\n", 1},
		{"cordon worker-2", "node/worker-2 already cordoned\n", 0},
		{"uncordon worker-2", "node/worker-2 uncordoned\n", 1},
		{"uncordon node/worker-1", "node/worker-1 already uncordoned\n", 0},
		{"cordon worker-1 worker-2 worker-1", "node/worker-1 cordoned\nnode/worker-2 already cordoned\n", 1},
		{"cordon -l pool=blue", "node/worker-1 cordoned\n", 1},
		{"cordon -l pool=red", "", 0},
		{"cordon worker-1 --dry-run=client", "node/worker-1 cordoned (dry run)\n", 0},
		{"cordon worker-1 --dry-run", "node/worker-1 cordoned (dry run)\n", 0},
		{"uncordon worker-2 --dry-run=server", "node/worker-2 uncordoned (server dry run)\n", 1},
	} {
		b := newBench(t, smallCluster())
		b.expect(t, ExitDone, nil, strings.Fields(test.args)...)
		if b.out.String() != test.out || b.writer.writes() != test.writes {
			t.Errorf("%s: %q with %d writes, want %q with %d", test.args, b.out, b.writer.writes(), test.out, test.writes)
		}
		for _, r := range b.writer.cordons {
			if bool(r.DryRun) != strings.Contains(test.args, "server") {
				t.Errorf("%s: dry run %v", test.args, r.DryRun)
			}
		}
	}
}

func TestCordonWritesTheMark(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitDone, nil, "cordon", "worker-1", "--reason", `disk "sda"`)
	r := b.writer.cordons[0]
	mark, ok := annotation.Parse(r.Mark)
	if !ok || mark.By != "ada" || mark.Reason != `disk "sda"` || mark.Was != "schedulable" || !mark.At.Equal(noon) {
		t.Errorf("mark %s", r.Mark)
	}
	if !json.Valid([]byte(r.Mark)) || r.UID != "uid-worker-1" || !r.Unschedulable {
		t.Errorf("request %+v", r)
	}
	b = newBench(t, smallCluster())
	b.run("uncordon", "worker-2")
	if r := b.writer.cordons[0]; r.Mark != "" || r.Unschedulable {
		t.Errorf("uncordon sent %+v", r)
	}
}

// What a run did together with its cordon is undone together with it.
func TestUncordonPutsBackBehindLoadBalancers(t *testing.T) {
	for mark, back := range map[string]bool{
		annotation.Mark{By: "ada", ExcludedFromLB: true}.String(): true, annotation.Mark{By: "ada"}.String(): false, "": false, "{": false,
	} {
		n := node("worker-1", "x", true)
		kubetest.ExcludeFromLB(n, kube.FieldManager, "")
		n.Annotations = map[string]string{kube.CordonAnnotation: mark}
		b := newBench(t, kubetest.SnapshotOf(noon, n))
		b.expect(t, ExitDone, nil, "uncordon", "worker-1")
		label := b.writer.cordons[0].ExcludeFromLB
		if got := label != nil && !*label; got != back {
			t.Errorf("%s: label %v", mark, label)
		}
	}
}

// A node that kubectl uncordon made schedulable keeps the label until somebody uncordons it with this program.
func TestUncordonRemovesTheLabelOfASchedulableNode(t *testing.T) {
	n := node("worker-1", "x", false)
	kubetest.ExcludeFromLB(n, kube.FieldManager, "")
	n.Annotations = map[string]string{kube.CordonAnnotation: annotation.Mark{Run: "r1", ExcludedFromLB: true}.String()}
	b := newBench(t, kubetest.SnapshotOf(noon, n))
	b.expect(t, ExitDone, nil, "uncordon", "worker-1")
	if len(b.writer.cordons) != 1 || b.writer.cordons[0].Unschedulable || b.writer.cordons[0].ExcludeFromLB == nil || *b.writer.cordons[0].ExcludeFromLB {
		t.Errorf("sent %+v", b.writer.cordons)
	}
	b = newBench(t, kubetest.SnapshotOf(noon, n))
	b.expect(t, ExitDone, nil, "cordon", "worker-1")
	if mark, _ := annotation.Parse(b.writer.cordons[0].Mark); !mark.ExcludedFromLB {
		t.Errorf("the next annotation forgets the label: %+v", mark)
	}
}

// kubectl goes on after a failure too, and hides it from its exit code.
func TestCordonFailures(t *testing.T) {
	b := newBench(t, smallCluster())
	b.writer.answers["worker-1"] = kube.Answer{Code: 422, Message: "the server says no"}
	b.expect(t, ExitError, []string{`error: unable to cordon node "worker-1": the server says no`}, "cordon", "worker-1")

	two := kubetest.SnapshotOf(noon, node("worker-1", "x", false), node("worker-3", "x", false))
	b = newBench(t, two)
	b.writer.answers["worker-1"] = kube.Answer{Failure: "connection refused"}
	b.expect(t, ExitPartly, []string{"connection refused"}, "cordon", "worker-1", "worker-3")
	if b.out.String() != "node/worker-3 cordoned\n" {
		t.Errorf("output %q", b.out)
	}
}

// racing is a cluster in which somebody changes the node just before our cordon comes.
type racing struct {
	*scribe
	store *kube.Store
	first func() // what they do
}

func (r *racing) Cordon(ctx context.Context, q request.Cordon) kube.Answer {
	if r.first != nil {
		r.first()
		r.first = nil
	}
	answer := r.scribe.Cordon(ctx, q)
	if live := r.store.Snapshot().Node(q.Node); live.ResourceVersion != q.ResourceVersion {
		return kube.Answer{Code: 409, Message: "the object has been modified"}
	}
	return answer
}

// The mark tells what the node was before: a cordon that somebody made in between stays
// theirs, and a heartbeat in between holds nothing up.
func TestACordonIsOfTheNodeThatWasSeen(t *testing.T) {
	for _, somebodyCordons := range []bool{true, false} {
		b := newBench(t, smallCluster())
		store := kube.NewStore(func() time.Time { return noon })
		store.SetHealth(kube.Health{Live: true, LastContact: noon})
		store.SetSync(kube.KindNodes, kube.SyncState{Phase: kube.Synced})
		put := func(version string, cordoned bool) {
			n := node("worker-1", "x", cordoned)
			n.ResourceVersion = version
			store.Put(convert.Node(n))
		}
		put("1", false)
		r := &racing{scribe: b.writer, store: store, first: func() { put("2", somebodyCordons) }}
		b.acts = r
		session := b.session()
		session.Source = store
		changed, err := session.Cordon(t.Context(), "worker-1", "", plan.DryRunNone)
		if err != nil || changed == somebodyCordons {
			t.Errorf("changed %v: %v", changed, err)
		}
		want := []string{"1", "2"}
		if somebodyCordons {
			want = want[:1]
		}
		var under []string
		for _, q := range b.writer.cordons {
			under = append(under, q.ResourceVersion)
		}
		if !slices.Equal(under, want) {
			t.Errorf("cordons under %v, want %v", under, want)
		}
	}
}

func TestCordonNeedsItsRules(t *testing.T) {
	b := newBench(t, smallCluster())
	b.denied = []string{"patch nodes"}
	b.expect(t, ExitPermission, []string{"ada may not patch nodes"}, "cordon", "worker-1")
	if b.writer.writes() > 0 {
		t.Error("a write without the right")
	}
}
