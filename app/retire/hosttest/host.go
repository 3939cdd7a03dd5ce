package hosttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// MachineID is that of the hosts.
const MachineID = "0123456789abcdef"

// standIns are the commands of the host. They note what they are to change.
var standIns = map[string]string{
	"systemctl": `[ "$1" = is-active ] && { echo inactive; exit 3; }
echo "$*" >>"$STATE/calls"`,
	"umount": `exit 1`,
	"id":     `echo 0`,
	"uname":  `cat "$STATE/name"`,
}

// Host is a host whose kubelet and runtime are down already, and on which nothing is mounted.
type Host struct {
	t   testing.TB
	dir string
}

// New is the host of a node that is called as the host is.
func New(t testing.TB, name string) Host {
	t.Helper()
	h := Host{t, t.TempDir()}
	files := map[string]string{
		"root/etc/machine-id": MachineID, "root/etc/kubernetes/kubelet.conf": "a", "root/proc/self/mounts": "", "state/name": name,
		"state/calls": "",
	}
	for command, text := range standIns {
		files["bin/"+command] = "#!/bin/sh\n" + text + "\n"
	}
	for path, text := range files {
		path = filepath.Join(h.dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// Exec is a command line for --host-exec that keeps each script and runs it on the host with those arguments.
func (h Host) Exec(args string) string {
	return "tee -a " + h.dir + "/state/scripts | PATH=" + h.dir + "/bin:$PATH STATE=" + h.dir + "/state " +
		"KDRAIN_TUI_ROOT=" + h.dir + "/root sh -s -- " + args
}

// Scripts are the texts of all scripts that the host got, "" for none.
func (h Host) Scripts() string {
	text, err := os.ReadFile(filepath.Join(h.dir, "state/scripts"))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(text)
}

// Steps are the steps of those scripts, in order.
func (h Host) Steps() (steps []string) {
	for line := range strings.Lines(h.Scripts()) {
		if step, is := strings.CutPrefix(line, "step='"); is {
			steps = append(steps, strings.TrimRight(step, "'\n"))
		}
	}
	return steps
}

// Clean reports whether the configuration of the kubelet is gone.
func (h Host) Clean() bool {
	_, err := os.Stat(filepath.Join(h.dir, "root/etc/kubernetes/kubelet.conf"))
	return os.IsNotExist(err)
}
