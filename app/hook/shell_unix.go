//go:build unix

package hook

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// shell runs a command line by sh, in a process group of its own: what is typed at the terminal does not
// reach it, and what it starts ends with it.
type shell struct {
	*exec.Cmd
	gate *gate
}

// waiting is what the shell begins with: it reads one line of its standard input, and becomes the command.
// Where that line never comes, as after the death of this process, the command never begins.
// A shell reads no more than that line (POSIX, read).
const waiting = `IFS= read -r go && exec sh -c "$1"`

func newShell(ctx context.Context, line string) *shell {
	s := &shell{Cmd: exec.CommandContext(ctx, "sh", "-c", waiting, "sh", line), gate: newGate()}
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.Cancel = func() error { return syscall.Kill(-s.Process.Pid, syscall.SIGTERM) }
	s.Stdin = s.gate
	return s
}

func (s *shell) start() error { return s.Start() }

// begin lets the command begin, with that on its standard input.
func (s *shell) begin(input string) error {
	s.gate.open("go\n" + input)
	return nil
}

// refuse keeps the command from ever beginning.
func (s *shell) refuse() { s.gate.open("") }

// groupPause is the time between two looks at a group that is ending: the system notifies only the parents of its
// processes.
const groupPause = 20 * time.Millisecond

// end waits until nothing is left of the group of a command that was told to end, or its time is up,
// and kills the rest.
func (s *shell) end(until time.Time) {
	for time.Now().Before(until) && groupRuns(s.Process.Pid) {
		time.Sleep(groupPause)
	}
	_ = syscall.Kill(-s.Process.Pid, syscall.SIGKILL)
}

func (*shell) close() {}

func groupRuns(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return false
	}
	all, err := members(group)
	return err != nil || slices.ContainsFunc(all, func(m process.Member) bool { return !m.Ended })
}

// interpreter is what runs a command line here.
const interpreter = "sh"

// plainWord is what a word consists of that the shell takes as it is.
const plainWord = letters + "_./+:@"

// unreadable says why the shell cannot read a line; empty if it can.
func unreadable(line string) string {
	var unread *exec.ExitError
	out, err := exec.Command("sh", "-n", "-c", line).CombinedOutput()
	if errors.As(err, &unread) {
		return strings.TrimSpace(string(out))
	}
	return ""
}

// missing says whether the shell knows no command of that name.
func missing(word string) bool {
	var none *exec.ExitError
	return errors.As(exec.Command("sh", "-c", `command -v "$1" >/dev/null`, "sh", word).Run(), &none)
}
