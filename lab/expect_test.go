package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/expect"
)

func readExpectation(t *testing.T) expect.Scene {
	t.Helper()
	e, err := expect.Read("scenes/demo.expect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExpectationUsesTheWordsOfThePlan(t *testing.T) {
	actions := []string{"evict", "delete", "skip", "refuse"}
	reasons := []string{"DaemonSet", "OrphanedDaemonSet", "Mirror", "EmptyDir", "Unmanaged", "Finished", "Terminating", "NotSelected"}
	verdicts := []string{"Evictable", "Wait", "Never", "Deadlock", "Multiple", "Syncing", "Unknown"}
	for _, p := range readExpectation(t).Pods {
		if p.Owner == "" && p.Pod == "" || p.Reasons == nil || len(p.Nodes) == 0 || p.Namespace == "" {
			t.Errorf("%+v: something is left out", p)
			continue
		}
		name := p.String()
		if !slices.Contains(actions, p.Action) {
			t.Errorf("%s: action %q", name, p.Action)
		}
		for _, reason := range p.Reasons {
			if !slices.Contains(reasons, reason) {
				t.Errorf("%s: reason %q", name, reason)
			}
		}
		if (p.Budget == nil) != (p.Action == "skip") {
			t.Errorf("%s: a budget goes with a pod that is not skipped", name)
		}
		if p.Budget != nil && !slices.Contains(verdicts, p.Budget.Verdict) {
			t.Errorf("%s: verdict %q", name, p.Budget.Verdict)
		}
		if (p.Sibling != nil) != (p.Budget != nil && p.Budget.Verdict == "Wait") {
			t.Errorf("%s: a sick sibling goes with the verdict Wait", name)
		}
		recreated := p.Action == "evict" && !slices.Contains(p.Reasons, "Finished") && !slices.Contains(p.Reasons, "Terminating")
		if recreated != slices.Contains([]string{"Fits", "DoesNotFit", "Unknown"}, p.Landing) {
			t.Errorf("%s: landing %q goes with a pod that is recreated", name, p.Landing)
		}
	}
}

// belongsTo says whether an entry is about pods of an actor.
func belongsTo(p *expect.Pods, a actor) bool {
	if p.Namespace != a.namespace {
		return false
	}
	switch a.kind {
	case "Deployment":
		return p.Owner == "ReplicaSet/"+a.name+"-*"
	case "Pod":
		owner := ""
		if a.spec.NodeName != "" {
			owner = "Node/" + a.spec.NodeName
		}
		return p.Pod == a.name && p.Owner == owner
	}
	return p.Owner == a.kind+"/"+a.name
}

func TestEveryPodOfTheDemoHasAnExpectation(t *testing.T) {
	s, e := mustRead(t, "demo"), readExpectation(t)
	used := map[int]bool{}
	for _, a := range actors(t, s) {
		found := map[string]int{}
		for i := range e.Pods {
			p := e.Pods[i]
			if !belongsTo(p, a) {
				continue
			}
			used[i] = true
			for node, count := range p.Nodes {
				found[node] += count
			}
			if p.Budget != nil && !(slices.Contains(p.Reasons, "Terminating")) {
				if want := budgetsOf(t, s, a); !slices.Equal(slices.Sorted(slices.Values(p.Budget.Names)), want) {
					t.Errorf("%s/%s: budgets %v select it, not %v", a.namespace, a.name, want, p.Budget.Names)
				}
			}
			if emptyDir := hasEmptyDir(a); emptyDir != slices.Contains(p.Reasons, "EmptyDir") {
				t.Errorf("%s/%s: emptyDir %t, reasons %v", a.namespace, a.name, emptyDir, p.Reasons)
			}
		}
		want := a.nodes
		if a.kind == "DaemonSet" {
			want = map[string]int{"*": 1}
		}
		if !maps.Equal(found, want) {
			t.Errorf("%s/%s: the scene places %v, the expectation says %v", a.namespace, a.name, want, found)
		}
	}
	for i := range e.Pods {
		if !used[i] {
			t.Errorf("nothing in the scene is %s %s %s", e.Pods[i].Namespace, e.Pods[i].Owner, e.Pods[i].Pod)
		}
	}
}

func hasEmptyDir(a actor) bool {
	for _, volume := range a.spec.Volumes {
		if volume.EmptyDir != nil {
			return true
		}
	}
	return false
}

func TestExpectedNodesFollowFromTheirPods(t *testing.T) {
	s, e := mustRead(t, "demo"), readExpectation(t)
	var names []string
	for _, node := range e.Nodes {
		names = append(names, node.Name)
		if node.Ready == slices.Contains(s.dead, node.Name) || node.Unschedulable != slices.Contains(s.cordoned, node.Name) {
			t.Errorf("%s: ready %t, unschedulable %t", node.Name, node.Ready, node.Unschedulable)
		}
		var blockers []string
		for _, p := range e.Pods {
			if p.Nodes[node.Name] > 0 && (p.Budget.Stuck() || p.Action == "refuse" || p.Stuck || !node.Ready && p.Action == "evict") {
				blockers = append(blockers, p.Namespace+"/"+strings.TrimPrefix(strings.TrimSuffix(p.Owner, "-*"), "ReplicaSet/")+p.Pod)
			}
		}
		if node.Drainable == nil || *node.Drainable != (len(blockers) == 0) || (node.Exit == 3) != (len(blockers) > 0) {
			t.Errorf("%s: drainable and exit %d do not go with the blockers %v", node.Name, node.Exit, blockers)
		}
		if len(blockers) > 0 && !slices.Contains(blockers, node.Because) {
			t.Errorf("%s: held up by %v, not by %q", node.Name, blockers, node.Because)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(s.nodes))) {
		t.Errorf("nodes are %v, expected %v", s.nodes, names)
	}
}

// Findings that follow from what the file says anyway stand where they have to.
func TestExpectedFindingsFollowFromTheRest(t *testing.T) {
	e := readExpectation(t)
	for _, node := range e.Nodes {
		follows := map[string]bool{"AlreadyCordoned": node.Unschedulable, "NodeNotReady": !node.Ready, "EmptyDirData": false}
		for _, p := range e.Pods {
			if p.Nodes[node.Name] > 0 && p.Action == "evict" && slices.Contains(p.Reasons, "EmptyDir") {
				follows["EmptyDirData"] = true
			}
		}
		for code, want := range follows {
			if got := slices.ContainsFunc(node.Findings, func(f expect.Finding) bool { return f.Code == code }); got != want {
				t.Errorf("%s: a finding %s is expected: %t, and follows: %t", node.Name, code, got, want)
			}
		}
		for _, f := range node.Findings {
			if len(f.Objects) == 0 || !slices.Contains([]string{"info", "warning", "error"}, f.Level) {
				t.Errorf("%s: %s says too little", node.Name, f)
			}
		}
	}
}
