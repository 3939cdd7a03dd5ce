package cli

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// kubectl's flags with their shorthands, types and defaults, from
// k8s.io/kubectl v0.37.2: pkg/cmd/drain/drain.go (NewCmdDrain, NewDrainCmdOptions)
// and pkg/cmd/util/helpers.go (AddChunkSizeFlag, AddDryRunFlag,
// AddLabelSelectorFlagVar).
var kubectlDrainFlags = []struct{ name, short, kind, value, bare string }{
	{"force", "", "bool", "false", "true"},
	{"ignore-daemonsets", "", "bool", "false", "true"},
	{"delete-emptydir-data", "", "bool", "false", "true"},
	{"grace-period", "", "int", "-1", ""},
	{"timeout", "", "duration", "0s", ""},
	{"pod-selector", "", "string", "", ""},
	{"disable-eviction", "", "bool", "false", "true"},
	{"skip-wait-for-delete-timeout", "", "int", "0", ""},
	{"chunk-size", "", "int64", "500", ""},
	{"dry-run", "", "string", "none", "unchanged"},
	{"selector", "l", "string", "", ""},
}

// Connection flags of kubectl: k8s.io/cli-runtime v0.37.2
// pkg/genericclioptions/config_flags.go AddFlags.
const kubectlConnectionFlags = "kubeconfig cache-dir certificate-authority client-certificate client-key token as as-uid " +
	"as-group as-user-extra username password cluster user namespace/n context server/s tls-server-name " +
	"insecure-skip-tls-verify request-timeout disable-compression proxy-url"

func commandOf(t *testing.T, name string) *cobra.Command {
	t.Helper()
	cmd, _, err := newBench(t, nil).Command().Find(strings.Fields(name))
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestDrainHasTheFlagsOfKubectl(t *testing.T) {
	fs := commandOf(t, "drain").Flags()
	for _, want := range kubectlDrainFlags {
		f := fs.Lookup(want.name)
		if f == nil {
			t.Errorf("--%s is missing", want.name)
			continue
		}
		if f.Shorthand != want.short || f.Value.Type() != want.kind || f.DefValue != want.value || f.NoOptDefVal != want.bare {
			t.Errorf("--%s: -%s %s %q %q, kubectl has -%s %s %q %q", want.name,
				f.Shorthand, f.Value.Type(), f.DefValue, f.NoOptDefVal, want.short, want.kind, want.value, want.bare)
		}
	}
}

func TestCordonHasTheFlagsOfKubectl(t *testing.T) {
	for _, name := range []string{"cordon", "uncordon"} {
		for _, flag := range []string{"dry-run", "selector"} {
			if commandOf(t, name).Flags().Lookup(flag) == nil {
				t.Errorf("%s: --%s is missing", name, flag)
			}
		}
	}
}

func TestEveryCommandHasTheConnectionFlags(t *testing.T) {
	for _, name := range []string{"", "plan", "drain", "cordon", "uncordon", "version"} {
		cmd := commandOf(t, name)
		_ = cmd.ParseFlags(nil) // merges the flags of the parents
		for _, want := range strings.Fields(kubectlConnectionFlags) {
			flag, short, _ := strings.Cut(want, "/")
			if f := cmd.Flags().Lookup(flag); f == nil || f.Shorthand != short {
				t.Errorf("%s: --%s (%s) is missing or has another shorthand", name, flag, short)
			}
		}
	}
}

// Our shorthands must not take one that kubectl drain has.
func TestOwnFlags(t *testing.T) {
	for name, flags := range map[string]string{
		"drain": "order honor wait-jobs exclude-from-lb max-evict-retries force-after yes output max-parallel-nodes max-parallel-evictions max-parallel-volumes detach-timeout reattach-timeout all-or-nothing fail-fast fail-on-blockers reason no-color ascii",
		"plan":  "order honor wait-jobs output fail-on-blockers no-color ascii", "cordon": "reason",
		"": "theme mouse no-color ascii reason read-only max-parallel-nodes max-parallel-evictions all-or-nothing fail-fast",
	} {
		cmd := commandOf(t, name)
		_ = cmd.ParseFlags(nil)
		for _, flag := range strings.Fields(flags) {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s: --%s is missing", name, flag)
			}
		}
	}
	if commandOf(t, "").Flags().Lookup("yes") != nil {
		t.Error("the dashboard must not take --yes")
	}
}

func TestDefaultOptionsAreKubectls(t *testing.T) {
	f := newBench(t, nil).newFlags()
	f.bindDrain((&cobra.Command{}).Flags())
	o, err := f.options()
	if err != nil {
		t.Fatal(err)
	}
	d := plan.DefaultOptions()
	d.LeaseNamespace = kube.DefaultLeaseNamespace
	if o.Selector.String() != d.Selector.String() {
		t.Errorf("selector %s", o.Selector)
	}
	o.Selector = d.Selector
	if !reflect.DeepEqual(o, d) {
		t.Errorf("options %+v, want %+v", o, d)
	}
}

// kubectl: pkg/cmd/util/helpers.go GetDryRunStrategy.
func TestDryRunValues(t *testing.T) {
	for value, want := range map[string]struct {
		as      plan.DryRun
		warning string
		bad     bool
	}{
		"none": {as: plan.DryRunNone}, "client": {as: plan.DryRunClient}, "server": {as: plan.DryRunServer},
		"unchanged": {as: plan.DryRunClient, warning: "--dry-run is deprecated and can be replaced with --dry-run=client."},
		"true":      {as: plan.DryRunClient, warning: "--dry-run=true is deprecated (boolean value) and can be replaced with --dry-run=client."},
		"false":     {as: plan.DryRunNone, warning: "--dry-run=false is deprecated (boolean value) and can be replaced with --dry-run=none."},
		"sever":     {bad: true}, "": {bad: true},
	} {
		var warnings strings.Builder
		var got plan.DryRun
		err := warnedDryRun{&got, &warnings}.Set(value)
		if (err != nil) != want.bad || err == nil && got != want.as || !strings.Contains(warnings.String(), want.warning) {
			t.Errorf("--dry-run=%s: %v %v %q", value, got, err, warnings.String())
		}
	}
}

// The dashboard can be started with what a drain takes, but for what a screen asks.
func TestTheDashboardHasTheOptionsOfADrain(t *testing.T) {
	root, cmd := commandOf(t, "").Flags(), commandOf(t, "drain").Flags()
	f := newBench(t, nil).newFlags()
	f.Flags().VisitAll(func(flag *pflag.Flag) {
		if cmd.Lookup(flag.Name) == nil {
			t.Errorf("drain: --%s is missing", flag.Name)
		}
		if screen := flag.Name == "dry-run" || flag.Name == "take-over"; (root.Lookup(flag.Name) == nil) != screen {
			t.Errorf("the dashboard and --%s", flag.Name)
		}
	})
}
