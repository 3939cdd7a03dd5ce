//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// event and report are what `drain -o json` prints, a line each.
type event struct {
	Schema    string
	Seq       int
	Time      time.Time
	Kind      string
	Node      string
	Namespace string
	Pod       string
	PodState  string
	Action    *struct {
		ID   int
		Verb string
	}
	Wait *struct{ For string }
}

type report struct {
	Schema, Run, Outcome, Status string
	Nodes                        []reportNode
	Requests                     map[string]int
	ToDo                         []struct{ What, Command string }
	Outages                      []struct{ From, Until time.Time }
	StartedAt, EndedAt           time.Time
	Answers                      []struct {
		Verb, AuditID string
		Code          int
	}
}

type reportNode struct {
	Name, UID, State        string
	Message                 string
	Cordoned, CordonInDoubt bool
	SafeToPowerOff          bool
	SafeToPowerOffWhy       []struct{ Object, Message string }
	Pods                    []reportPod
}

type reportPod struct {
	Namespace, Name, UID, Action, State string
	Replacement                         *struct{ State, Pod, UID, Node, Why string }
}

// readLines takes apart what `drain -o json` printed: events in order, and last
// the report.
func readLines(t *testing.T, text string) ([]event, report) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var events []event
	for i, line := range lines[:len(lines)-1] {
		e := decode[event](t, line)
		if e.Schema != "kdrain-tui/event/v1" || e.Seq != i+1 || e.Kind == "" || e.Time.IsZero() {
			t.Errorf("line %d is not the event that was expected: %s", i+1, line)
		}
		events = append(events, e)
	}
	last := decode[report](t, lines[len(lines)-1])
	if last.Schema != "kdrain-tui/report/v1" {
		t.Errorf("the last line is no report: %s", lines[len(lines)-1])
	}
	return events, last
}

// onlyDaemonsLeft asserts that a node is empty, as far as a drain goes.
func (w *world) onlyDaemonsLeft(t *testing.T, node string) {
	t.Helper()
	left := w.podsOn(t, node)
	for _, p := range left {
		if owners := p.Metadata.OwnerReferences; len(owners) != 1 || owners[0].Kind != "DaemonSet" {
			t.Errorf("%s/%s is still on %s", p.Metadata.Namespace, p.Metadata.Name, node)
		}
	}
	if len(left) != 3 {
		t.Errorf("%d pods are on %s, want those of 3 DaemonSets", len(left), node)
	}
	if !w.node(t, node).Spec.Unschedulable {
		t.Errorf("%s is not cordoned", node)
	}
}

