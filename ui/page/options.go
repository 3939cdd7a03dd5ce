package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Option is one flag of a drain as the options page shows it.
type Option struct {
	Flag  string
	Help  string
	Ours  bool // not kubectl's
	Risky bool
	// On and Toggle are set for a switch, Value and Set for a text.
	On     func(drain.Options) bool
	Toggle func(drain.Options) drain.Options
	Value  func(drain.Options) string
	Set    func(drain.Options, string) (drain.Options, error)
}

// Options are the flags of the options page: kubectl's first, in the order of
// its help.
var Options = slices.Concat(someOptions, moreOurs)

// someOptions are kubectl's flags and the first of ours.
var someOptions = []Option{
	{Flag: "ignore-daemonsets", Help: "leave the pods of DaemonSets where they are",
		On:     func(o drain.Options) bool { return o.IgnoreDaemonSets },
		Toggle: func(o drain.Options) drain.Options { o.IgnoreDaemonSets = !o.IgnoreDaemonSets; return o }},
	{Flag: "delete-emptydir-data", Help: "move pods with emptyDir volumes too; that data is deleted", Risky: true,
		On:     func(o drain.Options) bool { return o.DeleteEmptyDirData },
		Toggle: func(o drain.Options) drain.Options { o.DeleteEmptyDirData = !o.DeleteEmptyDirData; return o }},
	{Flag: "force", Help: "move pods too that nobody will start again", Risky: true,
		On:     func(o drain.Options) bool { return o.Force },
		Toggle: func(o drain.Options) drain.Options { o.Force = !o.Force; return o }},
	{Flag: "disable-eviction", Help: "delete instead of evict, past all budgets", Risky: true,
		On:     func(o drain.Options) bool { return o.DisableEviction },
		Toggle: func(o drain.Options) drain.Options { o.DisableEviction = !o.DisableEviction; return o }},
	{Flag: "grace-period", Help: "seconds of grace for every pod; -1 is each pod's own", Value: func(o drain.Options) string { return strconv.Itoa(o.GracePeriodSeconds) }, Set: setGrace},
	{Flag: "timeout", Help: "how long a node may take, as 90s or 15m; 0s is for ever", Value: func(o drain.Options) string { return o.Timeout.String() }, Set: setTimeout},
	{Flag: "pod-selector", Help: "only pods with these labels", Value: func(o drain.Options) string { return o.PodSelector }, Set: setSelector},
	{Flag: "skip-wait-for-delete-timeout", Help: "seconds after which a pod that ends is not waited for; 0 is off",
		Value: func(o drain.Options) string { return strconv.Itoa(int(o.SkipWaitForDelete / time.Second)) }, Set: setSkipWait},
	{Flag: "max-parallel-nodes", Help: "nodes that are evicted at a time", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelNodes) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 1)
			o.MaxParallelNodes = n
			return o, err
		}},
	{Flag: "max-parallel-evictions", Help: "eviction requests in flight at a time", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelEvictions) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 1)
			o.MaxParallelEvictions = n
			return o, err
		}},
	{Flag: "all-or-nothing", Help: "touch no node if one is refused", Ours: true,
		On:     func(o drain.Options) bool { return o.AllOrNothing },
		Toggle: func(o drain.Options) drain.Options { o.AllOrNothing = !o.AllOrNothing; return o }},
	{Flag: "fail-fast", Help: "stop the run when one node fails", Ours: true,
		On:     func(o drain.Options) bool { return o.FailFast },
		Toggle: func(o drain.Options) drain.Options { o.FailFast = !o.FailFast; return o }},
	{Flag: "reason", Help: "why, for the mark on the node and the report", Ours: true,
		Value: func(o drain.Options) string { return o.Reason },
		Set:   func(o drain.Options, s string) (drain.Options, error) { o.Reason = strings.TrimSpace(s); return o, nil }},
}

func number(s string, least int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < least {
		return 0, fmt.Errorf("want a whole number of at least %d", least)
	}
	return n, nil
}

func setGrace(o drain.Options, s string) (drain.Options, error) {
	n, err := number(s, -1)
	o.GracePeriodSeconds = n
	return o, err
}

func setTimeout(o drain.Options, s string) (drain.Options, error) {
	d, err := length(s)
	o.Timeout = d
	return o, err
}

func setSkipWait(o drain.Options, s string) (drain.Options, error) {
	n, err := number(s, 0)
	o.SkipWaitForDelete = time.Duration(n) * time.Second
	return o, err
}

func setSelector(o drain.Options, s string) (drain.Options, error) {
	s = strings.TrimSpace(s)
	selector, err := drain.ParsePodSelector(s)
	if err != nil {
		return o, err
	}
	o.PodSelector, o.Selector = s, selector
	return o, nil
}

// Kubectl is the plan as a kubectl command. Flags of ours have no place there.
func Kubectl(context string, nodes []string, o drain.Options) string {
	words := []string{"kubectl"}
	if context != "" {
		words = append(words, "--context="+shellWord(context))
	}
	words = append(words, "drain")
	for _, n := range nodes {
		words = append(words, shellWord(n))
	}
	base := drain.DefaultOptions()
	for _, opt := range Options {
		switch {
		case opt.Ours:
		case opt.On != nil:
			if opt.On(o) {
				words = append(words, "--"+opt.Flag)
			}
		case opt.Value(o) != opt.Value(base):
			words = append(words, "--"+opt.Flag+"="+shellWord(opt.Value(o)))
		}
	}
	if o.DryRun != "" && o.DryRun != drain.DryRunNone {
		words = append(words, "--dry-run="+string(o.DryRun))
	}
	return strings.Join(words, " ")
}

func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@=,%+", r))
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OptionWords says which options differ from kubectl's defaults.
func OptionWords(o drain.Options) string {
	var words []string
	base := drain.DefaultOptions()
	for _, opt := range Options {
		switch {
		case opt.On != nil && opt.On(o):
			words = append(words, "--"+opt.Flag)
		case opt.Value != nil && opt.Value(o) != opt.Value(base):
			words = append(words, "--"+opt.Flag+"="+opt.Value(o))
		}
	}
	if len(words) == 0 {
		return "kubectl's defaults"
	}
	return strings.Join(words, " ")
}
