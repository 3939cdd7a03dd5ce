package node

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed init.sh
var initScript string

// Machine is the machine of a real node.
type Machine struct {
	Name   string
	Number int      // from 1: its address is 10.77.0.(10+Number), its pods have those of 10.78.Number.0/24
	Dir    string   // what is on its own disk
	Layers []string // of its file system, that are shared, the uppermost first
	Disks  string   // the folder that all machines share: what CSI volumes are kept on
	Group  string   // of its control group, in each hierarchy
}

// Missing says what this machine lacks to run real nodes; "" for nothing.
func Missing() string {
	if runtime.GOOS != "linux" {
		return "real nodes need Linux"
	}
	if os.Geteuid() != 0 {
		return "real nodes need root"
	}
	for _, tool := range []string{"debootstrap", "ip", "mount", "nsenter", "unshare", "pivot_root"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "real nodes need the program " + tool + ", which is not installed"
		}
	}
	if _, err := os.Stat("/sys/fs/cgroup/memory/cgroup.procs"); err != nil {
		return "real nodes need cgroup v1; cgroup v2 is not tested"
	}
	return ""
}

// Start switches the machine on and returns the first process of its node as the host counts processes. network is the
// process of ServeNetwork. What it prints before systemd takes over is in Dir/console.log.
func (m Machine) Start(ctx context.Context, network int) (pid int, err error) {
	if err := m.lay(); err != nil {
		return 0, err
	}
	console, err := os.Create(filepath.Join(m.Dir, "console.log"))
	if err != nil {
		return 0, fmt.Errorf("open the console of %s: %w", m.Name, err)
	}
	defer console.Close()
	if err := os.WriteFile(m.path("init.sh"), []byte(initScript), 0o600); err != nil {
		return 0, fmt.Errorf("write the first program of %s: %w", m.Name, err)
	}
	cmd := exec.Command("/bin/sh", m.path("init.sh"),
		m.Name, m.address(), m.Dir, strings.Join(m.Layers, ":"), m.Disks, m.Group)
	cmd.Stdout, cmd.Stderr = console, console
	cmd.SysProcAttr = asMachine()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the machine of %s: %w", m.Name, err)
	}
	pid = cmd.Process.Pid
	go func() { _ = cmd.Wait() }() // ends with the machine, or with us
	if err := m.plugIn(ctx, network, pid); err != nil {
		return 0, errors.Join(err, m.CutPower(context.WithoutCancel(ctx), pid))
	}
	if err := m.awaitSystemd(ctx, pid); err != nil {
		return 0, errors.Join(err, m.CutPower(context.WithoutCancel(ctx), pid))
	}
	return pid, nil
}

func (m Machine) address() string { return "10.77.0." + strconv.Itoa(10+m.Number) }

// lay makes what the machine needs outside: its folders and its control groups.
func (m Machine) lay() error {
	for _, dir := range []string{m.Disks, m.path("root"), m.path("work"), m.path("upper"), m.path("var")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("create a folder of %s: %w", m.Name, err)
		}
	}
	for _, group := range m.groups() {
		if err := os.MkdirAll(group, 0o755); err != nil {
			return fmt.Errorf("create a control group of %s: %w", m.Name, err)
		}
		// Nobody can enter a new group of this one before it has processors and memory.
		if !strings.Contains(group, "/cpuset/") {
			continue
		}
		for _, dir := range []string{filepath.Dir(group), group} {
			for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
				all, err := os.ReadFile("/sys/fs/cgroup/cpuset/" + file)
				if err != nil {
					return fmt.Errorf("read the processors of the host: %w", err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), all, 0); err != nil {
					return fmt.Errorf("give %s processors: %w", m.Name, err)
				}
			}
		}
	}
	return nil
}

func (m Machine) path(name string) string { return filepath.Join(m.Dir, name) }

// groups are the control groups of the machine, one in each hierarchy.
func (m Machine) groups() []string {
	var all []string
	for _, hierarchy := range strings.Fields("cpu cpuacct cpuset memory devices freezer blkio pids systemd unified") {
		all = append(all, filepath.Join("/sys/fs/cgroup", hierarchy, m.Group, m.Name))
	}
	return all
}