// Nodes are drained headless: as JSON, as text, and one where the other is refused.
func TestDrainWithoutDashboard(t *testing.T) {
	world := ownWorld(t)

	t.Run("as JSON", func(t *testing.T) {
		operator := world.operator(t)
		answer := operator.run(with("drain", "worker-a1", "--yes", "-o", "json")...)
		answer.exits(t, 0)
		t.Logf("worker-a1 was drained in %s", answer.took.Round(time.Millisecond))
		_, report := readLines(t, answer.out)
		if report.Outcome != "done" || len(report.Nodes) != 1 || report.Nodes[0].State != "Drained" {
			t.Errorf("report %+v", report)
		}
		evicted := 0
		for _, p := range report.Nodes[0].Pods {
			if p.Action == "evict" {
				evicted++
			}
		}
		// A pod that its budget holds up is tried again every half minute.
		tries := evicted * int(answer.took/(30*time.Second))
		if sent := report.Requests["evict"]; evicted != 14 || sent < evicted || float64(sent) > 1.05*float64(evicted)+1+float64(tries) {
			t.Errorf("%d evictions were sent for %d pods (14 are planned) in %s", sent, evicted, answer.took)
		}
		world.onlyDaemonsLeft(t, "worker-a1")
		if journals := operator.journals(); len(journals) != 1 || !strings.Contains(journals[0], report.Run) {
			t.Errorf("run %s, journals %v", report.Run, journals)
		}
	})

	t.Run("as text", func(t *testing.T) {
		answer := world.operator(t).run(with("drain", "node/worker-a4", "--yes")...)
		answer.exits(t, 0, "Warning: ", "ignoring DaemonSet-managed Pods: kube-system/cni-")
		answer.prints(t, "node/worker-a4 cordoned\n", "evicting pod data/orders-db-0\n", "pod/orders-db-0 evicted\n", "node/worker-a4 drained\n")
		if strings.Contains(answer.out+answer.err, "\x1b") {
			t.Error("there are escape sequences in a pipe")
		}
		// Its namesake is there again, elsewhere: the volume is of no zone.
		world.onlyDaemonsLeft(t, "worker-a4")
	})

	t.Run("some of its pods", func(t *testing.T) {
		answer := world.operator(t).run(with("drain", "worker-c1", "--yes", "--pod-selector=app=tracking", "-o", "json")...)
		answer.exits(t, 0)
		_, report := readLines(t, answer.out)
		n := report.Nodes[0]
		named := 0
		for _, why := range n.SafeToPowerOffWhy {
			if strings.HasPrefix(why.Object, "Pod/logistics/labels-") && strings.Contains(why.Message, "not selected by --pod-selector=app=tracking") {
				named++
			}
			if strings.HasPrefix(why.Object, "Pod/logistics/tracking-") || strings.HasPrefix(why.Object, "Pod/kube-system/cni-") {
				t.Errorf("%s is said to be left: %s", why.Object, why.Message)
			}
		}
		if n.State != "Drained" || n.SafeToPowerOff || named != 1 {
			t.Errorf("%s, safe %v, %+v", n.State, n.SafeToPowerOff, n.SafeToPowerOffWhy)
		}
	})

	t.Run("one refused and one fine", func(t *testing.T) {
		answer := world.operator(t).run(with("drain", "worker-a3", "worker-c1", "--yes", "-o", "json")...)
		answer.exits(t, 4, "ops/debug-shell")
		_, report := readLines(t, answer.out)
		if report.Outcome != "partly" {
			t.Errorf("outcome %s", report.Outcome)
		}
		if world.node(t, "worker-a3").Spec.Unschedulable {
			t.Error("the refused node is cordoned")
		}
		world.onlyDaemonsLeft(t, "worker-c1")
	})
}

// A budget holds two pods of worker-a2 for as long as their sibling is sick. The
// drain waits, gives up in time, and can be interrupted; nothing is forced.
func TestDrainBlockedByBudget(t *testing.T) {
	world := ownWorld(t)
	operator := world.operator(t)
	held := func() (carts []pod) {
		for _, p := range world.podsOn(t, "worker-a2") {
			if p.Metadata.Namespace == "checkout" && p.Metadata.DeletionTimestamp == nil {
				carts = append(carts, p)
			}
		}
		return carts
	}

	answer := operator.run(with("drain", "worker-a2", "--yes", "--timeout", "10s", "--reason", "new kernel", "-o", "json")...)
	answer.exits(t, 4)
	if answer.took < 9*time.Second {
		t.Errorf("a timeout of 10s was over after %s", answer.took)
	}
	_, report := readLines(t, answer.out)
	if report.Outcome != "partly" || len(held()) != 2 {
		t.Errorf("outcome %s, %d carts left", report.Outcome, len(held()))
	}
	node := world.node(t, "worker-a2")
	if missing := firstMissing(node.Metadata.Annotations[mark], []string{report.Run, "ada", "new kernel"}); !node.Spec.Unschedulable || missing != "" {
		t.Errorf("the mark on the node says nothing of %q: %+v", missing, node)
	}

	drain := operator.start(with("drain", "worker-a2", "--yes")...)
	drain.waitFor(patience, "node/worker-a2 already cordoned", "budget cart needs 3, has 3", "on worker-b1: CrashLoopBackOff")
	drain.signal(syscall.SIGINT)
	drain.wait(patience).exits(t, 130, "SIGINT", "worker-a2")
	// Now that they could go, nobody sends them away any more.
	world.healCart(t)
	eventually(t, patience, "the budget allows a disruption", func() bool {
		return world.asMachinery(t, "get", "pdb", "-n", "checkout", "cart", "-o", "jsonpath={.status.disruptionsAllowed}") == "1"
	})
	if left := len(held()); left != 2 {
		t.Errorf("after the interrupt %d carts of 2 are left", left)
	}
	for _, path := range operator.journals() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: not JSON: %s", path, line)
			}
		}
		if !strings.Contains(string(text), `"RunEnded"`) {
			t.Errorf("%s does not say how the run ended", path)
		}
	}
	if n := len(operator.journals()); n != 2 {
		t.Errorf("%d journals, want 2", n)
	}
}
