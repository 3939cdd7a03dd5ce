//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/lab/expect"
)

// plan is the contract of `plan -o json`, as a pipeline reads it.
type plan struct {
	Schema    string
	Context   string
	Server    string
	TakenAt   time.Time
	Options   map[string]any
	Nodes     []planNode
	Findings  []finding
	Drainable *bool
	Waves     planWaves
	Estimate  *struct {
		TotalSeconds, LowerBoundSeconds float64
		Waves                           []int
		Blocked                         int
	}
}

type planWaves struct {
	Now                     int
	Later                   []planLater
	Last                    int
	Blocked, Never, Unknown int
}

type planLater struct {
	Pods  int
	After []string
}

type planNode struct {
	Name, UID     string
	Ready         bool
	Unschedulable bool
	Drainable     *bool
	Pods          []planPod
}

type planPod struct {
	Namespace, Name, UID, Owner, Action string
	Reasons                             []struct{ Code, Level, Message string }
	Budget                              *planBudget
	Wave                                *int
	Landing                             *struct{ Answer, Why, Together string }
}

type planBudget struct {
	Verdict string
	Names   []string
	Why     string
	Budgets []struct {
		Name            string
		Needed, Present int
	}
	UnhealthyPod *struct{ Name, Node, Reason string }
}

type finding struct {
	Code, Level, Message string
	Objects              []string
}

func (o *operator) plan(node string, flags ...string) (plan, answer) {
	o.t.Helper()
	a := o.run(append([]string{"plan", node, "-o", "json"}, flags...)...)
	return decode[plan](o.t, a.out), a
}

// The plan of every node says of every pod of the cluster what the scene was
// made to show, and so does the dashboard.
func TestDemoSceneIsPlannedAsExpected(t *testing.T) {
	world := sharedWorld(t)
	expected := readExpectations(t)
	operator := world.operator(t)
	planned := map[string]bool{}
	for _, node := range expected.Nodes {
		var plan plan
		var answer answer
		// What a finalizer holds is stuck once its grace is over.
		eventually(t, patience, fmt.Sprintf("the plan of %s exits %d", node.Name, node.Exit), func() bool {
			plan, answer = operator.plan(node.Name, expected.Flags...)
			return answer.code == node.Exit
		})
		checkNode(t, &expected, node, plan.Nodes[0])
		for _, difference := range expected.Differences(node, plan.named()) {
			t.Errorf("the plan of %s: %s", node.Name, difference)
		}
		for _, p := range plan.Nodes[0].Pods {
			planned[p.Namespace+"/"+p.Name] = true
		}
		if slices.Contains([]string{"worker-a2", "worker-a3", "worker-b2", "worker-c3"}, node.Name) {
			t.Run("screen of "+node.Name, func(t *testing.T) {
				checkPlanPage(t, world.operator(t), &expected, plan)
			})
		}
	}
	for _, p := range world.pods(t) {
		if name := p.Metadata.Namespace + "/" + p.Metadata.Name; !planned[name] {
			t.Errorf("pod %s on %q is in no plan", name, p.Spec.NodeName)
		}
	}
	if nodes := list[node](t, world, "nodes"); len(nodes) != len(expected.Nodes) {
		t.Errorf("%d nodes are expected, there are %d", len(expected.Nodes), len(nodes))
	}
}

func checkNode(t *testing.T, all *expect.Scene, expected expect.Node, got planNode) {
	t.Helper()
	if got.Name != expected.Name || got.Ready != expected.Ready || got.Unschedulable != expected.Unschedulable {
		t.Errorf("node %+v, want %+v", got, expected)
	}
	if got.Drainable == nil || expected.Drainable == nil || *got.Drainable != *expected.Drainable {
		t.Errorf("%s: drainable is not as expected (%v)", expected.Name, expected.Because)
	}
	count := map[*expect.Pods]int{}
	for _, p := range got.Pods {
		e := expectationOf(t, all, p, got.Name)
		if e == nil {
			continue
		}
		count[e]++
		for _, difference := range differences(e, p) {
			t.Errorf("%s: pod %s/%s: %s", got.Name, p.Namespace, p.Name, difference)
		}
	}
	for _, e := range all.Pods {
		if count[e] != e.On(got.Name) {
			t.Errorf("%s: %d pods of %s, want %d", got.Name, count[e], e, e.On(got.Name))
		}
	}
}

