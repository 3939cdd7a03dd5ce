package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// kubectlFlags are the flags of kubectl drain, with its names and defaults
// (k8s.io/kubectl v0.37.2, pkg/cmd/drain/drain.go and pkg/cmd/util/helpers.go).
type kubectlFlags struct {
	force, ignoreDaemonSets, deleteEmptyDirData, disableEviction bool

	gracePeriod       int
	timeout           time.Duration
	podSelector       string
	skipWaitForDelete int
	chunkSize         int64
	selector          string
	dryRun            string
}

// bindNodes adds the flags that every command with nodes has.
func (f *kubectlFlags) bindNodes(fs *pflag.FlagSet) {
	fs.StringVarP(&f.selector, "selector", "l", "",
		"choose the nodes by label, like -l zone=a,pool in (x,y) (instead of names)")
}

// bindDryRun adds --dry-run with kubectl's bare form.
func (f *kubectlFlags) bindDryRun(fs *pflag.FlagSet) {
	fs.StringVar(&f.dryRun, "dry-run", "none",
		`must be "none", "server", or "client": client prints what would be done, server asks the API server without changing anything`)
	fs.Lookup("dry-run").NoOptDefVal = bareDryRun
}

// bindDrain adds the flags of kubectl drain that decide what happens to pods.
func (f *kubectlFlags) bindDrain(fs *pflag.FlagSet) {
	fs.BoolVar(&f.force, "force", false, drain.FlagHelp("force"))
	fs.BoolVar(&f.ignoreDaemonSets, "ignore-daemonsets", false, drain.FlagHelp("ignore-daemonsets"))
	fs.BoolVar(&f.deleteEmptyDirData, "delete-emptydir-data", false, drain.FlagHelp("delete-emptydir-data"))
	fs.IntVar(&f.gracePeriod, "grace-period", -1, drain.FlagHelp("grace-period"))
	fs.DurationVar(&f.timeout, "timeout", 0, drain.FlagHelp("timeout"))
	fs.StringVar(&f.podSelector, "pod-selector", "", drain.FlagHelp("pod-selector"))
	fs.BoolVar(&f.disableEviction, "disable-eviction", false, drain.FlagHelp("disable-eviction"))
	fs.IntVar(&f.skipWaitForDelete, "skip-wait-for-delete-timeout", 0, drain.FlagHelp("skip-wait-for-delete-timeout"))
	fs.Int64Var(&f.chunkSize, "chunk-size", 500,
		"page size of large lists; 0: all at once")
}

// options turns the flags into the options of a drain.
func (f *kubectlFlags) options(warn io.Writer) (drain.Options, error) {
	o := drain.DefaultOptions()
	o.Force, o.IgnoreDaemonSets = f.force, f.ignoreDaemonSets
	o.DeleteEmptyDirData, o.DisableEviction = f.deleteEmptyDirData, f.disableEviction
	o.GracePeriodSeconds, o.Timeout = f.gracePeriod, f.timeout
	o.SkipWaitForDelete = time.Duration(max(f.skipWaitForDelete, 0)) * time.Second
	if f.timeout < 0 {
		return o, usage("", "--timeout=%s: must not be negative", f.timeout)
	}
	selector, err := labels.Parse(f.podSelector)
	if err != nil {
		return o, &failure{code: ExitUsage, text: "--pod-selector=" + strconv.Quote(f.podSelector) +
			" is not a label selector", err: err}
	}
	o.PodSelector, o.Selector = f.podSelector, selector
	o.DryRun, err = f.dryRunStrategy(warn)
	return o, err
}

// bareDryRun is what --dry-run without a value stands for in kubectl.
const bareDryRun = "unchanged"

// dryRunStrategy reads --dry-run as kubectl does: the bare form and booleans
// are deprecated and still understood.
func (f *kubectlFlags) dryRunStrategy(warn io.Writer) (drain.DryRun, error) {
	if b, err := strconv.ParseBool(f.dryRun); err == nil {
		as := drain.DryRunNone
		if b {
			as = drain.DryRunClient
		}
		fmt.Fprintf(warn, "Warning: --dry-run=%s is deprecated (boolean value) and can be replaced with --dry-run=%s.\n", f.dryRun, as)
		return as, nil
	}
	switch f.dryRun {
	case bareDryRun:
		fmt.Fprintln(warn, "Warning: --dry-run is deprecated and can be replaced with --dry-run=client.")
		return drain.DryRunClient, nil
	case "none", "client", "server":
		return drain.DryRun(f.dryRun), nil
	}
	return "", usage("", `invalid dry-run value (%s): must be "none", "server", or "client"`, f.dryRun)
}
