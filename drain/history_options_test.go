package drain

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// optionDraw is an option of the histories: one of its values is given in one of so many runs, together with
// the option that it needs.
type optionDraw struct {
	field, flag string
	needs       string
	odds        int
	values      []string
}

// optionDraws are all options that a history draws.
var optionDraws = []optionDraw{
	{"Force", "force", "", 2, []string{"true"}},
	{"IgnoreDaemonSets", "ignore-daemonsets", "", 2, []string{"true"}},
	{"DeleteEmptyDirData", "delete-emptydir-data", "", 4, []string{"true"}},
	{"DisableEviction", "disable-eviction", "", 8, []string{"true"}},
	{"GracePeriodSeconds", "grace-period", "", 5, []string{"0", "10", "90"}},
	{"Timeout", "timeout", "", 4, []string{"1m", "5m"}},
	{"PodSelector", "pod-selector", "", 8, []string{"app!=app1"}},
	{"EvictDaemonSets", "evict-daemonsets", "", 5, []string{"app=ds"}},
	{"SkipWaitForDelete", "skip-wait-for-delete-timeout", "", 6, []string{"20"}},
	{"MaxParallelNodes", "max-parallel-nodes", "", 2, []string{"2"}},
	{"StrictOrder", "strict-order", "", 4, []string{"true"}},
	{"MaxParallelEvictions", "max-parallel-evictions", "", 2, []string{"1", "2", "4"}},
	{"Order", "order", "", 3, []string{"tiers"}},
	{"Honor", "honor", "", 3, []string{"cluster-api", "cluster-autoscaler", "karpenter"}},
	{"ExcludePods", "exclude-pod", "", 8, []string{"default/app0-1", "default/app1-3"}},
	{"LeaseNamespace", "lease-namespace", "", 2, []string{kube.DefaultLeaseNamespace}},
	{"TakeOver", "take-over", "lease-namespace", 4, []string{"any", "r9"}},
	{"Guard", "guard", "", 3, []string{"1", "50%"}},
	{"GuardWrite", "guard-write", "guard", 4, []string{"true"}},
	{"BlockSingleReplica", "block-single-replica", "", 10, []string{"true"}},
	{"WaitJobs", "wait-jobs", "", 4, []string{"true"}},
	{"ExcludeFromLB", "exclude-from-lb", "", 5, []string{"30s"}},
	{"MaxEvictRetries", "max-evict-retries", "", 5, []string{"2"}},
	{"ForceAfter", "force-after", "", 4, []string{"1m"}},
	{"AllOrNothing", "all-or-nothing", "", 5, []string{"true"}},
	{"FailOnBlockers", "fail-on-blockers", "", 10, []string{"true"}},
	{"FailFast", "fail-fast", "", 4, []string{"true"}},
	{"AllowZeroGrace", "allow-zero-grace", "", 4, []string{"true"}},
	{"AllowTaint", "allow-taint", "", 4, []string{"true"}},
	{"AllowScale", "allow-scale", "", 2, []string{"true"}},
	{"MaxParallelVolumes", "max-parallel-volumes", "", 4, []string{"0", "2"}},
	{"DetachTimeout", "detach-timeout", "", 4, []string{"0s", "20s"}},
	{"ReattachTimeout", "reattach-timeout", "", 4, []string{"0s", "20s"}},
	{"Surge", "surge", "", 2, []string{"1", "100%"}},
	{"SurgeTimeout", "surge-timeout", "", 3, []string{"0s", "1m"}},
	{"SurgeFallback", "surge-fallback", "", 3, []string{"leave"}},
	{"SurgeManaged", "surge-managed", "surge", 4, []string{"true"}},
	{"WaitReplacements", "wait-replacements", "", 4, []string{"30s", "5m"}},
	{"MaxUnhealthy", "max-unhealthy", "wait-replacements", 4, []string{"1"}},
}

// notDrawn are the other fields of the options, and why no history draws them.
var notDrawn = map[string]string{
	"Selector":   "the parsed form of PodSelector",
	"daemonSets": "the parsed form of EvictDaemonSets",
	"DrainRules": "those of the world, which the plan takes with --honor=cluster-api",
	"DryRun":     "the rules are the same: the writer sends nothing, or with dryRun",
	"Reason":     "a text",
}

// drawOptions draws the options of a run, with a surge or as it comes. What the options refuse together is left out.
func drawOptions(t *rapid.T, surges bool) (o *plan.Options, given []string) {
	values := map[string]string{}
	for _, d := range optionDraws {
		if rapid.IntRange(1, d.odds).Draw(t, d.flag+" given, of") == d.odds {
			values[d.flag] = rapid.SampledFrom(d.values).Draw(t, d.flag)
		}
	}
	if surges && values["surge"] == "" {
		values["surge"] = "1"
	}
	options := plan.DefaultOptions()
	o = &options
	flags := o.Flags()
	for _, d := range optionDraws {
		if value, ok := values[d.flag]; ok && give(o, flags, d, value) {
			given = append(given, d.field)
		}
	}
	return o, given
}

// give gives an option, and the one that it needs; false where the options refuse it, which then are as they were.
// The flags are those of the options: to make them sets each to its default.
func give(o *plan.Options, flags *pflag.FlagSet, d optionDraw, value string) bool {
	before := *o
	may := d.needs == "" || flags.Lookup(d.needs).Value.String() != flags.Lookup(d.needs).DefValue
	if !may {
		i := slices.IndexFunc(optionDraws, func(other optionDraw) bool { return other.flag == d.needs })
		may = give(o, flags, optionDraws[i], optionDraws[i].values[0])
	}
	if may = may && flags.Set(d.flag, value) == nil && o.Validate() == nil; !may {
		*o = before
	}
	return may
}

// No option is missing from the histories, and each pair of them that may be given together is.
func TestHistoriesHaveAllPairsOfOptions(t *testing.T) {
	fields := map[string]bool{}
	for _, d := range optionDraws {
		fields[d.field] = true
	}
	for f := range reflect.TypeFor[plan.Options]().Fields() {
		if _, why := notDrawn[f.Name]; fields[f.Name] == why {
			t.Errorf("no history draws option %s, and nothing says why", f.Name)
		}
		delete(fields, f.Name)
	}
	if len(fields) > 0 {
		t.Errorf("there are no such options: %v", slices.Sorted(maps.Keys(fields)))
	}
	together := map[[2]string]bool{}
	draw := rapid.Custom(func(t *rapid.T) []string { _, given := drawOptions(t, false); return given })
	for seed := range 3000 {
		given := draw.Example(seed)
		for i, a := range given {
			for _, b := range given[i+1:] {
				together[[2]string{a, b}] = true
			}
		}
	}
	for i, a := range optionDraws {
		for _, b := range optionDraws[i+1:] {
			o := plan.DefaultOptions()
			flags := o.Flags()
			if may := give(&o, flags, a, a.values[0]) && give(&o, flags, b, b.values[0]); may && !together[[2]string{a.field, b.field}] {
				t.Errorf("no history draws both --%s and --%s", a.flag, b.flag)
			}
		}
	}
}
