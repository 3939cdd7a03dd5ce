//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/lab/bench/audit"
	"github.com/kdrain-tui/kdrain-tui/lab/operators"
)

// managed are the pods of worker-1 in the scene managed under a budget that a controller opens, closes or deletes, by
// the beginnings of their names.
var managed = []struct {
	pod, why string // why is in the plan
	codes    []int  // the answers to its evictions
}{
	{"pg-1", "Cluster pg; CloudNativePG opens it after the switchover", []int{429, 201}},
	{"events-kafka-0", "Kafka events; with its drain cleaner installed, Strimzi restarts the pod", []int{500}},
	{"virt-launcher-vm-1-source", "VirtualMachineInstance vm-1; KubeVirt migrates", []int{429, 201}},
	{"search-es-default-0", "Elasticsearch search; ECK opens it while the health", []int{429, 201}},
	{"rook-ceph-osd-0", "CephCluster rook-ceph; Rook opens it when the data", []int{429, 201}},
	{"instance-manager-1", "Longhorn; Longhorn deletes it when the volumes of the node are detached", []int{429, 201}},
}

// evictions are the evictions that kdrain-tui has requested since then, in order.
func (w *world) evictions(t *testing.T, since int64) []audit.Request {
	t.Helper()
	requests, _, err := audit.Read(w.auditLog(), since)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(audit.Of(requests, "kdrain-tui"), func(r audit.Request) bool {
		return r.Kind() != audit.Eviction
	})
}

// Controllers move their pods after the cordon or the first eviction request. The drain requests each eviction at once,
// although the budgets are closed, and ends when the controllers have moved their pods. The controllers do not see the
// cordon before each pod was requested: so the speed of the machine does not matter.
func TestOperators(t *testing.T) {
	world := worldOf(t, setting{scene: "managed", audited: true})
	defer world.logOnFailure(t, "get", "pods,pdb", "-A", "-o", "wide")
	controllers := world.beside(t, "operators")
	eventually(t, patience, "the controllers are ready", func() bool {
		return strings.Contains(controllers.out.String(), operators.Ready)
	})
	operator := world.operator(t)
	pods := world.podsOn(t, "worker-1")
	plan, answer := operator.plan("worker-1", "--ignore-daemonsets")
	answer.exits(t, 0)
	judgeManagedPlan(t, plan.Nodes[0])

	world.asMachinery(t, "annotate", "node", "worker-1", operators.Blind+"=")
	since := world.auditEnd(t)
	drain := operator.start("drain", "worker-1", "--yes", "--ignore-daemonsets", "-o", "json")
	eventually(t, patience, "every pod was requested", func() bool { return len(world.evictions(t, since)) >= len(pods) })
	world.asMachinery(t, "annotate", "node", "worker-1", operators.Blind+"-")
	answer = drain.wait(2 * patience)
	answer.exits(t, 0)

	// No pod waits for anything before its first request.
	events, _ := readLines(t, answer.out)
	intended := map[string]bool{}
	for _, e := range events {
		if e.Action != nil && e.Action.Verb == "evict" {
			intended[e.Pod] = true
		} else if e.Wait != nil && e.Pod != "" && !intended[e.Pod] {
			t.Errorf("%s is %s and waits for %s before its eviction was requested", e.Pod, e.PodState, e.Wait.For)
		}
	}
	// The first request of each pod comes before the second one of any.
	requested := map[string][]int{}
	for i, r := range world.evictions(t, since) {
		if requested[r.Name] = append(requested[r.Name], r.Code); i < len(pods) && len(requested[r.Name]) > 1 {
			t.Errorf("request %d is a second one of %s, before the first one of another pod", i+1, r.Name)
		}
	}
	for _, p := range pods {
		codes := slices.Compact(requested[p.Metadata.Name]) // how often a webhook denies depends on the machine
		want := []int{201}
		for _, m := range managed {
			if strings.HasPrefix(p.Metadata.Name, m.pod) {
				want = m.codes
			}
		}
		if !slices.Equal(codes, want) {
			t.Errorf("the evictions of %s were answered by %v, want %v", p.Metadata.Name, codes, want)
		}
	}
	if changes := others(world.written(t, since)); !slices.Equal(changes, []string{"patch nodes worker-1"}) {
		t.Errorf("besides evictions it requested %q", changes)
	}
	if left := world.podsOn(t, "worker-1"); len(left) > 0 {
		t.Errorf("these are on worker-1: %+v", left)
	}
	operator.trueReport(operator.lastRun())
}

// judgeManagedPlan looks whether the plan names the controller of each pod, and calls none blocked for ever.
func judgeManagedPlan(t *testing.T, node planNode) {
	t.Helper()
	if node.Drainable == nil || !*node.Drainable {
		t.Errorf("worker-1 is not called drainable")
	}
	for _, m := range managed {
		i := slices.IndexFunc(node.Pods, func(p planPod) bool { return strings.HasPrefix(p.Name, m.pod) })
		if i < 0 || node.Pods[i].Budget == nil {
			t.Errorf("no pod %s with a budget in the plan", m.pod)
			continue
		}
		if b := node.Pods[i].Budget; b.Verdict == "Never" || !strings.Contains(b.Why, m.why) {
			t.Errorf("the plan says of %s: %s, %s; want %q", m.pod, b.Verdict, b.Why, m.why)
		}
	}
}
