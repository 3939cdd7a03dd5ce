//go:build e2e && real

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests of this file run on real nodes: kubelet, containerd and systemd in namespaces, the disks of a CSI driver.

// realWorld is a lab with two real nodes and the scene real.
func realWorld(t *testing.T) *world {
	t.Helper()
	w := worldOf(t, setting{scene: "real", nodes: 2})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("pods at the end:\n%s", w.kubectl(t, "get", "pods", "-A", "-o", "wide"))
		}
	})
	return w
}

// onNode runs a command on a real node.
func (w *world) onNode(t *testing.T, node string, args ...string) string {
	t.Helper()
	output, err := w.lab(append([]string{"node", "exec", node}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s on %s: %v\n%s", strings.Join(args, " "), node, err, output)
	}
	return string(output)
}

func (w *world) changeNode(t *testing.T, verb, node string) {
	t.Helper()
	if output, err := w.lab("node", verb, node).CombinedOutput(); err != nil {
		t.Fatalf("lab node %s %s: %v\n%s", verb, node, err, output)
	}
}

// dbOn is the pod of the database that is on a node, and its disk.
func (w *world) dbOn(t *testing.T, node string) (pod, disk string) {
	t.Helper()
	pod = strings.TrimSpace(w.kubectl(t, "get", "pods", "-n", "shop", "-l", "app=db", "-o", "name", "--field-selector", "spec.nodeName="+node))
	pod = strings.TrimPrefix(pod, "pod/")
	return pod, "disk-" + strings.TrimPrefix(pod, "db-")
}

// diskLog is what the pods wrote to a disk: one node after another.
func (w *world) diskLog(t *testing.T, disk string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "disks", disk, "data", "log"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Compact(strings.Fields(string(data)))
}

// processesIn are those in the control groups of a machine, or of its pods alone, as the host sees them.
func (w *world) processesIn(t *testing.T, node, below string) (found []string) {
	t.Helper()
	groups, err := filepath.Glob("/sys/fs/cgroup/memory/kdrain-lab-*/" + node + below)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups {
		_ = filepath.Walk(group, func(path string, _ os.FileInfo, err error) error {
			if err == nil && filepath.Base(path) == "cgroup.procs" {
				pids, _ := os.ReadFile(path)
				for pid := range strings.FieldsSeq(string(pids)) {
					if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && w.ours(pid) {
						found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
					}
				}
			}
			return nil
		})
	}
	return found
}

// ours tells the processes of this lab from those of another one.
func (w *world) ours(pid string) bool {
	mounts, err := os.ReadFile("/proc/" + pid + "/mountinfo")
	return err == nil && strings.Contains(string(mounts), w.dir)
}

// TestRealDrain drains a real node: the hook of a pod runs within its grace, one that is deaf is killed after its own,
// the disk moves, and the node is safe to power off.
func TestRealDrain(t *testing.T) {
	w := realWorld(t)
	ada := w.operator(t)
	db, disk := w.dbOn(t, "real-1")
	web := strings.TrimSpace(w.kubectl(t, "get", "pods", "-n", "shop", "-l", "app=web", "-o", "name", "--field-selector", "spec.nodeName=real-1"))
	logs := w.beside(t, "kubectl", "logs", "-n", "shop", "-f", web)
	got := ada.run("drain", "real-1", "--ignore-daemonsets", "--yes")
	got.exits(t, 0)
	says(t, got, "node/real-1 drained", "volume "+disk+" of pod shop/"+db+" detached from real-1")
	if got.took < 5*time.Second {
		t.Errorf("drained in %s: the deaf pod has 5 s", got.took)
	}
	if missing := firstMissing(logs.out.String(), []string{"preStop runs", "preStop is done", "got TERM"}); missing != "" {
		t.Errorf("the log of %s has no %q:\n%s", web, missing, logs.out.String())
	}
	ada.run("check", "real-1").prints(t, "node/real-1: safe to power off")
	eventually(t, patience, db+" writes on real-2", func() bool { return slices.Contains(w.diskLog(t, disk), "real-2") })
	if got, want := w.diskLog(t, disk), []string{"begin", "real-1", "end", "real-1", "begin", "real-2"}; !slices.Equal(got, want) {
		t.Errorf("disk %s: written by %q, want %q", disk, got, want)
	}
}

// TestRealFrozenKubelet drains a node whose kubelet is frozen until the server calls it silent. It goes on once the kubelet is
// back: the pods end, the disk moves and is never written from two nodes, and the static pod has stayed.
func TestRealFrozenKubelet(t *testing.T) {
	w := realWorld(t)
	ada := w.operator(t)
	db, disk := w.dbOn(t, "real-1")
	static := func() string {
		return w.kubectl(t, "get", "pod", "-n", "kube-system", "proxy-real-1", "-o", "jsonpath={.metadata.uid} {.status.containerStatuses[0].containerID}")
	}
	before := static()
	w.changeNode(t, "freeze", "real-1")
	run := ada.start("drain", "real-1", "--ignore-daemonsets", "--yes")
	run.waitFor(patience, "the kubelet is silent")
	if log := w.diskLog(t, disk); slices.Contains(log, "real-2") {
		t.Errorf("disk %s: written by %q while the kubelet is frozen", disk, log)
	}
	w.changeNode(t, "thaw", "real-1")
	got := run.wait(patience)
	got.exits(t, 0)
	says(t, got, "volume "+disk+" of pod shop/"+db+" detached from real-1", "node/real-1 drained")
	eventually(t, patience, db+" writes on real-2", func() bool { return slices.Contains(w.diskLog(t, disk), "real-2") })
	if got, want := w.diskLog(t, disk), []string{"begin", "real-1", "end", "real-1", "begin", "real-2"}; !slices.Equal(got, want) {
		t.Errorf("disk %s: written by %q, want %q", disk, got, want)
	}
	eventually(t, patience, "safe to power off", func() bool { return strings.Contains(ada.run("check", "real-1").out, "node/real-1: safe to power off") })
	if after := static(); after != before {
		t.Errorf("the static pod was %s and is %s", before, after)
	}
}

// TestRealRoll reboots both nodes in turn. Each work command begins after all disks are detached from its node.
func TestRealRoll(t *testing.T) {
	w := realWorld(t)
	ada := w.operator(t)
	boot := func(node string) string { return w.onNode(t, node, "cat", "/proc/sys/kernel/random/boot_id") }
	before := []string{boot("real-1"), boot("real-2")}
	work := ada.file("work.sh", fmt.Sprintf("echo attached to $NODE: $(%s kubectl --dir %s get volumeattachments "+
		"-o jsonpath='{range .items[*]}{.spec.nodeName}={.status.attached} {end}' | tr ' ' '\\n' | grep -c $NODE=)\n"+
		"%s node --dir %s reboot $NODE\n", labBin, w.dir, labBin, w.dir))
	got := ada.start("roll", "real-1", "real-2", "--ignore-daemonsets", "--yes", "--expect-reboot", "--work", "sh "+work).wait(5 * time.Minute)
	got.exits(t, 0)
	says(t, got, "attached to real-1: 0", "attached to real-2: 0")
	for i, node := range []string{"real-1", "real-2"} {
		if boot(node) == before[i] {
			t.Errorf("%s was not rebooted", node)
		}
	}
}

// TestRealPowerCut drains a node whose machine has lost its power. Its pods are stuck until the operator says that it is off;
// then the disk moves.
func TestRealPowerCut(t *testing.T) {
	w := realWorld(t)
	db, disk := w.dbOn(t, "real-1")
	w.changeNode(t, "cut", "real-1")
	eventually(t, patience, "real-1 is NotReady", func() bool {
		return strings.Contains(w.kubectl(t, "get", "node", "real-1"), "NotReady")
	})
	run := w.steer(t, "drain", "real-1", "--ignore-daemonsets", "--yes", "--allow-taint")
	run.run.waitFor(patience, "the kubelet is silent")
	eventually(t, patience, "the machine can be declared off", func() bool {
		return strings.Contains(run.ctl("remedies", "shop/"+db).out, "real-1 is off")
	})
	run.ctl("out-of-service", "shop/"+db, "--confirm", "real-1 is off").exits(t, 0)
	got := run.run.wait(patience)
	got.exits(t, 0)
	says(t, got, "volume "+disk+" of pod shop/"+db+" detached from real-1")
	eventually(t, patience, db+" writes on real-2", func() bool { return slices.Contains(w.diskLog(t, disk), "real-2") })
}

// says asserts what an answer says, wherever.
func says(t *testing.T, a answer, texts ...string) {
	t.Helper()
	if missing := firstMissing(a.out+a.err, texts); missing != "" {
		t.Errorf("nothing about %q%s%s", missing, "\n"+a.out, a.err)
	}
}
