//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// check answers by its exit code whether a node is safe to power off: before its drain, after
// it, and where something of it cannot be read.
func TestCheck(t *testing.T) {
	world := ownWorld(t)
	person := world.operator(t)
	before := world.versions(t)
	person.run("check", "worker-a4").exits(t, 3)
	answer := person.run("check", "worker-a4")
	answer.prints(t, "node/worker-a4: not safe to power off", "no       the node is cordoned and its kubelet reports",
		"no       only pods of DaemonSets, mirror pods and finished pods are on it", "yes      no volume is attached to it")
	world.unchanged(t, before)

	person.run(with("drain", "worker-a4", "--yes")...).exits(t, 0)
	answer = person.run("check", "worker-a4")
	answer.exits(t, 0)
	answer.prints(t, "node/worker-a4: safe to power off")
	if strings.Contains(answer.out, "no  ") || strings.Contains(answer.out, "unknown") {
		t.Errorf("a line of a safe node is not true:\n%s", answer.out)
	}

	world.kubectl(t, "create", "clusterrole", "no-attachments", "--verb=get,list,watch", "--resource=nodes,pods,namespaces,services,"+
		"persistentvolumeclaims,persistentvolumes,daemonsets.apps,poddisruptionbudgets.policy,leases.coordination.k8s.io")
	world.kubectl(t, "create", "clusterrolebinding", "no-attachments", "--clusterrole=no-attachments", "--user=no-attachments")
	eventually(t, patience, "the server knows the rights", func() bool {
		return strings.HasPrefix(world.mayFail("auth", "can-i", "list", "pods", "-A", "--as", "no-attachments"), "yes")
	})
	answer = person.run("check", "worker-a4", "--as", "no-attachments")
	answer.exits(t, 4)
	answer.prints(t, "node/worker-a4: not known whether it is safe to power off", "unknown  no volume is attached to it")
	person.run("check", "worker-a1", "worker-a4", "--as", "no-attachments").exits(t, 3) // not safe is worse than not known
}
