//go:build e2e

package e2e

import (
	"os"
	"os/exec"
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
is-active) if test -e "$STATE/active-$2"; then echo active; else echo inactive; exit 3; fi ;;
stop) echo "$@" >>"$STATE/calls"; test -e "$STATE/stuck" || rm -f "$STATE/active-$2" ;;
*) echo "$@" >>"$STATE/calls" ;;
esac`,
	"crictl": `while [ "${1#--}" != "$1" ]; do shift 2; done
case "$*" in
"pods -q") echo sandbox-1 ;;
"ps -a -q") echo container-1 ;;
*) echo "$@" >>"$STATE/calls" ;;
esac`,
	"umount": `exit 1`,
	"id":     `echo 0`,
	"uname":  `echo worker-1`,
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

// From the screen a drained node leaves the cluster step by step, each typed; its scripts are run on the host by hand.
func TestRetireFromTheScreen(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	defer world.logOnFailure(t, "get", "nodes,pods", "-A", "-o", "wide")
	operator := world.operator(t)
	root, state, command := operator.scratchHost()
	world.asMachinery(t, "patch", "node", "worker-1", "--subresource=status", "--type=merge", "-p",
		`{"status":{"nodeInfo":{"machineID":"`+machineID+`"}}}`)
	onHost := func(step ...string) {
		t.Helper()
		script := operator.run(append([]string{"cleanup-script", "worker-1", "--step"}, step...)...)
		script.exits(t, 0)
		cmd := exec.Command("sh", "-c", strings.ReplaceAll(command, "{node}", "worker-1"))
		cmd.Stdin = strings.NewReader(script.out)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q on the host: %v\n%s", step, err, said)
		}
	}
	term := operator.open(100, 40, "worker-1")
	confirm := func(question string) {
		t.Helper()
		asked := term.until(patience, question, func(s screen) bool { return s.shows(question) && !s.shows("one moment") })
		term.typing(wordAsked.FindStringSubmatch(asked.String())[1])
		term.keys("Enter")
		term.waitGone(question)
	}
	term.waitFor("● live · 6 nodes", "1 marked")
	term.keys("D")
	term.waitFor("Plan  worker-1", "D continue to cordon")
	term.keys("D")
	term.waitFor("Cordon worker-1 and continue?", "[ n  Cancel ]")
	term.waitGone("one moment")
	term.keys("y")
	confirm("1 pod from worker-1?")
	term.waitFor("Result ", "1 uncordon worker-1: back into service", "2 take worker-1 out of the cluster: stop the kubelet")
	run := decode[[]struct{ Run string }](t, operator.run("runs", "-o", "json").out)[0].Run

	onHost("stop")
	term.keys("2")
	confirm("Is it done? worker-1: stop the kubelet")
	term.waitFor("1 take worker-1 out of the cluster: delete the Node object")
	if world.node(t, "worker-1").Metadata.Name != "worker-1" {
		t.Error("the Node object is gone before that was confirmed")
	}
	term.keys("1")
	confirm("Delete the Node object: worker-1?")
	term.waitFor("1 take worker-1 out of the cluster: clean the host up")
	onHost("clean", "--run", run)
	term.keys("1")
	confirm("Is it done? worker-1: clean the host up")
	term.waitGone("what comes next:")
	term.keys("q")
	if code, normal := term.ended(); code != 0 || !normal.shows("Drained worker-1") {
		t.Errorf("exit code %d, and on the normal screen\n%s", code, framed(normal))
	}
	if nodes := list[node](t, world, "nodes"); len(nodes) != 5 {
		t.Errorf("%d nodes", len(nodes))
	}
	if _, err := os.Lstat(filepath.Join(root, "etc/kubernetes/kubelet.conf")); !os.IsNotExist(err) || !strings.Contains(textIn(t, state, "calls"), "stop containerd") {
		t.Errorf("the host is not clean: %v, called\n%s", err, textIn(t, state, "calls"))
	}
	operator.run("report", run).prints(t, "worker-1")
}

func textIn(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
