//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const machineID = "0123456789abcdef0123456789abcdef"

// standIns are the commands of a host that has a folder for its root. They note their calls, and keep the state of
// the host in files; a file "stuck" keeps the kubelet from being stopped.
var standIns = map[string]string{
	"systemctl": `case $1 in
is-active) test -e "$STATE/active-$3"; exit ;;
stop) echo "$@" >>"$STATE/calls"; test -e "$STATE/stuck" || rm -f "$STATE/active-$2" ;;
*) echo "$@" >>"$STATE/calls" ;;
esac`,
	"crictl": `shift 2
case "$*" in
"pods -q") echo sandbox-1 ;;
"ps -a -q") echo container-1 ;;
*) echo "$@" >>"$STATE/calls" ;;
esac`,
	"pidof": `exit 1`,
	"id":    `echo 0`,
	"uname": `echo worker-1`,
}

// scratchHost is the machine of worker-1 in a folder of the operator, and the command line that reaches it.
func (o *operator) scratchHost() (root, state, command string) {
	o.t.Helper()
	root, state = filepath.Join(o.home, "host", "root"), filepath.Join(o.home, "host", "state")
	bin := filepath.Join(o.home, "host", "bin")
	files := map[string]string{
		filepath.Join(root, "etc/machine-id"): machineID + "\n", filepath.Join(root, "etc/hosts"): "kept",
		filepath.Join(root, "etc/kubernetes/kubelet.conf"): "a", filepath.Join(root, "etc/cni/net.d/10.conflist"): "a",
		filepath.Join(root, "var/lib/kubelet/pki/kubelet.key"): "a", filepath.Join(root, "proc/self/mounts"): "/dev/sda1 / ext4 rw 0 0\n",
		filepath.Join(state, "active-kubelet"): "", filepath.Join(state, "active-containerd"): "", filepath.Join(state, "calls"): "",
	}
	for name, text := range standIns {
		files[filepath.Join(bin, name)] = "#!/bin/sh\n" + text + "\n"
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			o.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			o.t.Fatal(err)
		}
	}
	return root, state, "test {node} = worker-1 && PATH=" + bin + ":$PATH STATE=" + state + " KDRAIN_TUI_ROOT=" + root + " sh -s -- --yes"
}

// A node leaves the cluster by its three steps, those on the host by a command. A step that fails leaves the run open,
// and nothing after it is done; resumed, the rest follows.
func TestRetireByACommand(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	defer world.logOnFailure(t, "get", "nodes,pods", "-A", "-o", "wide")
	operator := world.operator(t)
	root, state, command := operator.scratchHost()
	world.asMachinery(t, "patch", "node", "worker-1", "--subresource=status", "--type=merge", "-p",
		`{"status":{"nodeInfo":{"machineID":"`+machineID+`"}}}`)

	// Without its own flag the Node object stays, and the host is not touched.
	ended := operator.run("retire", "worker-1", "--ignore-daemonsets", "--yes")
	ended.exits(t, 4, "node/worker-1 is drained and not retired", "--delete-node")
	if calls := textIn(t, state, "calls"); calls != "" || !world.node(t, "worker-1").Spec.Unschedulable {
		t.Errorf("called %q, %+v", calls, world.node(t, "worker-1"))
	}
	runs := decode[[]struct{ Run string }](t, operator.run("runs", "-o", "json").out)
	if len(runs) != 1 {
		t.Fatalf("the runs are %+v", runs)
	}
	run := runs[0].Run

	operator.file("host/state/stuck", "")
	flags := []string{"--yes", "--delete-node", "--host-exec=" + command}
	ended = operator.run(append([]string{"resume", run}, flags...)...)
	ended.exits(t, 4, "stop: error: kubelet is still active", "the command exited with 1", "node/worker-1 is drained and not retired")
	if world.node(t, "worker-1").Metadata.Name != "worker-1" {
		t.Error("the Node object is gone though the kubelet runs")
	}

	if err := os.Remove(filepath.Join(state, "stuck")); err != nil {
		t.Fatal(err)
	}
	ended = operator.run(append([]string{"resume", run}, flags...)...)
	ended.exits(t, 0, "this host is node worker-1", "kubelet is stopped, and does not start with the host", "all checks passed")
	ended.prints(t, "node/worker-1 kubelet stopped", "node/worker-1 deleted", "node/worker-1 host cleaned up")
	if nodes := list[node](t, world, "nodes"); len(nodes) != 5 || slices.ContainsFunc(nodes, func(n node) bool { return n.Metadata.Name == "worker-1" }) {
		t.Errorf("%d nodes", len(nodes))
	}
	calls := strings.Split(strings.TrimSpace(textIn(t, state, "calls")), "\n")
	want := []string{"stop kubelet", "disable kubelet", "stop kubelet", "disable kubelet", "daemon-reload",
		"stopp sandbox-1", "rmp -f sandbox-1", "rm -f container-1", "stop containerd", "daemon-reload"}
	if !slices.Equal(calls, want) {
		t.Errorf("called on the host:\n%s", strings.Join(calls, "\n"))
	}
	for _, gone := range []string{"etc/kubernetes/kubelet.conf", "etc/cni/net.d/10.conflist", "var/lib/kubelet/pki/kubelet.key"} {
		if _, err := os.Lstat(filepath.Join(root, gone)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
	if text := textIn(t, root, "etc/hosts"); text != "kept" {
		t.Errorf("etc/hosts is %q", text)
	}
	report := decode[struct {
		Nodes []struct {
			Name   string
			Retire []struct{ Step, Status string }
		}
	}](t, operator.run("report", run, "-o", "json").out)
	if len(report.Nodes) != 1 || len(report.Nodes[0].Retire) != 3 {
		t.Fatalf("the report is %+v", report)
	}
	for _, step := range report.Nodes[0].Retire {
		if step.Status != "done" {
			t.Errorf("step %+v", step)
		}
	}
	operator.run("resume", run, "--yes").exits(t, 1, "nothing to resume")
}

func textIn(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
