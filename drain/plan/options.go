package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/drainrule"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
)

// Options are the flags of a drain. Those of kubectl have kubectl's names,
// defaults and meaning; ours are opt-in. The zero value with GracePeriodSeconds
// -1 is kubectl drain without flags; use DefaultOptions.
type Options struct {
	Force              bool `json:"force"`
	IgnoreDaemonSets   bool `json:"ignoreDaemonSets"`
	DeleteEmptyDirData bool `json:"deleteEmptyDirData"`
	DisableEviction    bool `json:"disableEviction"`
	// GracePeriodSeconds below zero means each pod's own.
	GracePeriodSeconds int `json:"gracePeriodSeconds"`
	// Timeout is the deadline of one node, from its first eviction; zero is none.
	Timeout time.Duration `json:"-"`
	// PodSelector is the text of --pod-selector; Selector is its parsed form and
	// selects everything where the text is empty.
	PodSelector string          `json:"podSelector,omitempty"`
	Selector    labels.Selector `json:"-"`
	// EvictDaemonSets is the text of --evict-daemonsets: the pods of DaemonSets that it selects leave too, after
	// all others of their node. daemonSets is its parsed form, nil for none.
	EvictDaemonSets string `json:"evictDaemonSets,omitempty"`
	daemonSets      labels.Selector
	// SkipWaitForDelete skips pods whose deletionTimestamp is older than this;
	// zero turns it off. kubectl: --skip-wait-for-delete-timeout, in seconds.
	SkipWaitForDelete time.Duration `json:"-"`
	DryRun            DryRun        `json:"dryRun,omitempty"`

	// MaxParallelNodes is how many nodes may make progress at a time. One that is
	// held stays open and frees its place.
	MaxParallelNodes int `json:"maxParallelNodes"`
	// StrictOrder keeps the place of a node that is held until it is through, as
	// kubectl does.
	StrictOrder bool `json:"strictOrder,omitempty"`
	// MaxParallelEvictions is how many eviction requests may be in flight.
	MaxParallelEvictions int `json:"maxParallelEvictions"`
	// Order is the order in which the pods of a node go; "" is all at once.
	Order Order `json:"order,omitempty"`
	// Honor names the projects whose drain labels, annotations and rules are obeyed; those
	// of others are only shown.
	Honor []Honored `json:"honor,omitempty"`
	// DrainRules are the MachineDrainRules of the nodes as they were when the plan was made, with
	// HonorClusterAPI; nil while they were not read.
	DrainRules *drainrule.Rules `json:"machineDrainRules,omitempty"`
	// ExcludePods are pods that the operator excluded by hand, NAMESPACE/NAME: they stay.
	ExcludePods []string `json:"excludePods,omitempty"`
	// Guard is a budget kept by the run itself for workloads that have none.
	Guard budget.Guard `json:"guard,omitempty"`
	// GuardWrite makes the guard real budgets in the cluster for the time of the
	// run, which others see too.
	GuardWrite bool `json:"guardWrite,omitempty"`
	// BlockSingleReplica refuses the only pod of a workload.
	BlockSingleReplica bool `json:"blockSingleReplica,omitempty"`
	// WaitJobs lets pods of Jobs run to their end instead of evicting them.
	WaitJobs bool `json:"waitJobs,omitempty"`
	// ExcludeFromLB, if above zero, labels the nodes out of external load
	// balancers with the cordon, and waits that long before the first eviction.
	ExcludeFromLB time.Duration `json:"-"`
	// MaxEvictRetries and ForceAfter are gardener's fallback: a pod that its budget
	// refused more often, or held for longer, is deleted past it, with its own grace
	// period. No other refusal counts, nor does time in which the run could not have
	// evicted it (PodRun.HeldFor). Zero never does.
	MaxEvictRetries int           `json:"maxEvictRetries,omitempty"`
	ForceAfter      time.Duration `json:"-"`
	// AllOrNothing refuses the whole run if one node is refused.
	AllOrNothing bool `json:"allOrNothing,omitempty"`
	// FailOnBlockers refuses a node where a wait for a budget would not end by itself,
	// where budgets cannot be seen, and where a finding calls the node an error.
	FailOnBlockers bool `json:"failOnBlockers,omitempty"`
	// FailFast stops the run when one node fails.
	FailFast bool `json:"failFast,omitempty"`
	// AllowZeroGrace, AllowTaint and AllowScale let the remedies be taken
	// without a screen that need a flag of their own.
	AllowZeroGrace bool `json:"allowZeroGrace,omitempty"`
	AllowTaint     bool `json:"allowTaint,omitempty"`
	AllowScale     bool `json:"allowScale,omitempty"`
	// MaxParallelVolumes is how many pods with volumes may be moving at a
	// time, per node and CSI driver: from the eviction until the volumes are
	// detached. Zero takes no turns, as kubectl.
	MaxParallelVolumes int `json:"maxParallelVolumes"`
	// DetachTimeout is how long after a pod's grace, or its end if that is later,
	// the detach of its volumes is waited for. Zero waits for none.
	DetachTimeout time.Duration `json:"-"`
	// ReattachTimeout is after how long a volume that no other node has is worth a
	// warning; it is never waited for. Zero never warns.
	ReattachTimeout time.Duration `json:"-"`
	// Surge starts the replacements of pods before they leave: how many replicas a
	// workload may have more meanwhile; "" evicts first.
	Surge surge.Amount `json:"surge,omitempty"`
	// SurgeTimeout is until when replacements are to be Ready; zero is no limit.
	SurgeTimeout time.Duration `json:"-"`
	// SurgeFallback is what becomes of the pods if they are not.
	SurgeFallback surge.Fallback `json:"surgeFallback,omitempty"`
	// SurgeManaged raises replicas too that another tool sets.
	SurgeManaged bool `json:"surgeManaged,omitempty"`
	// WaitReplacements, if above zero, is how long after a pod left its node the run
	// waits for its replacement to be Ready before the place of the node is free; and a
	// further node begins only while no more than MaxUnhealthy workloads are worse than before.
	WaitReplacements time.Duration `json:"-"`
	MaxUnhealthy     int           `json:"maxUnhealthy,omitempty"`
	// Reason is why, in the operator's words; it is written into the annotation on the node
	// and into the report.
	Reason string `json:"reason,omitempty"`
	// LeaseNamespace is where the Leases are by which runs keep off each other's
	// nodes; "" takes none and looks at none.
	LeaseNamespace string `json:"leaseNamespace,omitempty"`
	// TakeOver are the runs whose Leases this one may take over while they live,
	// by id, or TakeOverAny.
	TakeOver []string `json:"takeOver,omitempty"`
}

