//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// A pod that is excluded by hand stays, and is named by the plan, the run, the report and the checklist.
func TestExcludedPod(t *testing.T) {
	world := ownWorld(t)
	operator := world.operator(t)
	planned := decode[plan](t, operator.run(with("plan", "worker-a1", "-o", "json")...).out)
	i := slices.IndexFunc(planned.Nodes[0].Pods, func(p planPod) bool { return p.Action == "evict" })
	first := planned.Nodes[0].Pods[i]
	name := first.Namespace + "/" + first.Name

	again := decode[plan](t, operator.run(with("plan", "worker-a1", "-o", "json", "--exclude-pod="+name, "--exclude-pod=shop/none")...).out)
	excluded := again.Nodes[0].Pods[slices.IndexFunc(again.Nodes[0].Pods, func(p planPod) bool { return p.UID == first.UID })]
	if excluded.Action != "skip" || len(excluded.Reasons) != 1 || excluded.Reasons[0].Code != "Excluded" {
		t.Errorf("planned %+v", excluded)
	}
	for _, code := range []string{"Excluded", "ExcludedUnknown"} {
		if !slices.ContainsFunc(again.Findings, func(f finding) bool { return f.Code == code }) {
			t.Errorf("no finding %s: %+v", code, again.Findings)
		}
	}

	answer := operator.run(with("drain", "worker-a1", "--yes", "-o", "json", "--exclude-pod="+name)...)
	answer.exits(t, 0)
	_, report := readLines(t, answer.out)
	node := report.Nodes[0]
	if node.State != "Drained" || node.SafeToPowerOff || !slices.ContainsFunc(node.SafeToPowerOffWhy, func(r struct{ Object, Message string }) bool {
		return r.Object == "Pod/"+name && strings.Contains(r.Message, "--exclude-pod")
	}) {
		t.Errorf("%s, safe %t: %+v", node.State, node.SafeToPowerOff, node.SafeToPowerOffWhy)
	}
	left := world.podsOn(t, "worker-a1")
	if len(left) != 4 || !slices.ContainsFunc(left, func(p pod) bool { return p.Metadata.UID == first.UID }) {
		t.Errorf("%d pods are on worker-a1, want 3 of DaemonSets and %s", len(left), name)
	}
	operator.run("report", report.Run).prints(t, "pod "+name+" was excluded by hand: the run did not evict it from worker-a1", "--exclude-pod="+name)
	operator.run("check", "worker-a1").exits(t, 3)
}
