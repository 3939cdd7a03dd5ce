package host

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const machineID = "0123456789abcdef0123456789abcdef"

func worker(runtime string) Host {
	return Host{Node: "worker-1", Names: []string{"10.0.0.1", "worker-1.example.com"}, MachineID: machineID, Runtime: runtime}
}

// standIns are commands that record their calls and keep the state of a host in files.
var standIns = map[string]string{
	"systemctl": `cat >/dev/null # it must not eat the script
case $1 in
is-active) if [ -e "$STATE/active/$2" ]; then echo active; elif [ -e "$STATE/starting/$2" ]; then echo activating; exit 3; else echo inactive; exit 3; fi ;;
stop) [ -e "$STATE/stuck/$2" ] || rm -f "$STATE/active/$2" ;;
disable) [ ! -e "$STATE/stuck/disable" ] ;;
daemon-reload) ;;
*) exit 9 ;;
esac`,
	"crictl": `[ -e "$STATE/active/$RUNTIME" ] || exit 1
while [ "${1#--}" != "$1" ]; do shift 2; done
case "$*" in
"pods -q") cat "$STATE/pods" ;;
"ps -a -q") cat "$STATE/containers" ;;
*) [ ! -e "$STATE/stuck/crictl-$1" ] ;;
esac`,
	"docker": `[ -e "$STATE/active/docker" ] || exit 1
case "$*" in
"ps -a -q --filter name=k8s_") cat "$STATE/containers" ;;
*) [ ! -e "$STATE/stuck/docker-$1" ] ;;
esac`,
	"kill": `[ -e "$STATE/stuck/$2" ] || [ -e "$STATE/stuck/kill" ] || [ ! -e "$KDRAIN_TUI_ROOT/proc/$3" ] || rm -r "$KDRAIN_TUI_ROOT/proc/$3"`,
	"umount": `[ ! -e "$STATE/stuck/umount" ] || exit 1
[ ! -e "$STATE/stuck/mounts" ] || exit 0
escaped=$(printf '%s' "$1" | sed 's/ /\\040/g')
grep -v -F " $escaped " "$KDRAIN_TUI_ROOT/proc/self/mounts" >"$STATE/mounts"
cp "$STATE/mounts" "$KDRAIN_TUI_ROOT/proc/self/mounts"`,
	"iptables-save": `[ ! -e "$STATE/chains" ] || cat "$STATE/chains"`, "ip6tables-save": ``,
	"id":    `echo "${AS:-0}"`,
	"uname": `echo "${HOST:-WORKER-1}"`,
	"sleep": ``,
}

// scratch is a host in a folder.
type scratch struct {
	t           *testing.T
	root, state string
	bin         string
	shell       []string
	environment []string
}