// DefaultOptions are those of kubectl drain without flags, and volumes in turn.
func DefaultOptions() Options {
	return Options{
		GracePeriodSeconds: -1, Selector: labels.Everything(), DryRun: DryRunNone,
		MaxParallelNodes: 1, MaxParallelEvictions: 16,
		MaxParallelVolumes: 1, DetachTimeout: 2 * time.Minute, ReattachTimeout: 90 * time.Second,
		SurgeTimeout: 5 * time.Minute, SurgeFallback: surge.FallbackEvict,
	}
}

// pair are two flags of which one needs the other, or that make no sense together.
type pair struct {
	flag, other string
	apart       bool
	why         string
}

// pairs are all that Validate refuses. Any two other options work together.
var pairs = []pair{
	{"guard-write", "guard", false, "it writes the budgets of the guard, like --guard=25%"},
	{"surge-managed", "surge", false, "it says which workloads may surge, like --surge=100%"},
	{"max-unhealthy", "wait-replacements", false, "without it no workload is measured"},
	{"take-over", "lease-namespace", false, "a node is taken over by its Lease"},
	{"guard", "disable-eviction", true, "a deletion goes past the guard too"},
	{"surge", "disable-eviction", true, "a pod that is deleted waits for no replacement"},
	{"force-after", "disable-eviction", true, "nothing is evicted that a budget could hold"},
	{"max-evict-retries", "disable-eviction", true, "nothing is evicted that a budget could refuse"},
}

