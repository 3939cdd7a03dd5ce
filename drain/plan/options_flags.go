package plan

import (
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// flagGroup is the annotation of a flag that names its group.
const flagGroup = "group"

// The groups of flags, as help and pages head them.
const (
	// GroupKubectl are those of kubectl drain, with its names, defaults and meaning.
	GroupKubectl = "Flags of kubectl"
	// GroupRemedies let remedies be used without a screen that need a flag of their own.
	GroupRemedies = "Remedies for pods that do not leave"

	groupRun     = "Nodes in parallel"
	groupPods    = "Pods and their order"
	groupSurge   = "Replacements first"
	groupHealth  = "Workloads after the drain"
	groupVolumes = "Volumes"
	groupPast    = "Past budgets"
	groupLeases  = "Leases"
)

// GroupOf is the group of a flag, "" for none.
func GroupOf(f *pflag.Flag) string {
	if of := f.Annotations[flagGroup]; len(of) > 0 {
		return of[0]
	}
	return ""
}

// AddGroup adds flags under the name of a group, in the order in which they are added.
func AddGroup(fs *pflag.FlagSet, group string, add func(*pflag.FlagSet)) {
	flags := pflag.NewFlagSet(group, pflag.ContinueOnError)
	flags.SortFlags = false
	add(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		annotate(f, flagGroup, group)
		fs.AddFlag(f)
	})
}

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = []string{value}
}

const noDefault = "no-default"

// NoDefault says of a flag why no file or variable may set it for every start: it confirms
// something, goes past budgets, loses data, or hides what a drain does.
func NoDefault(fs *pflag.FlagSet, flag, why string) { annotate(fs.Lookup(flag), noDefault, why) }

// WhyNoDefault is why no file or variable may set a flag, "" where one may.
func WhyNoDefault(f *pflag.Flag) string {
	if why := f.Annotations[noDefault]; len(why) > 0 {
		return why[0]
	}
	return ""
}

// Choice is one value of a flag that takes few, and what it does.
type Choice struct{ Value, Does string }

// ChoicesOf are the values that a flag takes, nil where there is no list of them.
func ChoicesOf(f *pflag.Flag) []Choice {
	if v, ok := f.Value.(interface{ Choices() []Choice }); ok {
		return v.Choices()
	}
	return nil
}

// addFlags adds a flag for each option: name, default, help, how its text is read and
// its group are said here and nowhere else. The flags write into o, which keeps the
// values that it has.
func (o *Options) addFlags(fs *pflag.FlagSet) {
	values := *o
	*o = DefaultOptions() // pflag takes the defaults from the fields, or writes them there
	o.LeaseNamespace = kube.DefaultLeaseNamespace
	for _, group := range []struct {
		name string
		add  func(*pflag.FlagSet)
	}{
		{GroupKubectl, o.addKubectlFlags}, {groupRun, o.addRunFlags}, {groupPods, o.addPodFlags},
		{groupSurge, o.addSurgeFlags}, {groupHealth, o.addHealthFlags},
		{groupVolumes, o.addVolumeFlags}, {groupPast, o.addPastFlags}, {GroupRemedies, o.addRemedyFlags},
		{groupLeases, o.addLeaseFlags},
	} {
		AddGroup(fs, group.name, group.add)
	}
	*o = values
	for _, p := range pairs {
		link := map[bool]string{true: "; not with --", false: "; needs --"}[p.apart]
		if fs.Lookup(p.flag).Usage += link + p.other; p.apart {
			fs.Lookup(p.other).Usage += link + p.flag
		}
	}
}

// Flags are the flags of the options alone, in order.
func (o *Options) Flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	o.addFlags(fs)
	return fs
}

