package cli

import (
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Every command that is printed names the cluster that was chosen, under the name
// we were called by; those that need no cluster name none.
func TestPrintedCommandsNameTheirCluster(t *testing.T) {
	flags := []string{"--kubeconfig=/k/other.yaml", "--context=prod", "--as=ada"}
	states := t.TempDir()
	journal := writeRun(t, states, "aaaaaa", noon, "")
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, args := range [][]string{
		{"plan", "worker-1", "worker-2"}, {"plan", "worker-1", "worker-2", "-o", "json"}, {"plan", "worker-1", "--force", "--ignore-daemonsets"},
		{"report", "aaaaaa"}, {"report", "aaaaaa", "-o", "markdown"}, {"report", "aaaaaa", "-o", "json"},
	} {
		b := newBench(t, smallCluster())
		b.Name, b.StateDir = "/usr/bin/kubectl-kdrain", states
		b.run(append(args, flags...)...)
		for line := range strings.Lines(b.out.String() + b.err.String()) {
			commands += checkCommands(t, line, args[0] == "plan")
		}
	}
	if commands < 5 {
		t.Errorf("only %d commands were printed", commands)
	}
}

// checkCommands looks at the commands of a line.
func checkCommands(t *testing.T, line string, live bool) (found int) {
	t.Helper()
	for _, verb := range []string{"delete", "get", "describe", "scale", "patch", "edit", "taint", "logs", "auth", "annotate", "rollout"} {
		if strings.Contains(line, "kubectl "+verb+" ") {
			t.Errorf("names no cluster: %s", line)
		}
	}
	if strings.Contains(line, "kdrain-tui resume") || strings.Contains(line, "kdrain-tui uncordon") || strings.Contains(line, "kdrain-tui rollback") {
		t.Errorf("not the name we were called by: %s", line)
	}
	if strings.Contains(line, "--context=prod") && (!live || strings.Contains(line, "--kubeconfig=/k/other.yaml --context=prod --as=ada ")) {
		return 1
	}
	return 0
}

// A journal knows the kubeconfig and the context of its run, and nothing secret.
func TestRunsKnowTheirKubeconfig(t *testing.T) {
	b := newBench(t, smallCluster())
	cmd := b.Command()
	run := &drain.RunFacts{ID: "aaaaaa", ClusterUID: "cluster-1", Context: "prod", Kubeconfig: "/k/other.yaml"}
	c, err := (&pastRun{Program: b.Program, f: b.newFlags()}).openOf(t.Context(), cmd, run, false)
	if err != nil {
		t.Fatal(err)
	}
	if b.connection.Kubeconfig != "/k/other.yaml" || b.connection.Overrides.CurrentContext != "prod" || c.Target.Kubeconfig != "/k/other.yaml" {
		t.Errorf("%+v, %+v", b.connection, c.Target)
	}
}
