package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// What is wrong with the command line is said before anything connects.
func TestUsageErrors(t *testing.T) {
	for _, test := range []struct {
		args string
		says string
	}{
		{"plan", "which node?"},
		{"drain --yes", "which node?"},
		{"cordon", "which node?"},
		{"plan --selector=", "--selector is empty"},
		{"plan a -l pool=blue", "cannot specify both a node name and a --selector option"},
		{"plan -l pool=(", "pool=("},
		{"plan pods/a", "expected resource of type node"},
		{"plan node/", "single resource and name"},
		{"drain a --yes --pod-selector=a=(", "--pod-selector"},
		{"drain a --yes --evict-daemonsets=a=(", "--evict-daemonsets=a=(: must be a valid label selector"},
		{"roll a --yes --work=true --evict-daemonsets=a=(", "--evict-daemonsets"},
		{"drain a --yes --timeout=-1s", "--timeout"},
		{"drain a --yes --timeout=soon", "--timeout=soon: must be a length of time"},
		{"drain a --yes --guard-write", "--guard-write needs --guard"},
		{"drain a --yes --lease-namespace=kube-node-lease", "heartbeats of kubelets"},
		{"uncordon a --lease-namespace= --take-over", "--take-over needs --lease-namespace"},
		{"drain a --yes --max-parallel-nodes=0", "1 or more"},
		{"drain a --yes --order=random", "--order=random: must be tiers"},
		{"plan a --honor=karpenter,me", `--honor=karpenter,me: unknown value "me"`},
		{"drain a --yes --force-after=-1s", "must not be negative"},
		{"drain a --yes -o yaml", "text or json"},
		{"drain a --dry-run=sever", "invalid dry-run value"},
		{"drain a --bogus", "unknown flag: --bogus"},
		{"drain a", "there is no terminal to ask on"},
		{"drain a b", "see first: kdrain-tui plan a b\n"},
		{"drain a -o json", "add --yes"},
		{"drain a --yes --read-only", "--read-only forbids a drain"},
		{"cordon a --read-only", "--read-only forbids cordon"},
		{"version a", "takes no arguments"},
		{"completion", "which shell?"},
		{"completion tcsh", "tcsh"},
	} {
		b := newBench(t, smallCluster())
		b.expect(t, ExitUsage, []string{"error: ", test.says}, strings.Fields(test.args)...)
		if len(b.opened) > 0 {
			t.Errorf("%s: connected although the command line is wrong", test.args)
		}
		if b.out.Len() > 0 {
			t.Errorf("%s: errors belong to standard error, got %q", test.args, b.out)
		}
	}
}

// Without a terminal the dashboard is an error and never a drain.
func TestNoTerminal(t *testing.T) {
	for _, terminal := range []Terminal{{}, {In: true}, {Out: true, Err: true}} {
		b := newBench(t, smallCluster())
		b.Terminal = terminal
		b.expect(t, ExitUsage, []string{"needs a terminal", "nothing was done", "kdrain-tui plan NODE..."}, "worker-1")
		if len(b.opened) > 0 || b.writer.writes() > 0 {
			t.Error("something was done without a terminal")
		}
	}
}

// A terminal that only takes lines gets the commands that work line by line, and no screen.
func TestDumbTerminal(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Terminal = Terminal{In: true, Out: true, Err: true, Dumb: true}
	b.expect(t, ExitUsage, []string{"TERM=dumb", "nothing was done", "kdrain-tui plan NODE...", "kdrain-tui drain NODE..."}, "worker-1")
	if len(b.opened) > 0 {
		t.Error("connected although there is no screen to show the cluster on")
	}
}