func (o *Options) addKubectlFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.IgnoreDaemonSets, "ignore-daemonsets", false, "leave pods of DaemonSets where they are")
	fs.BoolVar(&o.DeleteEmptyDirData, "delete-emptydir-data", false,
		"move pods with emptyDir volumes too; that local data is deleted")
	fs.BoolVar(&o.Force, "force", false, "move pods too that declare no controller; they are not recreated")
	fs.BoolVar(&o.DisableEviction, "disable-eviction", false,
		"delete instead of evicting; this bypasses all PodDisruptionBudgets")
	fs.Var(count{&o.GracePeriodSeconds, math.MinInt}, "grace-period",
		"seconds that each pod gets to end; negative: the pod's own, 0: at once")
	fs.Var(length{&o.Timeout}, "timeout",
		"how long a node may take before it is given up, like 90s or 15m; 0: no limit")
	fs.Var(selectorText{o}, "pod-selector", "only the pods that this label selector chooses")
	fs.Var(seconds{&o.SkipWaitForDelete}, "skip-wait-for-delete-timeout",
		"do not wait for pods whose deletion is older than this many seconds; 0: wait for all")
	fs.Var(&o.DryRun, "dry-run", `must be "none", "server", or "client": client prints what would be done, `+
		`server asks the API server without changing anything`)
	fs.Lookup("dry-run").NoOptDefVal = DryRunBare
	NoDefault(fs, "force", "pods that no controller declares do not come back")
	NoDefault(fs, "disable-eviction", "it goes past all PodDisruptionBudgets")
	NoDefault(fs, "grace-period", "pods would get less time to end than they declare")
	NoDefault(fs, "pod-selector", "every drain would leave pods behind unseen")
	NoDefault(fs, "dry-run", "whether anything is written is said on the command line")
}

func (o *Options) addRunFlags(fs *pflag.FlagSet) {
	fs.Var(count{&o.MaxParallelNodes, 1}, "max-parallel-nodes",
		"how many nodes may make progress at a time; a blocked one lets the next begin")
	fs.BoolVar(&o.StrictOrder, "strict-order", false,
		"a blocked node keeps its place: the next begins when it is done, as with kubectl")
	fs.Var(count{&o.MaxParallelEvictions, 1}, "max-parallel-evictions",
		"how many eviction requests may be on their way at a time")
	fs.BoolVar(&o.AllOrNothing, "all-or-nothing", false, "touch no node if one of them is refused")
	fs.BoolVar(&o.FailFast, "fail-fast", false, "begin no further node once one has failed")
	fs.StringVar(&o.Reason, "reason", "", "why, in your words: kept in the annotation on the node and in the report")
}

func (o *Options) addPodFlags(fs *pflag.FlagSet) {
	fs.Var(&o.Order, "order",
		"tiers: ordinary pods first, then critical ones, then storage; a blocked pod does not delay later tiers (default: all at once)")
	fs.BoolVar(&o.WaitJobs, "wait-jobs", false, "let pods of Jobs run to completion instead of evicting them")
	fs.BoolVar(&o.BlockSingleReplica, "block-single-replica", false,
		"refuse a node with the only pod of a workload, or with one for which this is not known; reads the whole cluster")
	fs.BoolVar(&o.FailOnBlockers, "fail-on-blockers", false,
		"refuse a node if a budget never allows the eviction of one of its pods, or it is the last Ready control-plane node; "+
			"reads the whole cluster")
	fs.Var(honored{&list[Honored]{to: &o.Honor, known: honorable}}, "honor",
		"obey the drain labels, annotations and rules of other projects (they are only shown otherwise); "+
			"for cluster-api the whole cluster is read")
	fs.Var(&list[string]{to: &o.ExcludePods, judge: podName}, "exclude-pod",
		"leave this pod where it is, NAMESPACE/NAME; can be given several times")
	NoDefault(fs, "exclude-pod", "it names pods of one drain")
	fs.Var(daemonSetText{o}, "evict-daemonsets",
		"evict pods of DaemonSets too that this label selector chooses, after all other pods of their node; "+
			"their DaemonSets recreate them there")
	fs.Var(&o.Guard, "guard", "how many pods of a workload without a budget may be unavailable at a time, "+
		"like 25% or 1: the run itself delays the others; reads the whole cluster")
	fs.BoolVar(&o.GuardWrite, "guard-write", false,
		"create the budgets of --guard in the cluster for the time of the run; they are removed at its end")
	fs.Var(length{&o.ExcludeFromLB}, "exclude-from-lb",
		"label the nodes out of external load balancers with the cordon, "+
			"and wait this long before the first eviction; uncordon undoes it; 0: off")
}

