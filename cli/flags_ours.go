package cli

import (
	"slices"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ownFlags are the flags that kubectl drain does not have. All are opt-in.
type ownFlags struct {
	yes            bool
	output         string
	parallelNodes  int
	parallelEvicts int
	allOrNothing   bool
	failFast       bool
	failOnBlockers bool
	order          string
	honor          []string
	waitJobs       bool
	blockSingle    bool
	guard          string
	guardWrite     bool
	excludeFromLB  time.Duration
	maxRetries     int
	forceAfter     time.Duration
	allowKill      bool
	allowTaint     bool
	allowScale     bool
	parallelVols   int
	strictOrder    bool
	detachTimeout  time.Duration
	reattachAfter  time.Duration
	reason         string
	leaseNamespace string
	takeOver       []string
	theme          string
	noColor        bool
	ascii          bool
}

// bindRun adds what steers a run.
func (f *ownFlags) bindRun(fs *pflag.FlagSet) {
	d := drain.DefaultOptions()
	fs.IntVar(&f.parallelNodes, "max-parallel-nodes", d.MaxParallelNodes, drain.FlagHelp("max-parallel-nodes"))
	fs.BoolVar(&f.strictOrder, "strict-order", false, drain.FlagHelp("strict-order"))
	fs.IntVar(&f.parallelEvicts, "max-parallel-evictions", d.MaxParallelEvictions, drain.FlagHelp("max-parallel-evictions"))
	fs.BoolVar(&f.allOrNothing, "all-or-nothing", false, drain.FlagHelp("all-or-nothing"))
	fs.BoolVar(&f.failFast, "fail-fast", false, drain.FlagHelp("fail-fast"))
	fs.IntVar(&f.parallelVols, "max-parallel-volumes", d.MaxParallelVolumes, drain.FlagHelp("max-parallel-volumes"))
	fs.DurationVar(&f.detachTimeout, "detach-timeout", d.DetachTimeout, drain.FlagHelp("detach-timeout"))
	fs.DurationVar(&f.reattachAfter, "reattach-timeout", d.ReattachTimeout, drain.FlagHelp("reattach-timeout"))
}

// bindPods adds what decides about pods beyond the filters of kubectl.
func (f *ownFlags) bindPods(fs *pflag.FlagSet) {
	fs.StringVar(&f.order, "order", "", drain.FlagHelp("order"))
	fs.StringSliceVar(&f.honor, "honor", nil, drain.FlagHelp("honor"))
	fs.BoolVar(&f.waitJobs, "wait-jobs", false, drain.FlagHelp("wait-jobs"))
	fs.BoolVar(&f.blockSingle, "block-single-replica", false, drain.FlagHelp("block-single-replica"))
	fs.StringVar(&f.guard, "guard", "", drain.FlagHelp("guard"))
	fs.BoolVar(&f.guardWrite, "guard-write", false, drain.FlagHelp("guard-write"))
}

// bindFallback adds what goes past budgets in the end, and what happens around
// the eviction.
func (f *ownFlags) bindFallback(fs *pflag.FlagSet) {
	fs.DurationVar(&f.excludeFromLB, "exclude-from-lb", 0, drain.FlagHelp("exclude-from-lb"))
	fs.IntVar(&f.maxRetries, "max-evict-retries", 0, drain.FlagHelp("max-evict-retries"))
	fs.DurationVar(&f.forceAfter, "force-after", 0, drain.FlagHelp("force-after"))
}

// bindLadder are the rungs of the ladder that --yes does not confirm: they are taken
// for one pod at a time, each by its own word, and not at all without these.
func (f *ownFlags) bindLadder(fs *pflag.FlagSet) {
	fs.BoolVar(&f.allowScale, "allow-scale", false, drain.FlagHelp("allow-scale"))
	fs.BoolVar(&f.allowKill, "allow-zero-grace", false, drain.FlagHelp("allow-zero-grace"))
	fs.BoolVar(&f.allowTaint, "allow-taint", false, drain.FlagHelp("allow-taint"))
}

func (f *ownFlags) bindBlockers(fs *pflag.FlagSet) {
	fs.BoolVar(&f.failOnBlockers, "fail-on-blockers", false, drain.FlagHelp("fail-on-blockers"))
}

func (f *ownFlags) bindReason(fs *pflag.FlagSet) {
	fs.StringVar(&f.reason, "reason", "", drain.FlagHelp("reason"))
}

// bindLeases adds where the Leases are by which runs keep off each other's nodes.
func (f *ownFlags) bindLeases(fs *pflag.FlagSet) {
	fs.StringVar(&f.leaseNamespace, "lease-namespace", kube.DefaultLeaseNamespace, drain.FlagHelp("lease-namespace"))
}

// bindTakeOver adds the word for taking a node from a run that is alive.
func (f *ownFlags) bindTakeOver(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.takeOver, "take-over", nil,
		"take over nodes that another run is at work on, which stops it there; =RUN,... takes from those runs alone")
	fs.Lookup("take-over").NoOptDefVal = drain.TakeOverAny
}

