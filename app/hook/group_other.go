//go:build !unix

package hook

import (
	"os/exec"
	"time"
)

// ownGroup has nothing to do where there are no process groups: the command alone is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}

func endGroup(*exec.Cmd, time.Time) {}
