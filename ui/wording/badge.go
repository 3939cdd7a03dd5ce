package wording

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Badge names the options in force that can lose data or override a protection, for
// the header of every page: the gravest by its name, the others counted; nil for none.
// --delete-emptydir-data alone, which most drains need, is a warning and no danger.
func Badge(o plan.Options) paint.Line {
	var flags []string
	token, set := themes.Warning, o.Flags()
	for _, opt := range dangerous {
		if !opt.on(set) {
			continue
		}
		flags = append(flags, opt.words())
		if opt.flag != usualDanger {
			token = themes.Danger
		}
	}
	if len(flags) == 0 {
		return nil
	}
	words := paint.Warn + " " + flags[0]
	if len(flags) > 1 {
		words += " +" + format.Number(len(flags)-1)
	}
	return paint.L(token, words)
}

const usualDanger = "delete-emptydir-data"

// danger is an option that can lose data or override a protection.
type danger struct{ flag, value string } // of any value but the default, or of one

func (d danger) on(fs *pflag.FlagSet) bool {
	f := fs.Lookup(d.flag)
	return d.value == "" && f.Value.String() != f.DefValue || d.value != "" && f.Value.String() == d.value
}

func (d danger) words() string {
	if d.value == "" {
		return "--" + d.flag
	}
	return "--" + d.flag + "=" + d.value
}

// dangerous are these options, the gravest first.
var dangerous = []danger{
	{flag: "force"}, {flag: "disable-eviction"}, {flag: "force-after"}, {flag: "max-evict-retries"}, {"grace-period", "0"},
	{flag: "allow-zero-grace"}, {flag: "allow-taint"}, {flag: "allow-scale"}, {flag: usualDanger},
}

// Risky reports whether an option can lose data or override a protection.
func Risky(flag string) bool {
	return slices.ContainsFunc(dangerous, func(d danger) bool { return d.flag == flag })
}

// WithoutDanger are the options with those that can lose data or override a protection
// as they were at the start, and the flags of those that changed. The usual one stays:
// it is accepted for the whole session, and the badge goes on naming it.
func WithoutDanger(o, start plan.Options) (plan.Options, []string) {
	var changed []string
	flags, before := o.Flags(), start.Flags()
	for _, opt := range append(slices.Clip(dangerous), danger{flag: "exclude-pod"}) { // that is of one plan too
		if opt.flag == usualDanger || !opt.on(flags) {
			continue
		}
		_ = flags.Set(opt.flag, before.Lookup(opt.flag).Value.String()) // it was read from there
		if !opt.on(flags) {
			changed = append(changed, opt.words())
		}
	}
	return o, changed
}
