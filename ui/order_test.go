package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
)

// Nodes are drained in the order of their marks: the marks are its numbers, and it can be changed.
func TestTheOrderOfNodesIsShownAndChanged(t *testing.T) {
	d := drive(t, company(), 170, 30)
	at := func(node string) { d.list(frame.Nodes).Table.Select(node) }
	for _, node := range []string{"worker-b1", "worker-a1", "worker-a2"} {
		at(node)
		if node == "worker-a1" {
			d.shows("✓ worker-b1") // one alone has no turn
		}
		d.keys("space")
	}
	d.shows("1 worker-b1", "2 worker-a1", "3 worker-a2")
	at("worker-a2")
	d.keys("[", "[", "[")
	at("worker-b1")
	d.keys("]")
	d.shows("1 worker-a2", "2 worker-a1", "3 worker-b1", "[ earlier")
	at("worker-c3")
	d.keys("[")
	d.shows("the order is that of the marks")
	d.keys("D")
	if got := d.m.page().(frame.Targeter).Targets(); !slices.Equal(got, []string{"worker-a2", "worker-a1", "worker-b1"}) {
		t.Errorf("the plan is in the order %q", got)
	}
}

// What the findings advise on the order is one key.
func TestTheAdvisedOrderIsOneKey(t *testing.T) {
	d := drive(t, company(), 140, 40, func(deps *Deps) {
		paper(deps).planned = func(p plan.Plan) plan.Plan {
			if p.Nodes[0].Name == "worker-a1" {
				p.Findings = append(p.Findings, plan.Finding{Code: preflight.FindingWaitsForLaterNode, Level: plan.LevelWarning,
					Message: "worker-a1 waits", Objects: []string{"Node/worker-a1", "Node/worker-b1", "Pod/checkout/cart"}})
			}
			return p
		}
	})
	for _, node := range []string{"worker-a1", "worker-b1"} {
		d.list(frame.Nodes).Table.Select(node)
		d.keys("space")
	}
	d.keys("D")
	d.shows("n order as advised")
	d.keys("n")
	d.shows("in the order worker-b1 and worker-a1")
	if got := d.m.page().(frame.Targeter).Targets(); !slices.Equal(got, []string{"worker-b1", "worker-a1"}) {
		t.Errorf("the plan is in the order %q", got)
	}
	d.keys("n")
	d.shows("no node waits for a later one")
}

// Numbers are sorted with the largest first, also what is used where that is known.
func TestTheBusiestNodeComesFirst(t *testing.T) {
	w := company()
	w.SetUsage(map[string]kube.Usage{"worker-b2": {CPUMilli: 3000, MemoryBytes: 1 << 30}, "worker-a1": {CPUMilli: 100, MemoryBytes: 9 << 30}})
	d := drive(t, w, 200, 30)
	d.send(snapshotMsg{w.Snapshot()})
	by := func(title, first string) {
		t.Helper()
		for range 12 {
			d.keys(">")
			if strings.Contains(d.frame(), "sorted by "+title) {
				break
			}
		}
		d.shows("sorted by " + title + ", the largest first; s reverses it")
		if got := d.list(frame.Nodes).Table.Keys()[0]; got != first {
			t.Errorf("by %s the first is %s, want %s", title, got, first)
		}
	}
	by("CPU used", "worker-b2")
	by("memory used", "worker-a1")
	by("pods", "worker-b1")
	d.shows("POD↓")
	d.keys("s")
	d.shows("POD↑")
}

// Pods in the order of their nodes stand under a title each, with the turn of the node and when its pods leave.
func TestPodsOfAPlanAreGroupedByNode(t *testing.T) {
	d := drive(t, company(), 170, 44, func(deps *Deps) {
		paper(deps).forecast = func(*kube.Snapshot, plan.Plan, time.Time) plan.Estimate {
			return plan.Estimate{Waves: []int{1}, Nodes: []plan.NodeSpan{
				{Node: "worker-b1", Until: 10 * time.Second}, {Node: "worker-a1", From: 15 * time.Second, Until: 100 * time.Second}}}
		}
	})
	for _, node := range []string{"worker-b1", "worker-a1"} {
		d.list(frame.Nodes).Table.Select(node)
		d.keys("space")
	}
	d.keys("D")
	d.shows("order 1 worker-b1 0:00 to ~0:10 · 2 worker-a1 0:15 to ~1:40", "NODE")
	d.keys(">", ">")
	screen := d.frame()
	first, second := strings.Index(screen, "1 worker-b1 0:00 to ~0:10 · "), strings.LastIndex(screen, "2 worker-a1 0:15 to ~1:40 · ")
	if first < 0 || second < first || strings.Contains(screen, " NODE ") {
		t.Errorf("no title over the pods of each node, in order:\n%s", screen)
	}
	d.keys("s")
	if screen = d.frame(); strings.LastIndex(screen, "1 worker-b1") < strings.LastIndex(screen, "2 worker-a1") {
		t.Errorf("reversed, the last node is first:\n%s", screen)
	}
}

// Nodes are sorted by what a drain of them would do, also those that are not visible.
func TestNodesByWhatADrainWouldDo(t *testing.T) {
	d := drive(t, company(), 120, 12)
	for range 12 {
		if d.list(frame.Nodes).Sort == "would" {
			break
		}
		d.keys(">")
	}
	d.shows("sorted by what a drain would do")
	d.refresh()
	want := []string{"worker-c1", "control-1", "worker-b1", "worker-a1", "worker-a2", "worker-a3", "worker-b2", "worker-c3"}
	if got := d.list(frame.Nodes).Table.Keys(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