// plugIn connects the machine with the bridge.
func (m Machine) plugIn(ctx context.Context, network, pid int) error {
	port := "v" + strconv.Itoa(m.Number)
	inside := []string{"-t", strconv.Itoa(network), "-n", "--", "ip"}
	_ = exec.CommandContext(ctx, "nsenter", append(inside, "link", "del", port)...).Run() // of an earlier start
	for _, args := range []string{
		fmt.Sprintf("link add %s type veth peer name eth0 netns %d", port, pid),
		fmt.Sprintf("link set %s master br0 up", port),
		fmt.Sprintf("route replace 10.78.%d.0/24 via %s", m.Number, m.address()),
	} {
		ip := exec.CommandContext(ctx, "nsenter", append(inside, strings.Fields(args)...)...)
		if output, err := ip.CombinedOutput(); err != nil {
			return fmt.Errorf("connect %s with the network: ip %s: %w: %s", m.Name, args, err, output)
		}
	}
	return nil
}

// awaitSystemd waits until systemd answers in the machine. Before it is the first process, Exec would still meet
// the file system of the host.
func (m Machine) awaitSystemd(ctx context.Context, pid int) error {
	for {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			console, _ := os.ReadFile(m.path("console.log"))
			return fmt.Errorf("the machine of %s ended as it started: %s", m.Name, console)
		}
		if string(name) == "systemd\n" {
			state, _ := m.Exec(ctx, pid, "systemctl", "is-system-running").Output()
			if text := strings.TrimSpace(string(state)); text == "running" || text == "degraded" {
				return nil
			}
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("wait for systemd of %s: %w", m.Name, err)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Exec is a command on the machine, as a login there would run it: a frozen machine does not answer.
func (m Machine) Exec(ctx context.Context, pid int, args ...string) *exec.Cmd {
	const enter = `for group in $GROUPS_OF_NODE; do echo 0 >"$group/cgroup.procs"; done; exec nsenter -t "$0" -a -- "$@"`
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", enter, strconv.Itoa(pid)}, args...)...)
	cmd.Env = []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
		"GROUPS_OF_NODE=" + strings.Join(m.groups(), " "),
	}
	return cmd
}

// Freeze stops all processes of the machine where they are, Thaw lets them go on.
func (m Machine) Freeze() error { return m.freezer("FROZEN") }

// Thaw undoes Freeze.
func (m Machine) Thaw() error { return m.freezer("THAWED") }

func (m Machine) freezer(state string) error {
	file := filepath.Join("/sys/fs/cgroup/freezer", m.Group, m.Name, "freezer.state")
	if err := os.WriteFile(file, []byte(state), 0); err != nil {
		return fmt.Errorf("set %s to %s: %w", m.Name, state, err)
	}
	return nil
}

// CutPower ends the machine at once: its first process, pid, and with it all others of its namespace; 0 is for one that
// has ended already. What is on its disk stays.
func (m Machine) CutPower(ctx context.Context, pid int) error {
	if pid != 0 {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end the machine of %s: %w", m.Name, err)
		}
	}
	if err := m.Thaw(); err != nil && !errors.Is(err, fs.ErrNotExist) { // a frozen process does not die
		return err
	}
	for _, group := range m.groups() {
		if err := removeGroup(ctx, group); err != nil {
			return fmt.Errorf("end the machine of %s: %w", m.Name, err)
		}
	}
	return nil
}

// removeGroup removes a control group with those below it, as soon as their last processes are gone. That of the lab
// goes with its last machine.
func removeGroup(ctx context.Context, group string) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		var dirs []string
		err := filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				dirs = append(dirs, path)
			}
			return err
		})
		for i := len(dirs) - 1; i >= 0 && err == nil; i-- {
			err = os.Remove(dirs[i])
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(filepath.Dir(group)) // has others below it, mostly
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("remove its control group: %w", err)
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("remove its control group: %w", err)
		}
	}
}