func (o *Options) addSurgeFlags(fs *pflag.FlagSet) {
	fs.Var(&o.Surge, "surge", "start the replacements of pods before they leave, like 100% or 2: so many replicas more than it wants "+
		"a Deployment or ReplicaSet gets meanwhile, then the pods on the nodes are removed first; reads the whole cluster")
	fs.Var(length{&o.SurgeTimeout}, "surge-timeout",
		"how long replacements may take to be Ready with --surge; 0: no limit")
	fs.Var(fallback{&o.SurgeFallback}, "surge-fallback",
		"what becomes of pods whose replacements are not Ready in time")
	fs.BoolVar(&o.SurgeManaged, "surge-managed", false,
		"with --surge, raise replicas too that a GitOps tool or an operator sets, which may set them back at any time")
	NoDefault(fs, "surge-managed", "it changes a number that belongs to another tool")
}

func (o *Options) addHealthFlags(fs *pflag.FlagSet) {
	fs.Var(length{&o.WaitReplacements}, "wait-replacements",
		"how long after a pod left its node its replacement may take to be Ready "+
			"before the next node begins, and begin none while workloads are worse than before; 0: not waited for")
	fs.Lookup("wait-replacements").NoOptDefVal = waitReplacementsBare.String()
	fs.Var(count{&o.MaxUnhealthy, 0}, "max-unhealthy",
		"how many workloads may be worse than before when the next node begins, with --wait-replacements")
}

// waitReplacementsBare is --wait-replacements without a value.
const waitReplacementsBare = 10 * time.Minute

func (o *Options) addVolumeFlags(fs *pflag.FlagSet) {
	fs.Var(count{&o.MaxParallelVolumes, 0}, "max-parallel-volumes", "how many pods with volumes may be moving "+
		"at a time, per node and CSI driver, until the volumes are detached; 0: all, as kubectl")
	fs.Var(length{&o.DetachTimeout}, "detach-timeout",
		"how long after a pod's grace period the detach of its volumes is waited for; then the next is evicted, with a warning")
	fs.Var(length{&o.ReattachTimeout}, "reattach-timeout",
		"warn of a volume that no other node has after this time; it is never waited for; 0: never")
}

func (o *Options) addPastFlags(fs *pflag.FlagSet) {
	fs.Var(count{&o.MaxEvictRetries, 0}, "max-evict-retries",
		"delete a pod past its budget, with its own grace period, "+
			"once the budget (nothing else) refused it more often than this; 0: never")
	fs.Var(length{&o.ForceAfter}, "force-after", "delete a pod past its budget, with its own grace period, "+
		"once the budget (no outage, no pause) held it for this long; 0: never")
	for _, flag := range []string{"max-evict-retries", "force-after"} {
		NoDefault(fs, flag, "it deletes pods past their PodDisruptionBudgets")
	}
}

func (o *Options) addRemedyFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.AllowScale, "allow-scale", false, "let ctl add a replica to the workload of a blocked pod "+
		"or restart its rollout; the replica is removed at the end; reads the whole cluster")
	fs.BoolVar(&o.AllowZeroGrace, "allow-zero-grace", false,
		"let ctl delete a stuck pod with a grace period of zero: its process may still run")
	fs.BoolVar(&o.AllowTaint, "allow-taint", false,
		"let ctl taint a node that is off as out of service: its pods are removed from the API, its volumes detached")
	fs.VisitAll(func(f *pflag.Flag) {
		NoDefault(fs, f.Name, "it allows a remedy that can lose data or change a workload")
	})
}

func (o *Options) addLeaseFlags(fs *pflag.FlagSet) {
	fs.Var(leaseNamespace{&o.LeaseNamespace}, "lease-namespace",
		"where runs keep the Leases of their nodes, so that two never drain the same; empty: no Leases are used")
	fs.Var(&list[string]{to: &o.TakeOver}, "take-over",
		"take over nodes that another run is draining, which stops it there; =RUN,... from those runs only; "+
			"reads the whole cluster")
	fs.Lookup("take-over").NoOptDefVal = TakeOverAny
	NoDefault(fs, "take-over", "it stops the runs of others")
}
