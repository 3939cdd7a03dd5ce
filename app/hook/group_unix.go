//go:build unix

package hook

import (
	"errors"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// ownGroup starts the command in a process group of its own: what is typed at the terminal does not
// reach it, and what it starts ends with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// groupPause is how long an ending group is left alone between two looks: the system tells nobody
// but the parents of its processes when they end.
const groupPause = 20 * time.Millisecond

// endGroup waits until nothing is left of the group of a command that was told to end, or its time is
// up, and kills the rest.
func endGroup(cmd *exec.Cmd, until time.Time) {
	for time.Now().Before(until) && groupRuns(cmd.Process.Pid) {
		time.Sleep(groupPause)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

func groupRuns(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return false
	}
	all, err := members(group)
	return err != nil || slices.ContainsFunc(all, func(m process.Member) bool { return !m.Ended })
}
