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
	{Flag: "order=tiers", Ours: true,
		On: func(o drain.Options) bool { return o.Order == drain.OrderTiers },
		Toggle: func(o drain.Options) drain.Options {
			if o.Order == drain.OrderTiers {
				o.Order = ""
			} else {
				o.Order = drain.OrderTiers
			}
			return o
		}},
	{Flag: "wait-jobs", Ours: true,
		On:     func(o drain.Options) bool { return o.WaitJobs },
		Toggle: func(o drain.Options) drain.Options { o.WaitJobs = !o.WaitJobs; return o }},
	{Flag: "block-single-replica", Ours: true,
		On:     func(o drain.Options) bool { return o.BlockSingleReplica },
		Toggle: func(o drain.Options) drain.Options { o.BlockSingleReplica = !o.BlockSingleReplica; return o }},
	{Flag: "fail-on-blockers", Ours: true,
		On:     func(o drain.Options) bool { return o.FailOnBlockers },
		Toggle: func(o drain.Options) drain.Options { o.FailOnBlockers = !o.FailOnBlockers; return o }},
	{Flag: "honor", Ours: true,
		Value: func(o drain.Options) string {
			names := make([]string, len(o.Honor))
			for i, h := range o.Honor {
				names[i] = string(h)
			}
			return strings.Join(names, ",")
		}, Set: setHonor},
	{Flag: "guard", Ours: true,
		Value: func(o drain.Options) string { return string(o.Guard) }, Set: setGuard},
	{Flag: "guard-write", Ours: true,
		On: func(o drain.Options) bool { return o.GuardWrite },
		Toggle: func(o drain.Options) drain.Options {
			if o.GuardWrite = !o.GuardWrite; o.GuardWrite && o.Guard == "" {
				o.Guard = "25%"
			}
			return o
		}},
	{Flag: "exclude-from-lb", Ours: true,
		Value: func(o drain.Options) string { return o.ExcludeFromLB.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ExcludeFromLB = d
			return o, err
		}},
	{Flag: "max-parallel-volumes", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelVolumes) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 0)
			o.MaxParallelVolumes = n
			return o, err
		}},
	{Flag: "detach-timeout", Ours: true,
		Value: func(o drain.Options) string { return o.DetachTimeout.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.DetachTimeout = d
			return o, err
		}},
	{Flag: "reattach-timeout", Ours: true,
		Value: func(o drain.Options) string { return o.ReattachTimeout.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ReattachTimeout = d
			return o, err
		}},
	{Flag: "max-evict-retries", Ours: true, Risky: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxEvictRetries) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 0)
			o.MaxEvictRetries = n
			return o, err
		}},
	{Flag: "force-after", Ours: true, Risky: true,
		Value: func(o drain.Options) string { return o.ForceAfter.String() },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			d, err := length(s)
			o.ForceAfter = d
			return o, err
		}},
	{Flag: "allow-scale", Ours: true, Risky: true,
		On:     func(o drain.Options) bool { return o.AllowScale },
		Toggle: func(o drain.Options) drain.Options { o.AllowScale = !o.AllowScale; return o }},
	{Flag: "allow-zero-grace", Ours: true, Risky: true,
		On:     func(o drain.Options) bool { return o.AllowZeroGrace },
		Toggle: func(o drain.Options) drain.Options { o.AllowZeroGrace = !o.AllowZeroGrace; return o }},
	{Flag: "allow-taint", Ours: true, Risky: true,
		On:     func(o drain.Options) bool { return o.AllowTaint },
		Toggle: func(o drain.Options) drain.Options { o.AllowTaint = !o.AllowTaint; return o }},
	{Flag: "lease-namespace", Ours: true,
		Value: func(o drain.Options) string { return o.LeaseNamespace },
		Fixed: "chosen when the program is started"},
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
