package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// kubectl's words: k8s.io/kubectl v0.37.2 pkg/cmd/drain/drain.go
// deleteOrEvictPodsSimple, RunCordonOrUncordon.
func TestClientDryRun(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitDone, []string{"Warning: ignoring DaemonSet-managed Pods: shop/exporter-1\n"},
		append(drainWorker1, "--dry-run=client")...)
	want := "node/worker-1 cordoned (dry run)\nevicting pod shop/api-1 (dry run)\nevicting pod shop/web-1 (dry run)\n" +
		"node/worker-1 drained (dry run)\n"
	if b.out.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.out, want)
	}
	if b.writer.writes() > 0 {
		t.Error("a client dry run sent something")
	}
}

// The server judges each pod alone, once; a refusal is an answer, not a reason
// to ask for ever, as kubectl does.
func TestServerDryRun(t *testing.T) {
	b := newBench(t, smallCluster())
	b.writer.answers["web-1"] = kube.Answer{
		Code: 429, Message: "Cannot evict pod as it would violate the pod's disruption budget.",
		Causes: []kube.Cause{{Type: "DisruptionBudget", Message: "The disruption budget web needs 1 healthy pods and has 1 currently"}},
	}
	b.expect(t, ExitPartly, []string{
		`when evicting pods/"web-1" -n "shop": Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1`,
		"web-2 on worker-2", "node/worker-1 would not be drained at once (server dry run)",
	}, append(drainWorker1, "--dry-run=server", "--grace-period=7")...)
	if len(b.writer.evicts) != 2 || len(b.writer.cordons) != 1 {
		t.Fatalf("sent %d evictions, %d cordons", len(b.writer.evicts), len(b.writer.cordons))
	}
	for _, r := range b.writer.evicts {
		if !r.DryRun || r.UID == "" || r.Grace == nil || *r.Grace != 7 {
			t.Errorf("sent %+v", r)
		}
	}
	if !b.writer.cordons[0].DryRun {
		t.Error("cordoned for real")
	}
}

// Accepted alone is not accepted together.
func TestServerDryRunAccountsTheBudgets(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitPartly, []string{"pod shop/web-1 would be accepted on its own, but has to wait"},
		append(drainWorker1, "--dry-run=server")...)
}

func TestServerDryRunOfDeletes(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitDone, nil, append(drainWorker1, "--dry-run=server", "--disable-eviction")...)
	if len(b.writer.deletes) != 2 || !b.writer.deletes[0].DryRun || len(b.writer.evicts) > 0 {
		t.Errorf("sent %+v", b.writer.deletes)
	}
}

func TestDryRunLeavesRefusedNodesOut(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitPartly, []string{`unable to drain node "worker-2"`},
		"drain", "worker-1", "worker-2", "--ignore-daemonsets", "--dry-run=client")
	if strings.Contains(b.out.String(), "worker-2") {
		t.Errorf("output:\n%s", b.out)
	}
	for _, args := range [][]string{
		{"drain", "worker-2", "--dry-run=server"},
		{"drain", "worker-1", "worker-2", "--ignore-daemonsets", "--dry-run=server", "--all-or-nothing"},
	} {
		b := newBench(t, smallCluster())
		b.expect(t, ExitRefused, nil, args...)
		if b.writer.writes() > 0 {
			t.Errorf("%v: sent something", args)
		}
	}
}

func TestDryRunJSON(t *testing.T) {
	b := newBench(t, smallCluster())
	b.expect(t, ExitPartly, nil, append(drainWorker1, "--dry-run=server", "-o", "json")...)
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	for i, line := range lines[:len(lines)-1] {
		var e struct {
			Schema string
			drain.Event
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Schema != drain.EventSchema || e.Seq != uint64(i+1) {
			t.Errorf("line %d: %v %s", i, err, line)
		}
	}
	var last report.Report
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last.Schema != report.Schema || last.Outcome != drain.OutcomePartly || last.Requests[attempt.VerbEvict] != 2 {
		t.Errorf("report %+v", last)
	}
}
