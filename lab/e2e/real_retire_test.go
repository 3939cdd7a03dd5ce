//go:build e2e && real

package e2e

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var retirements = flag.Int("retirements", 5, "how many nodes TestRealRetire retires")

// disturbances are what goes wrong on a node while it is retired, by a step that it precedes: once, so that the step
// succeeds when it is repeated. The script of the step is on standard input; "run" gives it to the node.
var disturbances = []struct{ name, step, before string }{
	{"the runtime is killed", "clean", "on systemctl kill -s KILL containerd"},
	{"the kubelet is frozen", "stop", "on sh -c 'kill -STOP $(pidof kubelet)'"},
	{"a volume is busy", "clean", "on sh -c 'd=/var/lib/kubelet/plugins/busy; mkdir -p $d; mount -t tmpfs busy $d; cd $d; setsid sleep 20 >/dev/null 2>&1 &'"},
	{"the script is cut off", "clean", "run & sleep 0.3; kill -9 $!; exit 1"},
}

// TestRealRetire retires nodes by a shell on them, every second one with a disturbance. Afterwards the host finds nothing of
// Kubernetes there. The machine is replaced by a new one each time.
func TestRealRetire(t *testing.T) {
	w := realWorld(t)
	for i := range *retirements {
		name, step, before := "undisturbed", "none", "true"
		if i%2 == 1 {
			d := disturbances[i/2%len(disturbances)]
			name, step, before = d.name, d.step, d.before
		}
		t.Run(fmt.Sprintf("%d %s", i+1, name), func(t *testing.T) { w.retire(t, "real-1", step, before) })
		w.changeNode(t, "rm", "real-1")
		w.changeNode(t, "reboot", "real-1")
		eventually(t, patience, "a new real-1 is Ready", func() bool {
			return strings.Contains(w.kubectl(t, "get", "nodes"), "real-1   Ready ")
		})
	}
}

// TestRealCleanWithoutRuntime cleans a node up whose containerd was stopped before its kubelet: the containers live on, as
// the unit of containerd lets them.
func TestRealCleanWithoutRuntime(t *testing.T) {
	w := realWorld(t)
	w.onNode(t, "real-1", "systemctl", "disable", "containerd")
	w.onNode(t, "real-1", "systemctl", "stop", "containerd")
	if left := w.processesIn(t, "real-1", "/kubepods"); len(left) == 0 {
		t.Fatal("the containers ended with containerd: the test shows nothing")
	}
	ada := w.operator(t)
	got := ada.run("cleanup-script", "real-1", "--step", "clean")
	got.exits(t, 0)
	w.onNode(t, "real-1", "systemctl", "stop", "kubelet")
	clean := w.lab("node", "exec", "real-1", "sh", "-s", "--", "--yes")
	clean.Stdin = strings.NewReader(got.out)
	said, err := clean.CombinedOutput()
	left := w.processesIn(t, "real-1", "/kubepods")
	if passed := err == nil && strings.Contains(string(said), "all checks passed"); passed != (len(left) == 0) {
		t.Errorf("the clean-up passed: %t, and these run: %q\n%s", passed, left, said)
	}
}

var kubernetesOn = regexp.MustCompile(`kubelet|containerd|runc|pause`)

// retire takes a node out of the cluster and looks at its machine from outside. The command comes before the script of
// the step, the first time.
func (w *world) retire(t *testing.T, node, step, before string) {
	t.Helper()
	ada := w.operator(t)
	host := ada.file("host.sh", fmt.Sprintf(`on() { %s node --dir %s exec "$NODE" "$@"; }
script=$0.script
cat >"$script"
run() { on sh -s -- --yes <"$script"; }
if grep -q "^step='%s'" "$script" && ! [ -e "$0.done" ]; then
	touch "$0.done"
	%s
fi
run
`, labBin, w.dir, step, before))
	got := ada.run("retire", node, "--ignore-daemonsets", "--yes", "--delete-node", "--host-exec", "sh "+host)
	if got.code != 0 && step != "none" { // as an operator would, once they have looked
		t.Logf("exit code %d, again:\n%s%s", got.code, got.out, got.err)
		eventually(t, patience, node+" is retired", func() bool {
			got = ada.run("resume", ada.lastRun(), "--yes", "--delete-node", "--host-exec", "sh "+host)
			return got.code == 0
		})
	}
	got.exits(t, 0)
	says(t, got, "stays until the host reboots: interface cni0")
	for _, line := range w.processesIn(t, node, "") {
		if kubernetesOn.MatchString(line) {
			t.Errorf("%s still runs %s", node, line)
		}
	}
	if left := w.processesIn(t, node, "/kubepods"); len(left) > 0 {
		t.Errorf("processes of pods on %s: %q", node, left)
	}
	if mounts := w.onNode(t, node, "sh", "-c", "grep -E ' /var/lib/kubelet/| /run/containerd/' /proc/self/mountinfo || true"); mounts != "" {
		t.Errorf("mounts on %s:\n%s", node, mounts)
	}
	if files := w.onNode(t, node, "sh", "-c", "ls /etc/kubernetes/*.conf /etc/kubernetes/manifests/* /etc/cni/net.d/* /var/lib/kubelet/*_state 2>/dev/null || true"); files != "" {
		t.Errorf("files on %s:\n%s", node, files)
	}
	if nodes := w.kubectl(t, "get", "nodes", "-o", "name"); strings.Contains(nodes, node) {
		t.Errorf("nodes: %s", nodes)
	}
}
