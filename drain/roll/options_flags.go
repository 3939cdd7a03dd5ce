package roll

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// defaultReturn is how long a node may take to be back: a machine that reboots slowly takes a quarter of
// an hour.
const defaultReturn = 30 * time.Minute

// DefaultOptions are those of a roll without a flag.
func DefaultOptions() Options { return Options{Batch: 1, ReturnTimeout: Seconds(defaultReturn)} }

// Bind adds a flag for each option that a drain does not have: name, default and help are said here and
// nowhere else. The flags write into o, which keeps the values that it has.
func (o *Options) Bind(fs *pflag.FlagSet) {
	values := *o
	*o = DefaultOptions() // pflag takes the defaults from the fields
	plan.AddGroup(fs, "Rolling maintenance", func(fs *pflag.FlagSet) {
		fs.IntVar(&o.Batch, "batch", o.Batch, "how many nodes are maintained at a time")
		fs.StringVar(&o.By, "by", "",
			"a node `LABEL`, like topology.kubernetes.io/zone: never two values of it at once")
		fs.StringVar(&o.Before, "before", "", "a `COMMAND` for each node before its drain")
		fs.StringVar(&o.Work, "work", "",
			"the work on a drained node, a `COMMAND`; without it you are asked when it is done")
		fs.BoolVar(&o.RerunWork, "rerun-work", false,
			"a resumed roll runs a command again that was cut off, without asking: it must bear that")
		fs.BoolVar(&o.ExpectReboot, "expect-reboot", false, "a node is back only with a new boot id")
		fs.DurationVar((*time.Duration)(&o.ReturnTimeout), "return-timeout", time.Duration(o.ReturnTimeout),
			"how long a node may take to be Ready after its work; 0: no limit")
		fs.DurationVar((*time.Duration)(&o.PauseBetween), "pause-between", 0, "how long to wait after a batch")
		fs.StringVar(&o.Window, "window", "",
			"begin batches only in this `SPAN`, like \"22:00-04:00 Europe/Berlin\"")
		fs.IntVar(&o.MaxFailed, "max-failed", 0, "how many nodes may fail before no further batch begins")
		fs.IntVar(&o.MaxUnhealthy, "max-unhealthy", 0,
			"how many workloads may be worse than before when a batch begins")
	})
	*o = values
}

// Flags are the flags of the options alone, in order.
func (o *Options) Flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	o.Bind(fs)
	return fs
}

// Drain are the options of the drain of a batch: a whole batch is drained at a time, and its gate is that
// of the roll.
func (o *Options) Drain(of plan.Options) plan.Options {
	of.MaxParallelNodes = max(of.MaxParallelNodes, o.Batch)
	if of.WaitReplacements > 0 {
		of.MaxUnhealthy = o.MaxUnhealthy
	}
	return of
}
