//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// daemonOn is the UID of the pod of a DaemonSet on a node, "" while it has none that stays.
func (w *world) daemonOn(t *testing.T, node, daemonSet string) string {
	t.Helper()
	for _, p := range w.podsOn(t, node) {
		if strings.HasPrefix(p.Metadata.Name, daemonSet+"-") && p.Metadata.DeletionTimestamp == nil {
			return p.Metadata.UID
		}
	}
	return ""
}

// The chosen pod of a DaemonSet is evicted once the last ordinary pod has left its node, and what the DaemonSet makes
// then stays; the pods of other DaemonSets are never asked for.
func TestEvictDaemonSets(t *testing.T) {
	const node, chosen = "worker-a1", "--evict-daemonsets=app=cni"
	world := ownWorld(t)
	operator := world.operator(t)
	cni, proxy := world.daemonOn(t, node, "cni"), world.daemonOn(t, node, "kube-proxy")

	planned := decode[plan](t, operator.run(with("plan", node, "-o", "json", chosen)...).out)
	waves, own := 0, 0
	for _, p := range planned.Nodes[0].Pods {
		switch {
		case p.UID == cni && (p.Action != "evict" || p.Wave == nil || p.Landing != nil || len(p.Reasons) != 1 ||
			p.Reasons[0].Code != "DaemonSetLast"):
			t.Fatalf("planned %+v", p)
		case p.UID == cni:
			own = *p.Wave
		case p.Wave != nil:
			waves = max(waves, *p.Wave)
		}
	}
	if own != waves+1 || planned.Waves.Last != 1 {
		t.Errorf("it is in wave %d, the others up to %d; %+v", own, waves, planned.Waves)
	}
	none := decode[plan](t, operator.run(with("plan", node, "-o", "json", "--evict-daemonsets=app=none")...).out)
	if !slices.ContainsFunc(none.Findings, func(f finding) bool { return f.Code == "NoDaemonSetChosen" }) {
		t.Errorf("no finding about a selector of nothing: %+v", none.Findings)
	}
	operator.run("drain", node, "--yes", "--evict-daemonsets=app=(").exits(t, 2, "--evict-daemonsets")

	answer := operator.run(with("drain", node, "--yes", "-o", "json", chosen)...)
	answer.exits(t, 0)
	events, report := readLines(t, answer.out)
	if n := report.Nodes[0]; n.State != "Drained" || !n.SafeToPowerOff {
		t.Errorf("%s, safe %t: %+v", n.State, n.SafeToPowerOff, n.SafeToPowerOffWhy)
	}
	goesInOrder(t, answer.out, cni, proxy)
	if !slices.ContainsFunc(events, func(e event) bool { return e.Wait != nil && e.Wait.For == "others" }) {
		t.Error("nothing tells that it waits for the others")
	}
	eventually(t, patience, "the DaemonSet has made another pod", func() bool {
		now := world.daemonOn(t, node, "cni")
		return now != "" && now != cni
	})
	world.onlyDaemonsLeft(t, node)
	if now := world.daemonOn(t, node, "kube-proxy"); now != proxy {
		t.Errorf("the pod of kube-proxy is %s, was %s", now, proxy)
	}
	operator.run("check", node).exits(t, 0)

	// A roll takes the flag too; the pod that was made meanwhile is of another drain, and is evicted once more.
	cni = world.daemonOn(t, node, "cni")
	operator.run("uncordon", node).exits(t, 0)
	operator.run(with("roll", node, "--yes", "--work=true", chosen)...).exits(t, 0)
	eventually(t, patience, "the DaemonSet has made a third pod", func() bool {
		now := world.daemonOn(t, node, "cni")
		return now != "" && now != cni
	})
	if world.node(t, node).Spec.Unschedulable {
		t.Error("the roll left the node cordoned")
	}
}

// goesInOrder asserts that in the events of a run exactly one eviction of the chosen pod is sent, after every other pod
// of the run is gone, and none of the pod that stays.
func goesInOrder(t *testing.T, events, chosen, stays string) {
	t.Helper()
	asked, evictions, gone := -1, map[string]int{}, map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(events), "\n") {
		switch e := decode[entry](t, line); {
		case e.isEviction():
			evictions[e.UID]++
			if e.UID == chosen {
				asked = i
			}
		case e.PodState == "Gone" || e.PodState == "Replaced":
			gone[e.UID] = i
		}
	}
	if evictions[chosen] != 1 || evictions[stays] != 0 || len(evictions) < 2 {
		t.Errorf("evictions: %v", evictions)
	}
	for uid := range evictions {
		if at, left := gone[uid]; !left || uid != chosen && at > asked {
			t.Errorf("%s is gone (%t) at line %d, the chosen pod is asked for at line %d", uid, left, at, asked)
		}
	}
}