func (f *ownFlags) applyLeases(o *drain.Options) error {
	if f.leaseNamespace == kube.HeartbeatNamespace {
		return usage("leave it out for "+kube.DefaultLeaseNamespace, "--lease-namespace=%s: that namespace holds the heartbeats of kubelets", f.leaseNamespace)
	}
	if problems := validation.IsDNS1123Label(f.leaseNamespace); f.leaseNamespace != "" && len(problems) > 0 {
		return usage("", "--lease-namespace=%s: no name of a namespace", f.leaseNamespace)
	}
	if len(f.takeOver) > 0 && f.leaseNamespace == "" {
		return usage("", "--take-over needs the Leases that --lease-namespace= leaves out")
	}
	o.LeaseNamespace, o.TakeOver = f.leaseNamespace, f.takeOver
	return nil
}

func (f *ownFlags) bindOutput(fs *pflag.FlagSet) {
	fs.StringVarP(&f.output, "output", "o", "text", "text or json")
}

func (f *ownFlags) bindLook(fs *pflag.FlagSet) {
	fs.BoolVar(&f.noColor, "no-color", false, "no colours (as NO_COLOR=1)")
	fs.BoolVar(&f.ascii, "ascii", false, "plain ASCII characters only")
}

// check looks at the values that the flag parser cannot judge.
func (f *ownFlags) check() error {
	switch f.output {
	case "text", "json", "":
	default:
		return usage("", "--output=%s: must be text or json", f.output)
	}
	return nil
}

// applyPods puts the flags of bindPods into the options of a drain.
func (f *ownFlags) applyPods(o *drain.Options) error {
	o.Order, o.WaitJobs, o.BlockSingleReplica = drain.Order(f.order), f.waitJobs, f.blockSingle
	if err := f.applyGuard(o); err != nil {
		return err
	}
	if err := f.applyLeases(o); err != nil {
		return err
	}
	if o.Order != "" && o.Order != drain.OrderTiers {
		return usage("", "--order=%s: must be %s", f.order, drain.OrderTiers)
	}
	for _, name := range f.honor {
		if !slices.Contains(drain.Honorable, drain.Honored(name)) {
			return usage("", "--honor=%s: must be of %s", name, drain.HonorableWords())
		}
		o.Honor = append(o.Honor, drain.Honored(name))
	}
	return nil
}

func (f *ownFlags) applyGuard(o *drain.Options) error {
	if f.guard == "" {
		if f.guardWrite {
			return usage("", "--guard-write needs --guard, like --guard=25%%")
		}
		return nil
	}
	guard, err := drain.ParseGuard(f.guard)
	if err != nil {
		return usage("", "--guard=%s: must be a number above zero or a percentage like 25%%", f.guard)
	}
	o.Guard, o.GuardWrite = guard, f.guardWrite
	return nil
}

// apply puts the flags of a run into the options of a drain.
func (f *ownFlags) apply(o *drain.Options) error {
	if f.parallelNodes < 1 || f.parallelEvicts < 1 {
		return usage("", "--max-parallel-nodes and --max-parallel-evictions must be 1 or more")
	}
	if f.excludeFromLB < 0 || f.forceAfter < 0 || f.maxRetries < 0 {
		return usage("", "--exclude-from-lb, --force-after and --max-evict-retries must not be negative")
	}
	if f.parallelVols < 0 || f.detachTimeout < 0 || f.reattachAfter < 0 {
		return usage("", "--max-parallel-volumes, --detach-timeout and --reattach-timeout must not be negative")
	}
	o.MaxParallelVolumes, o.DetachTimeout, o.ReattachTimeout = f.parallelVols, f.detachTimeout, f.reattachAfter
	o.MaxParallelNodes, o.MaxParallelEvictions = f.parallelNodes, f.parallelEvicts
	o.FailOnBlockers, o.StrictOrder = f.failOnBlockers, f.strictOrder
	o.AllOrNothing, o.FailFast, o.Reason = f.allOrNothing, f.failFast, f.reason
	o.AllowScale, o.AllowZeroGrace, o.AllowTaint = f.allowScale, f.allowKill, f.allowTaint
	o.ExcludeFromLB, o.MaxEvictRetries, o.ForceAfter = f.excludeFromLB, f.maxRetries, f.forceAfter
	return f.applyPods(o)
}

func (f *ownFlags) json() bool { return f.output == "json" }
