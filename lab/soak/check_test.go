package main

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/bench/film"
)

func second(n int) time.Time { return time.Unix(1000, 0).Add(time.Duration(n) * time.Second) }

// story is a run in which pod web-1 under a budget is evicted as it should be.
func story() *evidence {
	pod := func(n int) film.PodFrame {
		return film.PodFrame{
			At: second(n), UID: "1", Namespace: "ns", Name: "web-1", Node: "target", Ready: true, Phase: corev1.PodRunning,
			Labels: map[string]string{"app": "web", "own": "web"},
		}
	}
	leaving, gone := pod(11), pod(12)
	leaving.Deleted, gone.Deleted, gone.Gone = second(40), second(40), true
	budget := func(n, allowed int, disrupted ...string) film.BudgetFrame {
		return film.BudgetFrame{
			At: second(n), Namespace: "ns", Name: "web", Selector: labels.SelectorFromSet(labels.Set{"app": "web"}),
			Observed: true, Allowed: allowed, Disrupted: disrupted,
		}
	}
	return &evidence{
		world: world{Targets: []string{"target"}, Apps: []app{{Namespace: "ns", Name: "web", Kind: "Deployment"}}},
		said: said{
			planned: map[types.UID]plannedPod{"1": {Node: "target", Namespace: "ns", Name: "web-1", UID: "1", Action: "evict"}},
			nodes:   map[string]bool{"target": false, "refused": true},
			report: &report{Outcome: "done", EndedAt: second(13), Nodes: []nodeReport{{
				Name: "target", State: "Drained", Pods: []podReport{{Namespace: "ns", Name: "web-1", UID: "1", State: "Gone"}},
			}}},
		},
		requests: []audit.Request{
			{Verb: "patch", Resource: "nodes", Name: "target", Code: 200, Received: second(9), Answered: second(9)},
			{Verb: "create", Resource: "pods", Subresource: "eviction", Namespace: "ns", Name: "web-1", Code: 201, Received: second(10), Answered: second(11)},
		},
		pods:    map[types.UID][]film.PodFrame{"1": {pod(0), leaving, gone}},
		budgets: map[types.UID][]film.BudgetFrame{"b": {budget(0, 1), budget(10, 0, "web-1"), budget(12, 0)}},
	}
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*evidence)
		wrong  string // part of what is wrong, "" for nothing
	}{
		{"as it should be", func(*evidence) {}, ""},
		{"no token was free", func(e *evidence) { e.budgets["b"][0].Allowed = 0 }, "used no token"},
		{"two evictions used one token", func(e *evidence) { e.budgets["b"][1].Disrupted = []string{"web-1", "web-2"} }, "used no token"},
		{"a dead client's eviction spent a token before", func(e *evidence) { e.budgets["b"][0].Disrupted = []string{"web-1"} }, ""},
		{"another run evicts the pod meanwhile", func(e *evidence) {
			late := e.requests[1]
			late.Received = late.Received.Add(time.Millisecond)
			e.requests = append(e.requests, late)
		}, ""},
		{"another run evicts it before the budget allows", func(e *evidence) {
			late := e.requests[1]
			late.Received = late.Answered.Add(-time.Millisecond)
			e.requests = append(e.requests, late)
			e.requests[1].Answered = late.Received.Add(-time.Millisecond)
		}, "used no token"},
		{"another pod has the name", func(e *evidence) {
			e.said.planned = map[types.UID]plannedPod{"0": {Namespace: "ns", Name: "web-1", Action: "evict"}}
		}, "not the one of the plan"},
		{"the plan skips the pod", func(e *evidence) {
			p := e.said.planned["1"]
			p.Action = "skip"
			e.said.planned["1"] = p
		}, "the plan says to skip"},
		{"a pod of a DaemonSet", func(e *evidence) { e.world.Apps[0].Kind = "DaemonSet" }, "of a DaemonSet"},
		{"a node that was refused", func(e *evidence) { e.requests[0].Name = "refused" }, "which was refused"},
		{"a deletion past the budget", func(e *evidence) { e.requests[1].Verb, e.requests[1].Subresource = "delete", "" }, "past its budgets"},
		{"a request of another kind", func(e *evidence) { e.requests[0].Resource = "secrets" }, "which no drain needs"},
		{"the pod is still there", func(e *evidence) { e.pods["1"] = e.pods["1"][:2] }, "the report says Gone"},
		{"done, and a node failed", func(e *evidence) { e.said.report.Nodes[0].State = "Failed" }, "the outcome is"},
		{"done with code 4", func(e *evidence) { e.result.Code = 4 }, "ended with code 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := story()
			c.change(e)
			e.checkWrites()
			e.checkTokens()
			e.checkReport()
			e.checkExit()
			all := strings.Join(e.wrong, "; ")
			if c.wrong == "" && all != "" || !strings.Contains(all, c.wrong) {
				t.Errorf("wrong: %q, want %q", all, c.wrong)
			}
		})
	}
}

// A pod that could go all the time and was left alone is found.
func TestIdleIsFound(t *testing.T) {
	e := story()
	e.requests = nil
	e.said.report = &report{Outcome: "partly", EndedAt: second(9), Nodes: []nodeReport{{
		Name: "target", State: "Failed", Pods: []podReport{{Namespace: "ns", Name: "web-1", UID: "1", State: "Planned"}},
	}}}
	e.checkWaits()
	if len(e.wrong) != 1 || !strings.Contains(e.wrong[0], "nothing was in its way") {
		t.Errorf("wrong: %q", e.wrong)
	}
	e.wrong, e.budgets["b"][0].Allowed = nil, 0
	if e.checkWaits(); len(e.wrong) != 0 {
		t.Errorf("wrong although the budget allowed nothing: %q", e.wrong)
	}
	e.budgets["b"][0].Allowed, e.said.ended = 1, map[string]time.Time{"target": second(1)}
	if e.checkWaits(); len(e.wrong) != 0 {
		t.Errorf("wrong although the time of its node was over: %q", e.wrong)
	}
}

func TestWorldsComeAgain(t *testing.T) {
	for run := 1; run < 200; run++ {
		a, b := newWorld(7, run, kinds{surges: run%2 == 0}), newWorld(7, run, kinds{surges: run%2 == 0})
		if len(a.Apps) == 0 || len(a.Targets) == 0 || strings.Join(a.Flags, " ") != strings.Join(b.Flags, " ") || len(a.Apps) != len(b.Apps) {
			t.Fatalf("run %d: %+v and %+v", run, a, b)
		}
	}
}
