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
	Flag  string // without dashes; a switch for one value of a flag has that too
	Ours  bool   // not kubectl's
	Risky bool
	// On and Toggle are set for a switch, Value and Set for a text.
	On     func(drain.Options) bool
	Toggle func(drain.Options) drain.Options
	Value  func(drain.Options) string
	Set    func(drain.Options, string) (drain.Options, error)
	// Fixed says where it is set instead, "" where it can be changed here.
	Fixed string
}

// Help is what the flag does, as the commands say it.
func (o *Option) Help() string {
	flag, value, _ := strings.Cut(o.Flag, "=")
	return strings.TrimPrefix(drain.FlagHelp(flag), value+": ")
}

// Options are the flags of the options page: kubectl's first, in the order of
// its help.
var Options = slices.Concat(someOptions, moreOurs)

// someOptions are kubectl's flags and the first of ours.
var someOptions = []Option{
	{Flag: "ignore-daemonsets",
		On:     func(o drain.Options) bool { return o.IgnoreDaemonSets },
		Toggle: func(o drain.Options) drain.Options { o.IgnoreDaemonSets = !o.IgnoreDaemonSets; return o }},
	{Flag: "delete-emptydir-data", Risky: true,
		On:     func(o drain.Options) bool { return o.DeleteEmptyDirData },
		Toggle: func(o drain.Options) drain.Options { o.DeleteEmptyDirData = !o.DeleteEmptyDirData; return o }},
	{Flag: "force", Risky: true,
		On:     func(o drain.Options) bool { return o.Force },
		Toggle: func(o drain.Options) drain.Options { o.Force = !o.Force; return o }},
	{Flag: "disable-eviction", Risky: true,
		On:     func(o drain.Options) bool { return o.DisableEviction },
		Toggle: func(o drain.Options) drain.Options { o.DisableEviction = !o.DisableEviction; return o }},
	{Flag: "grace-period", Value: func(o drain.Options) string { return strconv.Itoa(o.GracePeriodSeconds) }, Set: setGrace},
	{Flag: "timeout", Value: func(o drain.Options) string { return o.Timeout.String() }, Set: setTimeout},
	{Flag: "pod-selector", Value: func(o drain.Options) string { return o.PodSelector }, Set: setSelector},
	{Flag: "skip-wait-for-delete-timeout",
		Value: func(o drain.Options) string { return strconv.Itoa(int(o.SkipWaitForDelete / time.Second)) }, Set: setSkipWait},
	{Flag: "max-parallel-nodes", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelNodes) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 1)
			o.MaxParallelNodes = n
			return o, err
		}},
	{Flag: "strict-order", Ours: true,
		On:     func(o drain.Options) bool { return o.StrictOrder },
		Toggle: func(o drain.Options) drain.Options { o.StrictOrder = !o.StrictOrder; return o }},
	{Flag: "max-parallel-evictions", Ours: true,
		Value: func(o drain.Options) string { return strconv.Itoa(o.MaxParallelEvictions) },
		Set: func(o drain.Options, s string) (drain.Options, error) {
			n, err := number(s, 1)
			o.MaxParallelEvictions = n
			return o, err
		}},
	{Flag: "all-or-nothing", Ours: true,
		On:     func(o drain.Options) bool { return o.AllOrNothing },
		Toggle: func(o drain.Options) drain.Options { o.AllOrNothing = !o.AllOrNothing; return o }},
	{Flag: "fail-fast", Ours: true,
		On:     func(o drain.Options) bool { return o.FailFast },
		Toggle: func(o drain.Options) drain.Options { o.FailFast = !o.FailFast; return o }},
	{Flag: "reason", Ours: true,
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

// OptionWords says which options differ from kubectl's defaults.
func OptionWords(o drain.Options) string {
	var words []string
	base := drain.DefaultOptions()
	for _, opt := range Options {
		switch {
		case opt.Fixed != "":
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