// checkPlanPage opens the plan of a node on the dashboard, wide enough for all
// that it has to say, and compares.
func checkPlanPage(t *testing.T, operator *operator, all *expect.Scene, plan plan) {
	node := plan.Nodes[0]
	term := operator.open(260, 50, append([]string{node.Name}, all.Flags...)...)
	term.waitFor("● live · 13 nodes", "✓ "+node.Name)
	term.keys("D")
	term.waitFor("Plan  "+node.Name, "FATE", "still valid", "y copy command")
	for _, p := range node.Pods {
		e := expectationOf(t, all, p, node.Name)
		if e == nil {
			continue
		}
		says := wordsOf(p, e)
		term.until(patience, fmt.Sprintf("a line of %s/%s with %q", p.Namespace, p.Name, says), func(s screen) bool {
			return firstMissing(s.line(p.Namespace+"/"+p.Name), says) == ""
		})
	}
	if len(plan.Findings) > 0 {
		term.keys("f")
		term.waitFor("f back", "  "+node.Name)
		for _, f := range plan.Findings {
			term.until(patience, fmt.Sprintf("a page of findings with %q", f.Message), func(s screen) bool {
				return strings.Contains(flat(s.String()), flat(f.Message))
			})
		}
		term.keys("Escape")
		term.waitFor("Plan  " + node.Name)
	}
	term.keys("q")
	if code, _ := term.ended(); code != 0 {
		t.Errorf("looking at a plan ends with exit code %d", code)
	}
}

// wordsOf are what the line of a pod must say.
func wordsOf(p planPod, e *expect.Pods) []string {
	says := []string{" " + e.Effects() + " "}
	if p.Owner != "" {
		says = append(says, p.Owner)
	}
	if e.Budget != nil {
		says = append(says, e.Budget.Names...)
	}
	if e.Landing == "Fits" {
		fits := "✔ fits"
		if e.Effects() != "moves" {
			fits = "fits" // there is no green mark on a line with a loss, or that waits
		}
		says = append(says, fits)
	}
	if e.Budget != nil && e.Budget.Needs != 0 {
		says = append(says, "cart needs 3, has 3", shortName(p.Budget.UnhealthyPod.Name))
	}
	return says
}

// flat is a text without its line breaks and indents.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// shortName is what tells a pod of a ReplicaSet from its siblings.
func shortName(name string) string { return name[strings.LastIndex(name, "-"):] }

// A plan is one JSON object of the contract, and its exit code says whether a
// drain would go through by itself.
func TestPlanForPipelines(t *testing.T) {
	operator := sharedWorld(t).operator(t)
	p, answer := operator.plan("worker-a2", "--ignore-daemonsets", "--delete-emptydir-data")
	answer.exits(t, 0)
	if p.Schema != "kdrain-tui/plan/v1" || p.Context != "lab" || !strings.HasPrefix(p.Server, "https://127.0.0.1:") {
		t.Errorf("schema %q, context %q, server %q", p.Schema, p.Context, p.Server)
	}
	if age := time.Since(p.TakenAt); age < -time.Minute || age > time.Minute {
		t.Errorf("taken at %s", p.TakenAt)
	}
	if len(p.Options) == 0 || p.Findings == nil || p.Drainable == nil || !*p.Drainable {
		t.Errorf("options %v, findings %v, drainable %v", p.Options, p.Findings, p.Drainable)
	}
	for _, pod := range p.Nodes[0].Pods {
		skipped := pod.Action == "skip"
		if pod.UID == "" || pod.Reasons == nil || skipped != (pod.Budget == nil) || skipped && pod.Wave != nil || !skipped && pod.Landing == nil {
			t.Errorf("pod %s/%s lacks something: %+v", pod.Namespace, pod.Name, pod)
		}
	}

	// Without the two flags that nearly every drain needs, it is refused.
	p, answer = operator.plan("worker-a2")
	answer.exits(t, 3)
	if p.Drainable == nil || *p.Drainable {
		t.Errorf("drainable %v where DaemonSet pods are refused", p.Drainable)
	}
	text := operator.run("plan", "node/worker-a2")
	text.exits(t, 3)
	text.prints(t, "worker-a2", "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "CrashLoopBackOff")
	if strings.Contains(text.out+text.err, "\x1b") {
		t.Error("there are escape sequences in a pipe")
	}
}
