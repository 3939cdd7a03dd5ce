//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

var usualFlags = []string{"--ignore-daemonsets", "--delete-emptydir-data"}

// with are arguments and the flags that most drains need.
func with(args ...string) []string { return append(args, usualFlags...) }

// Whatever cannot or must not be done is said with its exit code, before
// anything is written.
func TestNothingIsWrittenWhere(t *testing.T) {
	world := sharedWorld(t)
	nowhere := []string{"--kubeconfig", filepath.Join(t.TempDir(), "none")}
	stories := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"the node is refused", with("drain", "worker-a3", "--yes"), 3,
			[]string{"worker-a3", "cannot delete Pods that declare no controller (use --force to override): ops/debug-shell"}},
		{"one of two nodes is refused and all or nothing is asked for", with("drain", "worker-a3", "worker-a4", "--yes", "--all-or-nothing"), 3, []string{"ops/debug-shell"}},
		{"a budget that never lets go is to be a refusal", with("drain", "worker-b2", "--yes", "--fail-on-blockers"), 3, []string{"ledger"}},
		{"nothing confirms", with("drain", "worker-a1"), 2, []string{"--yes"}},
		{"the dashboard has no terminal", []string{"worker-a1"}, 2, []string{"needs a terminal"}},
		{"the node is unknown", with("drain", "worker-z9", "--yes"), 1, []string{"worker-z9"}},
		{"one of the nodes is unknown", with("drain", "worker-a1", "worker-z9", "--yes"), 1, []string{"worker-z9"}},
		{"no node is named", with("drain", "--yes"), 2, nil},
		{"the flag is unknown", []string{"drain", "worker-a1", "--yes", "--ignore-demonsets"}, 2, []string{"--ignore-demonsets"}},
		{"the selector is broken", []string{"drain", "-l", "pool=(", "--yes"}, 2, []string{"pool=("}},
		{"there is no kubeconfig", append(with("drain", "worker-a1", "--yes"), nowhere...), 1, []string{"none", "\n  "}},
		{"the context is unknown", with("drain", "worker-a1", "--yes", "--context", "prod-eu-7"), 1, []string{"prod-eu-7", "\n  "}},
		{"no server answers", with("drain", "worker-a1", "--yes", "--server", "https://127.0.0.1:1"), 1, []string{"127.0.0.1:1", "\n  "}},
		{"rights are missing", with("drain", "worker-a1", "--yes", "--context", "restricted"), 5,
			[]string{"restricted may not", "patch nodes", "create pods/eviction", "nothing was changed"}},
		{"the right to patch nodes is missing for a cordon", []string{"cordon", "worker-a1", "--context", "restricted"}, 5, []string{"patch nodes"}},
		{"everything that writes is refused", with("drain", "worker-a1", "--yes", "--read-only"), 2, []string{"--read-only"}},
		{"the drain is a dry run of the client", with("drain", "worker-a1", "--dry-run=client"), 0, nil},
		{"the drain is a dry run of the server", with("drain", "worker-a1", "--dry-run=server"), 0, nil},
		{"the cordon is a dry run of the server", []string{"cordon", "worker-a1", "--dry-run=server"}, 0, nil},
		{"it is only planned", with("plan", "worker-a1"), 0, nil},
	}
	before := world.versions(t)
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			answer := world.operator(t).run(story.args...)
			answer.exits(t, story.code, story.says...)
			if strings.Contains(answer.err, aStack) || strings.Contains(answer.out, "Usage:") {
				t.Errorf("that is not for operators:\n%s%s", answer.out, answer.err)
			}
		})
	}
	world.unchanged(t, before)
}

// A dry run says what a drain would do in the words of kubectl.
func TestDryRunSpeaksAsKubectl(t *testing.T) {
	world := sharedWorld(t)
	for mode, suffix := range map[string]string{"client": "(dry run)", "server": "(server dry run)"} {
		ours := world.operator(t).run(with("drain", "worker-a1", "--dry-run="+mode)...)
		ours.exits(t, 0)
		ours.prints(t, "node/worker-a1 cordoned "+suffix, "node/worker-a1 drained "+suffix)
		theirs := world.kubectl(t, with("drain", "worker-a1", "--dry-run="+mode)...)
		if got, want := sorted(evicting(ours.out)), sorted(evicting(theirs)); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("--dry-run=%s evicts\n%s\nkubectl\n%s", mode, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func evicting(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "evicting pod ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Cordon and uncordon are kubectl's, and leave a mark that says who and why.
func TestCordonAndUncordon(t *testing.T) {
	world := sharedWorld(t)
	operator := world.operator(t)
	do := func(want string, args ...string) {
		t.Helper()
		answer := operator.run(args...)
		answer.exits(t, 0)
		if answer.out != want+"\n" {
			t.Errorf("%v prints %q, want %q", args, answer.out, want)
		}
	}
	do("node/worker-b4 cordoned", "cordon", "worker-b4", "--reason", "new disks")
	if node := world.node(t, "worker-b4"); !node.Spec.Unschedulable || firstMissing(node.Metadata.Annotations[mark], []string{"ada", "new disks"}) != "" {
		t.Errorf("after the cordon the node is %+v", node)
	}
	do("node/worker-b4 already cordoned", "cordon", "node/worker-b4")
	do("node/worker-b4 uncordoned", "uncordon", "worker-b4")
	if node := world.node(t, "worker-b4"); node.Spec.Unschedulable || node.Metadata.Annotations[mark] != "" {
		t.Errorf("after the uncordon the node is %+v", node)
	}
	do("node/worker-b4 already uncordoned", "uncordon", "worker-b4")
}

// mark is the annotation that says who cordoned a node.
const mark = "kdrain-tui.dev/cordon"
