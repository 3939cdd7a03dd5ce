//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// rollOf is the id of the one roll of an operator.
func rollOf(t *testing.T, o *operator) string {
	t.Helper()
	var id string
	eventually(t, patience, "a roll has a journal", func() bool {
		found, _ := filepath.Glob(filepath.Join(o.stateHome(), "kdrain-tui", "runs", "*.roll"))
		if len(found) == 1 {
			id = strings.TrimSuffix(filepath.Base(found[0]), ".roll")
		}
		return id != ""
	})
	return id
}

// What a roll may not begin is said before anything is written, and a failed command leaves its node cordoned.
func TestRollThatFails(t *testing.T) {
	world := worldOf(t, setting{scene: "roll"})
	operator := world.operator(t)
	operator.run("roll", "worker-1", "--yes").exits(t, 2, "add --work=COMMAND")
	operator.run("roll", "worker-1", "--yes", "--work=true", "--window=22-4").exits(t, 2, "--window")
	operator.run("roll", "worker-1", "worker-2", "--yes", "--work=echo patching $NODE; exit 7").exits(t, 4, "ended with exit code 7")
	if !world.node(t, "worker-1").Spec.Unschedulable || world.node(t, "worker-2").Spec.Unschedulable {
		t.Error("worker-1 must be left cordoned, worker-2 untouched")
	}
	operator.run("rollback", rollOf(t, operator), "--yes").exits(t, 0)
	if world.node(t, "worker-1").Spec.Unschedulable {
		t.Error("worker-1 is cordoned after the rollback")
	}
}