func newScratch(t *testing.T, runtime string, services ...string) *scratch {
	t.Helper()
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{t: t, root: filepath.Join(dir, "root"), state: filepath.Join(dir, "state"), bin: filepath.Join(dir, "bin"), shell: []string{"sh"}}
	for name, text := range standIns {
		recorded := "#!/bin/sh\n[ " + name + " = id ] || [ " + name + " = uname ] || echo " + name + ` "$@" >>"$STATE/calls"` + "\n" + text + "\n"
		put(t, filepath.Join(s.bin, name), recorded, 0o755)
	}
	for _, name := range []string{"active/.", "stuck/.", "starting/."} {
		if err := os.MkdirAll(filepath.Join(s.state, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.set("pods", "pod1\npod2\n")
	s.set("containers", "c1\n")
	s.set("calls", "")
	s.process("1", "systemd", "/init.scope")
	s.process("4001", "containerd-shim", "/system.slice/containerd.service") // the kernel cuts names at 15 bytes
	for _, service := range services {
		s.set("active/"+service, "")
	}
	for path, text := range map[string]string{
		"etc/machine-id": machineID + "\n", "etc/kubernetes/kubelet.conf": "a", "etc/kubernetes/pki/ca.crt": "a", "etc/kubernetes/.hidden": "a",
		"etc/cni/net.d/10.conflist": "a", "var/lib/cni/results/x": "a", "var/lib/kubelet/pki/kubelet.key": "a", "var/lib/kubelet/config.yaml": "a",
		"var/lib/kubelet/cpu_manager_state": "a", "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint": "a", "var/lib/kubelet/checkpoints/of-a-container": "kept",
		"var/lib/kubelet/pods/p/data": "kept", "root/.kube/config": "a", "etc/hosts": "kept",
		"proc/self/mounts": "/dev/sda1 / ext4 rw 0 0\ntmpfs " + s.root + "/var/lib/kubelet/pods/p tmpfs rw 0 0\n" +
			"/dev/sdb " + s.root + `/var/lib/kubelet/pods/p/with\040blank ext4 rw 0 0` + "\n/dev/sdc " + s.root + "/var/lib/kubelet-other ext4 rw 0 0\n",
	} {
		put(t, filepath.Join(s.root, path), text, 0o644)
	}
	s.environment = []string{"PATH=" + s.bin + ":" + os.Getenv("PATH"), "STATE=" + s.state, "KDRAIN_TUI_ROOT=" + s.root, "RUNTIME=" + runtime}
	return s
}

// process is one that runs on the host.
func (s *scratch) process(pid, name, cgroup string) {
	put(s.t, filepath.Join(s.root, "proc", pid, "comm"), name+"\n", 0o644)
	put(s.t, filepath.Join(s.root, "proc", pid, "cgroup"), "12:pids:"+cgroup+"\n0::"+cgroup+"\n", 0o644)
}

// mounted adds a mount point, as the kernel writes it.
func (s *scratch) mounted(path string) {
	name := filepath.Join(s.root, "proc/self/mounts")
	text, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	put(s.t, name, string(text)+"/dev/sdz "+s.root+path+" ext4 rw 0 0\n", 0o644)
}

// linked makes a folder a symbolic link to another one, with all that is in it.
func (s *scratch) linked(from, to string) {
	if err := os.MkdirAll(filepath.Dir(s.root+to), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(s.root+from, s.root+to); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(s.root+to, s.root+from); err != nil {
		s.t.Fatal(err)
	}
}

// shells are those of hosts: sh is always there, the others are left out where they are not installed.
func shells() (all [][]string) {
	for _, shell := range [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err == nil || shell[0] == "sh" {
			all = append(all, shell)
		}
	}
	return all
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func (s *scratch) set(name, text string) { put(s.t, filepath.Join(s.state, name), text, 0o644) }

func (s *scratch) has(path string) bool {
	_, err := os.Lstat(filepath.Join(s.root, path))
	return err == nil
}

// calls are those of the stand-ins that change something.
func (s *scratch) calls() []string {
	text, err := os.ReadFile(filepath.Join(s.state, "calls"))
	if err != nil {
		s.t.Fatal(err)
	}
	var calls []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.Contains(line, "is-active") && !strings.Contains(line, " -q") && !strings.HasPrefix(line, "ip") {
			calls = append(calls, strings.ReplaceAll(line, s.root, ""))
		}
	}
	return calls
}

// sh runs a script as an ssh would, on the standard input of a POSIX shell.
func (s *scratch) sh(h Host, step Step, args ...string) (code int, output string) {
	s.t.Helper()
	text, err := Script(h, step, "k7f3ab")
	if err != nil {
		s.t.Fatal(err)
	}
	line := slices.Concat(s.shell, []string{"-s", "--"}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Env = strings.NewReader(text), s.environment
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestStop(t *testing.T) {
	s := newScratch(t, "containerd", "kubelet", "containerd")
	if code, out := s.sh(worker("containerd://2.1.0"), StepStop, "--yes"); code != 0 || !strings.Contains(out, "stop: kubelet is stopped") || !proved(out, StepStop) {
		t.Errorf("%d\n%s", code, out)
	}
	if want := []string{"systemctl stop kubelet", "systemctl disable kubelet"}; !slices.Equal(s.calls(), want) {
		t.Errorf("calls %q, want %q", s.calls(), want)
	}
}

// proved reports whether the output ends with the line that follows the checks.
func proved(out string, step Step) bool {
	return strings.HasSuffix(out, "\n"+Passed("k7f3ab", step)+"\n")
}

const cri = "crictl --timeout 60s --runtime-endpoint unix:///run/containerd/containerd.sock "

func TestClean(t *testing.T) {
	for runtime, c := range map[string]struct {
		services []string
		calls    []string
	}{
		"containerd": {[]string{"containerd"}, []string{"systemctl daemon-reload", cri + "stopp pod1", cri + "rmp -f pod1", cri + "stopp pod2", cri + "rmp -f pod2",
			cri + "rm -f c1", "systemctl stop containerd"}},
		"cri-o": {[]string{"crio"}, nil},
		"docker": {[]string{"docker", "docker.socket", "containerd"}, []string{"systemctl daemon-reload", "docker stop c1", "docker rm -f c1",
			"systemctl stop docker.socket", "systemctl stop docker", "systemctl stop containerd"}},
	} {
		for _, shell := range shells() {
			t.Run(runtime+" "+shell[0], func(t *testing.T) {
				s := newScratch(t, c.services[0], c.services...)
				s.shell = shell
				code, out := s.sh(worker(runtime+"://1"), StepClean, "--yes")
				if code != 0 || !proved(out, StepClean) {
					t.Fatalf("%d\n%s", code, out)
				}
				rest := []string{"kill -s TERM 4001", "umount /var/lib/kubelet/pods/p/with blank", "umount /var/lib/kubelet/pods/p", "systemctl daemon-reload"}
				if want := append(c.calls, rest...); c.calls != nil && !slices.Equal(s.calls(), want) {
					t.Errorf("calls\n%s\nwant\n%s", strings.Join(s.calls(), "\n"), strings.Join(want, "\n"))
				}
				for path, kept := range map[string]bool{
					"etc/kubernetes": true, "etc/kubernetes/kubelet.conf": false, "etc/kubernetes/pki": false, "etc/kubernetes/.hidden": false, "etc/cni/net.d/10.conflist": false,
					"var/lib/cni/results": false, "var/lib/kubelet/pki/kubelet.key": false, "var/lib/kubelet/config.yaml": false, "var/lib/kubelet/cpu_manager_state": false,
					"var/lib/kubelet/device-plugins/kubelet_internal_checkpoint": false, "var/lib/kubelet/checkpoints/of-a-container": true, "root/.kube/config": false,
					"var/lib/kubelet/pods/p/data": true, "etc/hosts": true,
				} {
					if s.has(path) != kept {
						t.Errorf("%s is there: %v", path, !kept)
					}
				}
				// A second try finds nothing left to do, and passes.
				if code, out := s.sh(worker(runtime+"://1"), StepClean, "--yes"); code != 0 || !strings.Contains(out, "is not active: it is not asked") {
					t.Errorf("again: %d\n%s", code, out)
				}
			})
		}
	}
}

// Whatever is not as it must be ends the script, before anything that depends on it.
func TestCleanFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(s *scratch)
		step    Step
		code    int
		says    string
		intact  bool // no file was removed
		calls   int  // that changed something, -1 for any number
	}{
		{"another host", func(s *scratch) { s.environment = append(s.environment, "HOST=worker-2") }, StepStop, 3, "this host is worker-2, not worker-1", true, 0},
		{"another host, clean", func(s *scratch) { s.environment = append(s.environment, "HOST=worker-2") }, StepClean, 3, "this host is worker-2, not worker-1", true, 0},
		{"another machine of the name", func(s *scratch) { put(s.t, s.root+"/etc/machine-id", "ffff\n", 0o644) }, StepStop, 3, "the machine-id of this host is ffff", true, 0},
		{"no machine-id", func(s *scratch) { os.Remove(s.root + "/etc/machine-id") }, StepClean, 3, "is not readable", true, 0},
		{"not root", func(s *scratch) { s.environment = append(s.environment, "AS=1000") }, StepClean, 3, "must run as root", true, 0},
		{"the kubelet does not stop", func(s *scratch) { s.set("active/kubelet", ""); s.set("stuck/kubelet", "") }, StepStop, 1, "kubelet is still active", true, -1},
		{"the kubelet cannot be disabled", func(s *scratch) { s.set("stuck/disable", "") }, StepStop, 1, "could not be disabled", true, -1},
		{"the kubelet is active", func(s *scratch) { s.set("active/kubelet", "") }, StepClean, 3, "the kubelet is active", true, 0},
		{"a kubelet runs beside systemd", func(s *scratch) { s.process("77", "kubelet", "/") }, StepClean, 3, "the kubelet is active", true, 0},
		{"a kubelet that crashes over and over", func(s *scratch) { s.set("starting/kubelet", "") }, StepClean, 3, "the kubelet is active", true, 0},
		{"a kubelet beside systemd does not stop", func(s *scratch) { s.process("77", "kubelet", "/") }, StepStop, 1, "kubelet is still active", true, -1},
		{"the runtime is down and pods run", func(s *scratch) {
			os.Remove(s.state + "/active/containerd")
			s.process("5001", "postgres", "/kubepods.slice/kubepods-burstable.slice/x")
		}, StepClean, 3, "containerd is not active, and processes of pods run: postgres", true, 0},
		{"a pod outlives its runtime", func(s *scratch) { s.process("5001", "postgres", "/kubepods/besteffort/pod1/x") }, StepClean, 1,
			"processes of pods still run: postgres; nothing was unmounted", true, -1},
		{"a mount at a folder that is emptied", func(s *scratch) { s.mounted("/etc/kubernetes") }, StepClean, 3, "/etc/kubernetes would be emptied, and has mounts", true, 0},
		{"a mount below one", func(s *scratch) { s.mounted("/etc/kubernetes/pki") }, StepClean, 3, "/etc/kubernetes would be emptied, and has mounts", true, 0},
		{"a mount with a blank", func(s *scratch) { s.mounted(`/var/lib/cni/a\040b`) }, StepClean, 3, "/var/lib/cni would be emptied", true, 0},
		{"a mount at the keys of the kubelet", func(s *scratch) { s.mounted("/var/lib/kubelet/pki") }, StepClean, 3, "/var/lib/kubelet/pki would be emptied", true, 0},
		{"a mount behind a link", func(s *scratch) { s.linked("/etc/kubernetes", "/data/a b"); s.mounted(`/data/a\040b/pki`) }, StepClean, 3, "/etc/kubernetes would be emptied", true, 0},
		{"a link that leads nowhere", func(s *scratch) {
			os.RemoveAll(s.root + "/etc/cni/net.d")
			os.Symlink("nowhere", s.root+"/etc/cni/net.d")
		}, StepClean, 3,
			"/etc/cni/net.d is not a folder, or a link that leads nowhere", true, 0},
		{"a kubelet folder that leads nowhere", func(s *scratch) {
			os.RemoveAll(s.root + "/var/lib/kubelet")
			os.Symlink("/nowhere/at/all", s.root+"/var/lib/kubelet")
		}, StepClean, 3, "/var/lib/kubelet is not a folder", true, 0},
		{"mounts cannot be read", func(s *scratch) { os.Remove(s.root + "/proc/self/mounts") }, StepClean, 3, "/proc/self/mounts cannot be read", true, 0},
		{"a pod does not stop", func(s *scratch) { s.set("stuck/crictl-stopp", "") }, StepClean, 1, "pod pod1 could not be stopped", true, -1},
		{"a container stays", func(s *scratch) { s.set("stuck/crictl-rm", "") }, StepClean, 1, "container c1 could not be removed", true, -1},
		{"a volume cannot be unmounted", func(s *scratch) { s.set("stuck/umount", "") }, StepClean, 1, "nothing was removed", true, -1},
		{"a volume stays mounted", func(s *scratch) { s.set("stuck/mounts", "") }, StepClean, 1, "still mounted below /var/lib/kubelet", true, -1},
		{"the runtime does not stop", func(s *scratch) { s.set("stuck/containerd", "") }, StepClean, 1, "check failed: containerd is active", false, -1},
		{"a shim stays", func(s *scratch) { s.set("stuck/kill", "") }, StepClean, 1, "check failed: still running: containerd-shim", false, -1},
		{"a shim takes no TERM", func(s *scratch) { s.set("stuck/TERM", "") }, StepClean, 0, "all checks passed", false, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScratch(t, "containerd", "containerd")
			c.prepare(s)
			if code, out := s.sh(worker("containerd://2"), c.step, "--dry-run"); c.code == 3 && (code != 3 || !strings.Contains(out, c.says)) {
				t.Errorf("a dry run: %d, want the refusal:\n%s", code, out)
			}
			code, out := s.sh(worker("containerd://2"), c.step, "--yes")
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("%d, want %d with %q:\n%s", code, c.code, c.says, out)
			}
			if proved(out, c.step) != (c.code == 0) {
				t.Errorf("its last line says that all checks passed: %v", c.code != 0)
			}
			if s.has("etc/kubernetes/kubelet.conf") != c.intact {
				t.Errorf("files intact: %v", !c.intact)
			}
			if calls := s.calls(); c.calls >= 0 && len(calls) != c.calls {
				t.Errorf("calls %q", calls)
			}
		})
	}
}

// The folder of the kubelet, and those in it, may be on another disk, by a link: what is mounted there is unmounted.
func TestLinkedFoldersAreUnmounted(t *testing.T) {
	for _, shell := range shells() {
		s := newScratch(t, "containerd", "containerd")
		s.shell = shell
		s.linked("/var/lib/kubelet/pods", "/more/pods")
		s.linked("/var/lib/kubelet", "/data/kubelet")
		for _, path := range []string{"/data/kubelet", "/data/kubelet/plugins/x", `/more/pods/p/a\040b`, `/more/pods/p`, "/more/other"} {
			s.mounted(path)
		}
		code, out := s.sh(worker("containerd://2"), StepClean, "--yes")
		want := []string{"umount /more/pods/p/a b", "umount /more/pods/p", "umount /data/kubelet/plugins/x"}
		got := slices.DeleteFunc(s.calls(), func(call string) bool {
			return !strings.HasPrefix(call, "umount") || strings.Contains(call, "/var/lib")
		})
		if code != 0 || !proved(out, StepClean) || !slices.Equal(got, want) {
			t.Errorf("%q: %d, %q, want %q\n%s", shell, code, got, want, out)
		}
	}
}

// A host without a tool that the script calls is refused: no answer would read as "there is none".
func TestAMissingTool(t *testing.T) {
	always := []string{"id", "uname", "tr", "systemctl"}
	for step, tools := range map[Step][]string{StepStop: always, StepClean: append(slices.Clone(always), "umount", "sed", "sort", "rm", "sleep", "crictl")} {
		for _, tool := range tools {
			s := newScratch(t, "containerd", "containerd", "kubelet")
			if step == StepClean {
				os.Remove(s.state + "/active/kubelet")
			}
			for _, name := range []string{"tr", "sed", "sort", "rm", "cat", "grep", "cp", "env", "sh"} {
				if path, err := exec.LookPath(name); err != nil {
					t.Fatal(err)
				} else if err := os.Symlink(path, filepath.Join(s.bin, name)); err != nil {
					t.Fatal(err)
				}
			}
			s.environment[0] = "PATH=" + s.bin
			if err := os.Remove(filepath.Join(s.bin, tool)); err != nil {
				t.Fatal(err)
			}
			code, out := s.sh(worker("containerd://2"), step, "--yes")
			if code != 3 || !strings.Contains(out, tool+" is missing on this host") || len(s.calls()) > 0 {
				t.Errorf("%s without %s: %d, calls %q\n%s", step, tool, code, s.calls(), out)
			}
		}
	}
}

// The text of the script has the last line nowhere: a command that only shows it proves nothing.
func TestTheProofIsNotInTheText(t *testing.T) {
	for _, step := range Steps {
		text, err := Script(worker("containerd://2"), step, "k7f3ab")
		if err != nil || strings.Contains(text, Passed("k7f3ab", step)) {
			t.Errorf("%s: %v, or its text has the line", step, err)
		}
	}
	if got := Passed("", StepStop); got != "stop: all checks passed" {
		t.Errorf("%q", got)
	}
}

// What stays of the network is named, also in a dry run: it is gone once the host reboots.
func TestCleanNamesWhatStays(t *testing.T) {
	for _, shell := range shells() {
		for _, way := range []string{"--dry-run", "--yes"} {
			s := newScratch(t, "containerd", "containerd")
			s.shell = shell
			if _, out := s.sh(worker("containerd://2"), StepClean, way); strings.Contains(out, "stays") {
				t.Errorf("nothing is there:\n%s", out)
			}
			put(t, s.root+"/sys/class/net/cni0/mtu", "1500", 0o644)
			s.set("chains", "*nat\n:PREROUTING ACCEPT [0:0]\n:CNI-0123 - [0:0]\n:KUBE-SERVICES - [0:0]\n-A POSTROUTING -j KUBE-POSTROUTING\n")
			s.set("active/containerd", "")
			want := "clean: stays until the host reboots: interface cni0, 2 chains of iptables such as CNI-0123\n"
			if code, out := s.sh(worker("containerd://2"), StepClean, way); code != 0 || !strings.Contains(out, want) {
				t.Errorf("%q %s: %d, no %q\n%s", shell, way, code, want, out)
			}
		}
	}
}

// The check for kubelet.conf fails where something writes it again.
func TestCleanSeesTheConfiguration(t *testing.T) {
	s := newScratch(t, "containerd", "containerd")
	put(t, filepath.Join(s.bin, "umount"), "#!/bin/sh\n"+standIns["umount"]+"\n", 0o755)
	put(t, filepath.Join(s.bin, "systemctl"), "#!/bin/sh\n"+
		`[ "$1" != daemon-reload ] || [ -e "$KDRAIN_TUI_ROOT/etc/kubernetes/kubelet.conf" ] || echo a >"$KDRAIN_TUI_ROOT/etc/kubernetes/kubelet.conf"`+"\n"+standIns["systemctl"]+"\n", 0o755)
	if code, out := s.sh(worker("containerd://2"), StepClean, "--yes"); code != 1 || !strings.Contains(out, "check failed: /etc/kubernetes/kubelet.conf is there") {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	for _, step := range Steps {
		s := newScratch(t, "containerd", "containerd")
		code, out := s.sh(worker("containerd://2"), step, "--dry-run")
		if code != 0 || len(s.calls()) > 0 || !s.has("etc/kubernetes/kubelet.conf") || proved(out, step) {
			t.Errorf("%s: %d, calls %q\n%s", step, code, s.calls(), out)
		}
		for _, want := range map[Step][]string{StepStop: {"+ systemctl stop kubelet"}, StepClean: {"+ " + cri + "stopp pod1", "+ umount ", "+ rm -rf -- "}}[step] {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not show %q:\n%s", step, want, out)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"--force"}, {"--yes", "worker-1"}} {
		s := newScratch(t, "containerd", "containerd")
		if code, out := s.sh(worker("containerd://2"), StepClean, args...); code != 2 || len(s.calls()) > 0 {
			t.Errorf("%q: %d\n%s", args, code, out)
		}
	}
}

// A script that was cut off on its way does nothing, wherever that was.
func TestAScriptThatArrivesInPart(t *testing.T) {
	text, err := Script(worker("containerd://2"), StepClean, "r1")
	if err != nil {
		t.Fatal(err)
	}
	s := newScratch(t, "containerd", "containerd")
	for end := len(text) / 8; end < len(text)-len("main \"$@\" </dev/null\n"); end += len(text) / 8 {
		cmd := exec.Command("sh", "-s", "--", "--yes")
		cmd.Stdin, cmd.Env = strings.NewReader(text[:end]), s.environment
		out, _ := cmd.CombinedOutput() // a syntax error or not
		if calls := s.calls(); len(calls) > 0 || !s.has("etc/kubernetes/kubelet.conf") {
			t.Fatalf("%d of %d bytes: %q\n%s", end, len(text), calls, out)
		}
	}
}

// Names come from the API server: none of them is ever run.
func TestNamesAreNotRun(t *testing.T) {
	for _, name := range []string{"a'; touch $STATE/pwned; '", "$(touch $STATE/pwned)", "`touch $STATE/pwned`", "a\\'; touch $STATE/pwned #", "* $STATE"} {
		s := newScratch(t, "containerd", "containerd")
		h := worker("containerd://2")
		h.Node, h.Names = name, append(h.Names, name)
		if code, out := s.sh(h, StepStop, "--yes"); code != 0 {
			t.Errorf("%q: %d\n%s", name, code, out)
		}
		s.environment = append(s.environment, "HOST=other") // its name is in the error
		if code, out := s.sh(h, StepStop, "--yes"); code != 3 || !strings.Contains(out, name) {
			t.Errorf("%q: %d\n%s", name, code, out)
		}
		if _, err := os.Stat(filepath.Join(s.state, "pwned")); err == nil {
			t.Errorf("%q was run", name)
		}
	}
}

func TestNoScriptWithoutCertainty(t *testing.T) {
	for name, edit := range map[string]func(*Host){
		"another runtime":          func(h *Host) { h.Runtime = "frakti://1" },
		"no runtime":               func(h *Host) { h.Runtime = "" },
		"no machine-id":            func(h *Host) { h.MachineID = "" },
		"a machine-id that is not": func(h *Host) { h.MachineID = "$(reboot)" },
		"a name with a line break": func(h *Host) { h.Node = "a\nreboot" },
		"no host name":             func(h *Host) { h.Node, h.Names = "$HOST", []string{"10.0.0.1"} },
	} {
		h := worker("containerd://2")
		edit(&h)
		if text, err := Script(h, StepStop, "r1"); err == nil || text != "" {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Script(worker("containerd://2"), "reboot", "r1"); err == nil {
		t.Error("a step that is none: no error")
	}
}

func TestShellcheck(t *testing.T) {
	path, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	for _, runtime := range []string{"containerd", "cri-o", "docker"} {
		for _, step := range Steps {
			text, err := Script(worker(runtime+"://1"), step, "r1")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, "--shell=sh", "--enable=all", "--exclude=SC2250,SC2310,SC2311,SC2312", "-")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", runtime, step, err, out)
			}
		}
	}
}
