//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ruledPod is what a plan says of a pod in the namespace shop whose name begins so.
func ruledPod(t *testing.T, p plan, name string) (action, code, message string) {
	t.Helper()
	for _, pod := range p.Nodes[0].Pods {
		if pod.Namespace != "shop" || !strings.HasPrefix(pod.Name, name) {
			continue
		}
		action = pod.Action
		for _, r := range pod.Reasons {
			if strings.Contains(r.Message, "MachineDrainRule") || strings.Contains(r.Message, "cluster.x-k8s.io/drain") {
				return action, r.Code, r.Message
			}
		}
		return action, "", ""
	}
	t.Fatalf("no pod %s in %+v", name, p.Nodes[0].Pods)
	return "", "", ""
}

// The MachineDrainRules of Cluster API decide what a drain does that honors them: by name, for the Machine
// of the node, after the label of the pod. Who may not list them is told so.
func TestMachineDrainRules(t *testing.T) {
	world := worldOf(t, setting{scene: "small"})
	operator := world.operator(t)
	flags := []string{"worker-1", "--force", "--ignore-daemonsets"}
	honoring := append(slices.Clone(flags), "--honor=cluster-api")
	planned := func(args ...string) plan {
		t.Helper()
		return decode[plan](t, operator.run(append([]string{"plan", "-o", "json"}, args...)...).out)
	}
	told := func(p plan, code, text string) bool {
		return slices.ContainsFunc(p.Findings, func(f finding) bool { return f.Code == code && strings.Contains(f.Message, text) })
	}
	for _, f := range planned(honoring...).Findings {
		if strings.HasPrefix(f.Code, "MachineDrainRules") {
			t.Errorf("where none are served: %+v", f)
		}
	}
	world.kubectl(t, "delete", "pdb", "web", "-n", "shop")
	world.asMachinery(t, "create", "-f", filepath.Join("testdata", "drainrules-crds.yaml"))
	world.asMachinery(t, "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
	world.asMachinery(t, "create", "-f", filepath.Join("testdata", "drainrules.yaml"))
	world.asMachinery(t, "wait", "--for=condition=Ready", "pod", "-n", "shop", "batch", "keep", "labelled", "--timeout=60s")

	shown, honored := planned(flags...), planned(honoring...)
	for _, row := range []struct{ pod, shown, action, code, says string }{
		{"web-", "evict", "evict", "MachineDrainRule", "MachineDrainRule fleet/last: drain order 10"},
		{"batch", "evict", "evict", "WaitForCompletion", "MachineDrainRule fleet/runs-out"},
		{"keep", "evict", "skip", "MachineDrainRule", "MachineDrainRule fleet/stays"},
		{"labelled", "evict", "skip", "Foreign", "cluster.x-k8s.io/drain=skip"},
		{"api-", "evict", "evict", "", ""},
	} {
		if action, code, message := ruledPod(t, honored, row.pod); action != row.action || code != row.code || !strings.Contains(message, row.says) {
			t.Errorf("%s: %s, %s %q", row.pod, action, code, message)
		}
		action, code, message := ruledPod(t, shown, row.pod)
		if action != row.shown || row.code != "" && (code != "Foreign" || !strings.Contains(message, "not obeyed without --honor=cluster-api")) {
			t.Errorf("not honored, %s: %s, %s %q", row.pod, action, code, message)
		}
	}
	if !told(shown, "MachineDrainRules", "not obeyed") || !told(honored, "MachineDrainRules", "keep pods where they are") ||
		told(honored, "MachineDrainRulesUnknown", "") {
		t.Errorf("findings %+v\nand honored %+v", shown.Findings, honored.Findings)
	}
	for _, p := range honored.Nodes[0].Pods {
		if first := p.Wave != nil && *p.Wave == 1; strings.HasPrefix(p.Name, "web-") && first || strings.HasPrefix(p.Name, "api-") && !first {
			t.Errorf("%s goes in wave %v", p.Name, p.Wave)
		}
	}
	t.Run("without the right", func(t *testing.T) {
		for _, args := range [][]string{flags, honoring} {
			p := planned(append(slices.Clone(args), "--context=viewer")...)
			if !told(p, "MachineDrainRulesUnknown", "no right to list machinedrainrules.cluster.x-k8s.io") {
				t.Errorf("%q: findings %+v", args, p.Findings)
			}
			if action, code, _ := ruledPod(t, p, "keep"); action != "evict" || code != "" {
				t.Errorf("%q: keep is %s, %s", args, action, code)
			}
		}
	})

	run := operator.start(append([]string{"drain", "--yes", "-o", "json"}, honoring...)...)
	run.waitFor(patience, `"for":"completion"`, `"for":"order"`)
	eventually(t, patience, "the pod without a rule has left worker-1", func() bool {
		return !slices.ContainsFunc(world.podsOn(t, "worker-1"), func(p pod) bool { return strings.HasPrefix(p.Metadata.Name, "api-") })
	})
	// A rule that is changed now is of no matter.
	world.asMachinery(t, "patch", "machinedrainrules", "last", "-n", "fleet", "--type=merge", "-p", `{"spec":{"drain":{"order":-1}}}`)
	for _, p := range world.podsOn(t, "worker-1") {
		if p.Metadata.DeletionTimestamp != nil {
			t.Errorf("%s leaves while batch runs", p.Metadata.Name)
		}
	}
	world.asMachinery(t, "patch", "pod", "batch", "-n", "shop", "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Succeeded"}}`)
	answer := run.wait(patience)
	answer.exits(t, 0)
	events, report := readLines(t, answer.out)
	var order []string
	for _, e := range events {
		if e.Action != nil && e.Action.Verb == "evict" && e.Kind == "Intent" {
			name, _, _ := strings.Cut(e.Pod, "-")
			order = append(order, name)
		}
	}
	if want := []string{"api", "batch", "web", "web"}; !slices.Equal(order, want) {
		t.Errorf("evicted in the order %q, want %q", order, want)
	}
	var left []string
	for _, p := range world.podsOn(t, "worker-1") {
		left = append(left, p.Metadata.Name)
	}
	for _, name := range []string{"keep", "labelled"} {
		if !slices.Contains(left, name) {
			t.Errorf("%s is not among those that are left: %q", name, left)
		}
	}
	if len(left) != 3 || report.Nodes[0].State != "Drained" || report.Nodes[0].SafeToPowerOff {
		t.Errorf("left %q, %+v", left, report.Nodes[0])
	}
	operator.run("report", report.Run).prints(t, "MachineDrainRule fleet/stays")
}