func TestDashboardOpensWithNodesMarked(t *testing.T) {
	for _, test := range []struct{ args, marked string }{
		{"", ""}, {"worker-2 node/worker-1", "worker-2 worker-1"}, {"-l pool=blue", "worker-1"},
	} {
		b := newBench(t, smallCluster())
		b.Terminal = Terminal{In: true, Out: true, Err: true}
		var request DashboardRequest
		b.Dashboard = func(_ context.Context, r DashboardRequest) (DashboardEnd, error) {
			request = r
			return DashboardEnd{Run: endedRun(drain.OutcomePartly)}, nil
		}
		args := append(strings.Fields(test.args), "--force", "--theme=mono", "--read-only", "--max-parallel-nodes=3")
		b.expect(t, ExitPartly, nil, args...)
		if got := strings.Join(request.Marked, " "); got != test.marked {
			t.Errorf("%q: marked %q, want %q", test.args, got, test.marked)
		}
		if !request.Options.Force || request.Options.MaxParallelNodes != 3 || request.Screen.Theme != "mono" || !request.ReadOnly {
			t.Errorf("request %+v", request)
		}
	}
}

func TestDashboardWithUnknownNode(t *testing.T) {
	b := newBench(t, smallCluster())
	b.Terminal = Terminal{In: true, Out: true}
	b.expect(t, ExitError, []string{`nodes "drian" not found`, "did you mean the command drain?"}, "drian")
}

func TestConnectionErrorsHaveHints(t *testing.T) {
	b := newBench(t, smallCluster())
	b.openErr = &conn.ConnectError{
		Kind: conn.NoServer, Tried: "connecting to https://x", Hint: "Check the VPN.", Reason: errors.New("refused\x1b[2J"),
	}
	b.expect(t, ExitError, []string{"error: connecting to https://x: no server: refused\n  Check the VPN.\n"}, "plan", "a")
}

func TestPluginName(t *testing.T) {
	for argv0, want := range map[string]string{
		"bin/kdrain-tui": "kdrain-tui", "kubectl-kdrain": "kubectl kdrain",
		"kubectl-kdrain.exe": "kubectl kdrain", "./kd": "kdrain-tui",
	} {
		b := newBench(t, nil)
		b.Name = argv0
		if code := b.run("drain", "--help"); code != ExitDone {
			t.Errorf("%s: exit %d", argv0, code)
		}
		if help := b.out.String(); !strings.Contains(help, "  "+want+" drain NODE... [flags]") ||
			!strings.Contains(help, want+" drain worker-1 --ignore-daemonsets") {
			t.Errorf("%s: help does not say %q:\n%s", argv0, want, help)
		}
	}
}

func TestCompletion(t *testing.T) {
	for shell, says := range map[string]string{
		"bash": "kdrain-tui", "zsh": "kdrain-tui", "fish": "kdrain-tui", "powershell": "kdrain-tui",
		"kubectl": "#!/bin/sh\n# kubectl runs this to complete kubectl kdrain.\nexec kubectl-kdrain __complete \"$@\"\n",
	} {
		b := newBench(t, nil)
		b.expect(t, ExitDone, nil, "completion", shell)
		if !strings.Contains(b.out.String(), says) {
			t.Errorf("%s: %s", shell, b.out)
		}
	}
}

func TestNodeNamesAreCompleted(t *testing.T) {
	for args, want := range map[string]string{
		"drain wor":           "worker-1\nworker-2\n:4\n",
		"plan worker-1 w":     "worker-2\n:4\n",
		"cordon node/w":       "node/worker-1\nnode/worker-2\n:4\n",
		"uncordon worker-2 x": ":4\n",
	} {
		b := newBench(t, smallCluster())
		b.run(append([]string{"__complete"}, strings.Fields(args)...)...)
		if b.out.String() != want {
			t.Errorf("%s: %q, want %q", args, b.out, want)
		}
		if len(b.opened) != 1 || !b.opened[0].Quiet {
			t.Errorf("%s: a completion must never prompt", args)
		}
	}
	b := newBench(t, smallCluster())
	b.openErr = errors.New("no server")
	b.run("__complete", "drain", "w")
	if b.out.String() != ":4\n" {
		t.Errorf("without a server: %q", b.out)
	}
}
