package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/eviction"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with testdata/NAME, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./drain/report -update rewrites it).\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// chronicle writes events down as a journal would have them.
type chronicle struct {
	events []drain.Event
	at     time.Time
	action uint64
}

func (c *chronicle) add(after time.Duration, e drain.Event) {
	c.at = c.at.Add(after)
	e.Seq, e.Time = uint64(len(c.events)+1), c.at
	c.events = append(c.events, e)
}

func (c *chronicle) pod(after time.Duration, name string, state eviction.State, wait *waits.Wait) {
	c.add(after, drain.Event{Kind: drain.EventPod, Node: nodeOfPod[name], Namespace: "shop", Pod: name, UID: kube.UID(name), PodState: state, Wait: wait})
}

var nodeOfPod = map[string]string{"api-1": "worker-1", "web-1": "worker-1", "db-0": "worker-2"}

// try is a request about a pod and its answer.
func (c *chronicle) try(after time.Duration, name string, code int, message string) {
	c.ask(after, name)
	e := drain.Event{Kind: drain.EventAnswer, Node: nodeOfPod[name], Namespace: "shop", Pod: name, UID: kube.UID(name),
		Action: &attempt.ActionFacts{ID: c.action, Verb: attempt.VerbEvict},
		Answer: &attempt.AnswerFacts{Code: code, Message: message, AuditID: "audit-" + name}}
	c.add(50*time.Millisecond, e)
}

func (c *chronicle) ask(after time.Duration, name string) {
	c.action++
	c.add(after, drain.Event{Kind: drain.EventIntent, Node: nodeOfPod[name], Namespace: "shop", Pod: name, UID: kube.UID(name),
		Action: &attempt.ActionFacts{ID: c.action, Verb: attempt.VerbEvict}})
}

func (c *chronicle) cordon(node, message string) {
	c.action++
	action := &attempt.ActionFacts{ID: c.action, Verb: attempt.VerbCordon}
	if message == "" {
		c.add(0, drain.Event{Kind: drain.EventIntent, Node: node, Action: action})
		c.add(10*time.Millisecond, drain.Event{Kind: drain.EventAnswer, Node: node, Action: action, Answer: &attempt.AnswerFacts{Code: 200, AuditID: "audit-" + node}})
	}
	c.add(10*time.Millisecond, drain.Event{Kind: drain.EventNode, Node: node, NodeState: drain.NodeCordoned, Message: message})
}

// sick is the wait for a budget that a sick pod holds.
func blockedByUnhealthy(present int32, reason string) *waits.Wait {
	return &waits.Wait{For: waits.ForBudget,
		Budget:       &budget.Numbers{Namespace: "shop", Name: "api", Needed: 2, Present: present, Expected: 3},
		UnhealthyPod: &budget.UnhealthyPod{Namespace: "shop", Name: "api-2", Node: "worker-9", Reason: reason}}
}

// aDrain are the events of a drain of two nodes up to the moment at which api-1
// has been held for two minutes; the second node had been cordoned by somebody.
func aDrain() *chronicle {
	options := plan.DefaultOptions()
	options.IgnoreDaemonSets, options.Timeout, options.Reason = true, 10*time.Minute, "kernel 6.12, CHG-4711"
	options.LeaseNamespace = kube.DefaultLeaseNamespace
	c := &chronicle{at: noon}
	c.add(0, drain.Event{Kind: drain.EventRunStarted, Run: &drain.RunFacts{
		ID: "k7f3pm", Context: "prod", Server: "https://prod.example:6443", ClusterUID: "cluster-1", User: "ada", Version: "v1.2.3", Options: options,
		Nodes: []drain.NodeFacts{{Name: "worker-1", UID: "n1"}, {Name: "worker-2", UID: "n2", Unschedulable: true}},
		Pods: []eviction.Facts{
			{Node: "worker-1", Namespace: "shop", Name: "api-1", UID: "api-1", Owner: "ReplicaSet/api", Action: plan.ActionEvict},
			{Node: "worker-1", Namespace: "shop", Name: "web-1", UID: "web-1", Owner: "ReplicaSet/web", Action: plan.ActionEvict},
			{Node: "worker-1", Namespace: "kube-system", Name: "proxy", UID: "proxy", Owner: "DaemonSet/proxy", Action: plan.ActionSkip},
			{Node: "worker-2", Namespace: "shop", Name: "db-0", UID: "db-0", Owner: "StatefulSet/db", Action: plan.ActionEvict},
		}}})
	c.add(time.Second, drain.Event{Kind: drain.EventPhase, Phase: drain.PhaseCordon, PhaseStatus: drain.PhaseAsks})
	c.add(0, drain.Event{Kind: drain.EventQuestion, Phase: drain.PhaseCordon})
	c.add(4*time.Second, drain.Event{Kind: drain.EventConfirmed, Phase: drain.PhaseCordon, By: "ada"})
	c.cordon("worker-1", "")
	c.cordon("worker-2", "already cordoned by kubectl at 2026-11-21T11:00:00Z")
	c.add(time.Second, drain.Event{Kind: drain.EventConfirmed, Phase: drain.PhaseEvict, Word: "prod", By: "ada"})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeDraining})
	c.try(0, "web-1", 201, "")
	c.pod(0, "web-1", eviction.Terminating, &waits.Wait{For: waits.ForGrace, Until: c.at.Add(30 * time.Second)})
	c.try(0, "api-1", 429, "Cannot evict pod as it would violate the pod's disruption budget.")
	c.pod(0, "api-1", eviction.BudgetBlocked, blockedByUnhealthy(1, "ErrImagePull"))
	c.pod(2*time.Second, "web-1", eviction.Replaced, nil)
	c.pod(28*time.Second, "api-1", eviction.BudgetBlocked, blockedByUnhealthy(1, "ImagePullBackOff"))
	c.add(time.Second, drain.Event{Kind: drain.EventConnection, Message: "connection refused"})
	c.add(5*time.Second, drain.Event{Kind: drain.EventConnection})
	c.try(54*time.Second, "api-1", 429, "Cannot evict pod as it would violate the pod's disruption budget.")
	c.pod(30*time.Second, "api-1", eviction.BudgetBlocked, blockedByUnhealthy(2, "ImagePullBackOff"))
	return c
}

// ended is aDrain up to its end: api-1 goes at last, and db-0 does not.
func (c *chronicle) ended() []drain.Event {
	c.try(4*time.Second, "api-1", 201, "")
	c.pod(0, "api-1", eviction.Terminating, &waits.Wait{For: waits.ForGrace, Until: c.at.Add(30 * time.Second)})
	c.pod(8*time.Second, "api-1", eviction.Gone, nil)
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-1", NodeState: drain.NodeDrained})
	c.add(0, drain.Event{Kind: drain.EventNode, Node: "worker-2", NodeState: drain.NodeDraining})
	c.try(0, "db-0", 201, "")
	c.pod(0, "db-0", eviction.Terminating, &waits.Wait{For: waits.ForGrace, Until: c.at.Add(30 * time.Second)})
	c.pod(30*time.Second, "db-0", eviction.StuckTerminating, &waits.Wait{For: waits.ForFinalizers, Finalizers: []string{"example.com/backup"}})
	c.add(10*time.Minute, drain.Event{Kind: drain.EventNode, Node: "worker-2", NodeState: drain.NodeFailed, Message: "not drained within 10m0s"})
	c.add(0, drain.Event{Kind: drain.EventRunEnded, Outcome: drain.OutcomePartly, Message: "1 of 2 nodes drained"})
	return c.events
}
