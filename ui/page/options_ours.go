package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// moreOurs are flags that kubectl does not have; all are off unless asked for.
var moreOurs = []Option{
	{Flag: "order=tiers", Help: "ordinary pods first, then critical ones, then storage", Ours: true,
		On: func(o drain.Options) bool { return o.Order == drain.OrderTiers },
		Toggle: func(o drain.Options) drain.Options {
			if o.Order == drain.OrderTiers {
				o.Order = ""
			} else {
				o.Order = drain.OrderTiers
			}
			return o
		}},
	{Flag: "wait-jobs", Help: "let pods of Jobs run to their end instead of evicting them", Ours: true,
		On:     func(o drain.Options) bool { return o.WaitJobs },
		Toggle: func(o drain.Options) drain.Options { o.WaitJobs = !o.WaitJobs; return o }},
	{Flag: "honor", Help: "whose drain labels and annotations are obeyed, with commas between", Ours: true,
		Value: func(o drain.Options) string {
			names := make([]string, len(o.Honor))
			for i, h := range o.Honor {
				names[i] = string(h)
			}
			return strings.Join(names, ",")
		}, Set: setHonor},
	{Flag: "guard", Help: "how many pods of a workload without a budget may be away at a time, as 25% or 1; empty is off", Ours: true,
		Value: func(o drain.Options) string { return string(o.Guard) }, Set: setGuard},
	{Flag: "guard-write", Help: "make the guard real budgets in the cluster for the time of the run (25% where --guard says nothing)", Ours: true,
		On: func(o drain.Options) bool { return o.GuardWrite },
		Toggle: func(o drain.Options) drain.Options {
			if o.GuardWrite = !o.GuardWrite; o.GuardWrite && o.Guard == "" {
				o.Guard = "25%"
			}
			return o
		}},
	{Flag: "exclude-from-lb", Help: "label the nodes out of load balancers and wait that long; 0s is off", Ours: true,
		Value: func(o drain.Options) string { return o.ExcludeFromLB.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ExcludeFromLB = d
			return o, err
		}},
	{Flag: "max-parallel-volumes", Help: "pods with volumes on their way at a time, per node and CSI driver; 0 is all, as kubectl", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelVolumes) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 0)
			o.MaxParallelVolumes = n
			return o, err
		}},
	{Flag: "detach-timeout", Help: "how long after a pod's grace the detach of its volumes is waited for", Ours: true,
		Value: func(o drain.Options) string { return o.DetachTimeout.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.DetachTimeout = d
			return o, err
		}},
	{Flag: "reattach-timeout", Help: "warn of a volume that no other node has after this time; 0s is never", Ours: true,
		Value: func(o drain.Options) string { return o.ReattachTimeout.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ReattachTimeout = d
			return o, err
		}},
	{Flag: "max-evict-retries", Help: "after so many refusals a pod is deleted past its budget; 0 is never", Ours: true, Risky: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxEvictRetries) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 0)
			o.MaxEvictRetries = n
			return o, err
		}},
	{Flag: "force-after", Help: "a pod blocked for so long is deleted past its budget; 0s is never", Ours: true, Risky: true,
		Value: func(o drain.Options) string { return o.ForceAfter.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ForceAfter = d
			return o, err
		}},
}

func length(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a length of time such as 90s, 15m or 0s")
	}
	return d, nil
}

// setGuard takes the written budgets away with the guard: they would have
// nothing to say.
func setGuard(o drain.Options, s string) (drain.Options, error) {
	if s = strings.TrimSpace(s); s == "" {
		o.Guard, o.GuardWrite = "", false
		return o, nil
	}
	guard, err := drain.ParseGuard(s)
	if err != nil {
		return o, err
	}
	o.Guard = guard
	return o, nil
}

func setHonor(o drain.Options, s string) (drain.Options, error) {
	var honored []drain.Honored
	for _, name := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(drain.Honorable, drain.Honored(name)) {
			return o, fmt.Errorf("nobody is called %q: want some of %v", name, drain.Honorable)
		}
		honored = append(honored, drain.Honored(name))
	}
	o.Honor = honored
	return o, nil
}