// Validate looks at what concerns two options: each value alone is judged where it is set.
func (o *Options) Validate() error {
	values := *o // whose flags do not touch the options
	fs := values.Flags()
	on := func(flag string) bool {
		return !slices.Contains([]string{"", "0", "0s", "false"}, fs.Lookup(flag).Value.String())
	}
	for _, p := range pairs {
		if on(p.flag) && on(p.other) == p.apart {
			relation := map[bool]string{true: "cannot be combined with", false: "needs"}[p.apart]
			return fmt.Errorf("--%s %s --%s: %s", p.flag, relation, p.other, p.why)
		}
	}
	return nil
}

// TakeOverAny in Options.TakeOver stands for every run.
const TakeOverAny = "any"

// TakesOver reports whether a Lease may be taken from that run. The id of a roll means the runs of its batches too.
func (o *Options) TakesOver(holder string) bool {
	return slices.ContainsFunc(o.TakeOver, func(run string) bool {
		return run == TakeOverAny || run == holder || lease.BatchOf(holder, run)
	})
}

// Honors reports whether the marks of a project are obeyed.
func (o *Options) Honors(project Honored) bool { return slices.Contains(o.Honor, project) }

// RulesUnread reports that MachineDrainRules are obeyed and were not read.
func (o *Options) RulesUnread() bool { return o.Honors(HonorClusterAPI) && o.DrainRules == nil }

// plainOptions are Options without their JSON methods.
type plainOptions Options

// optionsJSON adds to the plain fields the durations, in seconds as everywhere
// in our JSON.
type optionsJSON struct {
	plainOptions
	TimeoutSeconds           float64 `json:"timeoutSeconds,omitempty"`
	SkipWaitForDeleteSeconds float64 `json:"skipWaitForDeleteTimeoutSeconds,omitempty"`
	ExcludeFromLBSeconds     float64 `json:"excludeFromLBSeconds,omitempty"`
	ForceAfterSeconds        float64 `json:"forceAfterSeconds,omitempty"`
	DetachTimeoutSeconds     float64 `json:"detachTimeoutSeconds,omitempty"`
	ReattachTimeoutSeconds   float64 `json:"reattachTimeoutSeconds,omitempty"`
	SurgeTimeoutSeconds      float64 `json:"surgeTimeoutSeconds,omitempty"`
	WaitReplacementsSeconds  float64 `json:"waitReplacementsSeconds,omitempty"`
}

// MarshalJSON writes durations as ...Seconds and the pod selector as its text.
func (o Options) MarshalJSON() ([]byte, error) {
	return json.Marshal(optionsJSON{
		plainOptions: plainOptions(o), TimeoutSeconds: o.Timeout.Seconds(),
		SkipWaitForDeleteSeconds: o.SkipWaitForDelete.Seconds(),
		ExcludeFromLBSeconds:     o.ExcludeFromLB.Seconds(), ForceAfterSeconds: o.ForceAfter.Seconds(),
		DetachTimeoutSeconds: o.DetachTimeout.Seconds(), ReattachTimeoutSeconds: o.ReattachTimeout.Seconds(),
		SurgeTimeoutSeconds:     o.SurgeTimeout.Seconds(),
		WaitReplacementsSeconds: o.WaitReplacements.Seconds(),
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Options) UnmarshalJSON(text []byte) error {
	var read optionsJSON
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*o = Options(read.plainOptions)
	o.Timeout, o.SkipWaitForDelete = FromSeconds(read.TimeoutSeconds), FromSeconds(read.SkipWaitForDeleteSeconds)
	o.ExcludeFromLB, o.ForceAfter = FromSeconds(read.ExcludeFromLBSeconds), FromSeconds(read.ForceAfterSeconds)
	o.DetachTimeout, o.ReattachTimeout = FromSeconds(read.DetachTimeoutSeconds),
		FromSeconds(read.ReattachTimeoutSeconds)
	o.SurgeTimeout = FromSeconds(read.SurgeTimeoutSeconds)
	o.WaitReplacements = FromSeconds(read.WaitReplacementsSeconds)
	selector, err := labels.Parse(o.PodSelector)
	if err != nil {
		return fmt.Errorf("pod selector %q: %w", o.PodSelector, err)
	}
	o.Selector = selector // the empty text selects everything
	if err := (daemonSetText{o}).Set(o.EvictDaemonSets); err != nil {
		return fmt.Errorf("evictDaemonSets %q: %w", o.EvictDaemonSets, err)
	}
	return nil
}

func FromSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
