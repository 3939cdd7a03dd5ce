package cli

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestCleanupScriptExits(t *testing.T) {
	worker := node("worker-1", "blue", true)
	worker.Status.NodeInfo.MachineID, worker.Status.NodeInfo.ContainerRuntimeVersion = "0123456789abcdef", "containerd://2.1.0"
	snapshot := kubetest.SnapshotOf(noon, worker, node("bare", "blue", true))
	for _, c := range []struct {
		name   string
		args   []string
		denied []string
		code   int
		says   string
	}{
		{"stop", []string{"worker-1", "--step", "stop"}, nil, ExitDone, "#!/bin/sh\n"},
		{"clean", []string{"node/worker-1", "--step=clean"}, nil, ExitDone, "step='clean'\nnode='worker-1'\nhost_names='worker-1'\nmachine_id='0123456789abcdef'\nruntime='containerd'\n"},
		{"no step", []string{"worker-1"}, nil, ExitUsage, "must be stop or clean"},
		{"another step", []string{"worker-1", "--step=reboot"}, nil, ExitUsage, "--step=reboot: must be stop or clean"},
		{"no node", []string{"--step=stop"}, nil, ExitUsage, "which node?"},
		{"two nodes", []string{"worker-1", "bare", "--step=stop"}, nil, ExitUsage, "It takes one"},
		{"an unknown node", []string{"gone", "--step=stop"}, nil, ExitError, "gone"},
		{"a node that tells nothing of its machine", []string{"bare", "--step=stop"}, nil, ExitError, "no script: node bare: "},
		{"no right to read nodes", []string{"worker-1", "--step=stop"}, []string{"get nodes"}, ExitPermission, "get nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, snapshot)
			b.denied = c.denied
			b.expect(t, c.code, nil, append([]string{"cleanup-script"}, c.args...)...)
			if !strings.Contains(b.out.String()+b.err.String(), c.says) {
				t.Errorf("does not say %q:\n%s%s", c.says, b.out, b.err)
			}
			if (c.code == ExitDone) != (b.out.Len() > 0) || b.writer.writes() > 0 || len(b.opened) > 0 && !b.opened[0].ReadOnly {
				t.Error("it prints a whole script or none, and only reads")
			}
		})
	}
}
