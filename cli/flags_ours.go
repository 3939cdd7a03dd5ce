package cli

import (
	"slices"
	"strings"
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
	fs.IntVar(&f.parallelNodes, "max-parallel-nodes", d.MaxParallelNodes,
		"how many nodes are emptied at a time")
	fs.IntVar(&f.parallelEvicts, "max-parallel-evictions", d.MaxParallelEvictions,
		"how many eviction requests may be on their way at a time")
	fs.BoolVar(&f.allOrNothing, "all-or-nothing", false,
		"touch no node if one of them is refused")
	fs.BoolVar(&f.failFast, "fail-fast", false,
		"begin no further node once one has failed")
	fs.IntVar(&f.parallelVols, "max-parallel-volumes", d.MaxParallelVolumes,
		"how many pods with volumes may be on their way at a time, per node and CSI driver, until the volumes are detached; 0: all, as kubectl")
	fs.DurationVar(&f.detachTimeout, "detach-timeout", d.DetachTimeout,
		"how long after a pod's grace period the detach of its volumes is waited for; then the next goes, with a warning")
	fs.DurationVar(&f.reattachAfter, "reattach-timeout", d.ReattachTimeout,
		"warn of a volume that no other node has after this time; it is never waited for; 0: never")
}

// bindPods adds what decides about pods beyond the filters of kubectl.
func (f *ownFlags) bindPods(fs *pflag.FlagSet) {
	fs.StringVar(&f.order, "order", "",
		"tiers: ordinary pods first, then critical ones, then storage; a blocked pod holds nobody (default: all at once)")
	fs.StringSliceVar(&f.honor, "honor", nil,
		"obey the drain labels and annotations of "+honorable()+" (they are only shown otherwise)")
	fs.BoolVar(&f.waitJobs, "wait-jobs", false,
		"let pods of Jobs run to their end instead of evicting them")
	fs.BoolVar(&f.blockSingle, "block-single-replica", false,
		"refuse a node that holds the only pod of a workload")
	fs.StringVar(&f.guard, "guard", "",
		"how many pods of a workload without a budget may be away at a time, like 25% or 1: the run itself holds the others back")
	fs.BoolVar(&f.guardWrite, "guard-write", false,
		"make the guard real budgets in the cluster for the time of the run; they are removed at its end")
}

// bindFallback adds what goes past budgets in the end, and what happens around
// the eviction.
func (f *ownFlags) bindFallback(fs *pflag.FlagSet) {
	fs.DurationVar(&f.excludeFromLB, "exclude-from-lb", 0,
		"label the nodes out of external load balancers with the cordon, and wait this long before the first eviction; uncordon undoes it")
	fs.IntVar(&f.maxRetries, "max-evict-retries", 0,
		"delete a pod past its budget, with its own grace period, once it was refused more often than this; 0: never")
	fs.DurationVar(&f.forceAfter, "force-after", 0,
		"delete a pod past its budget, with its own grace period, once it was blocked for this long; 0: never")
}

// bindLadder are the rungs of the ladder that --yes does not confirm: they are taken
// for one pod at a time, each by its own word, and not at all without these.
func (f *ownFlags) bindLadder(fs *pflag.FlagSet) {
	fs.BoolVar(&f.allowScale, "allow-scale", false,
		"let ctl give the workload of a blocked pod one more replica or roll it out anew; replicas are taken back at the end")
	fs.BoolVar(&f.allowKill, "allow-zero-grace", false,
		"let ctl delete a stuck pod with a grace period of zero: its process may still run")
	fs.BoolVar(&f.allowTaint, "allow-taint", false,
		"let ctl declare a node that is off out of service: its pods are forgotten, its volumes detached")
}

func (f *ownFlags) bindBlockers(fs *pflag.FlagSet) {
	fs.BoolVar(&f.failOnBlockers, "fail-on-blockers", false,
		"refuse a node if a budget never lets one of its pods go, or it is the last Ready control-plane node")
}

func (f *ownFlags) bindReason(fs *pflag.FlagSet) {
	fs.StringVar(&f.reason, "reason", "",
		"why, in your words: kept in the mark on the node and in the report")
}

// bindLeases adds where the Leases are by which runs keep off each other's nodes.
func (f *ownFlags) bindLeases(fs *pflag.FlagSet) {
	fs.StringVar(&f.leaseNamespace, "lease-namespace", kube.DefaultLeaseNamespace,
		"where runs keep the Leases over the nodes that they work on, so that two never work on one; empty: none are taken or looked at")
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
			return usage("", "--honor=%s: must be of %s", name, honorable())
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
	o.AllOrNothing, o.FailFast, o.Reason = f.allOrNothing, f.failFast, f.reason
	o.AllowScale, o.AllowZeroGrace, o.AllowTaint = f.allowScale, f.allowKill, f.allowTaint
	o.ExcludeFromLB, o.MaxEvictRetries, o.ForceAfter = f.excludeFromLB, f.maxRetries, f.forceAfter
	return f.applyPods(o)
}

func honorable() string {
	names := make([]string, len(drain.Honorable))
	for i, h := range drain.Honorable {
		names[i] = string(h)
	}
	return strings.Join(names, ", ")
}

func (f *ownFlags) json() bool { return f.output == "json" }
