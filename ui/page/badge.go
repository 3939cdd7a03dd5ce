package page

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Badge names the options in force that can lose data or override a protection, for
// the header of every page: the gravest by its name, the others counted; nil for none.
// --delete-emptydir-data alone, which most drains need, is a warning and no danger.
func Badge(o drain.Options) paint.Line {
	var flags []string
	token := themes.Warning
	for _, opt := range dangerous {
		if !opt.on(o) {
			continue
		}
		flags = append(flags, "--"+opt.flag)
		if opt.flag != usualDanger {
			token = themes.Danger
		}
	}
	if len(flags) == 0 {
		return nil
	}
	words := paint.Warn + " " + flags[0]
	if len(flags) > 1 {
		words += " +" + Number(len(flags)-1)
	}
	return paint.L(token, words)
}

const usualDanger = "delete-emptydir-data"

// danger is an option that can lose data or override a protection.
type danger struct {
	flag string
	on   func(drain.Options) bool
	off  func(o *drain.Options, base drain.Options) // takes it back to what it was at the start
}

// dangerous are these options, the gravest first.
var dangerous = []danger{
	{"force", func(o drain.Options) bool { return o.Force }, func(o *drain.Options, b drain.Options) { o.Force = b.Force }},
	{"disable-eviction", func(o drain.Options) bool { return o.DisableEviction },
		func(o *drain.Options, b drain.Options) { o.DisableEviction = b.DisableEviction }},
	{"force-after", func(o drain.Options) bool { return o.ForceAfter > 0 }, func(o *drain.Options, b drain.Options) { o.ForceAfter = b.ForceAfter }},
	{"max-evict-retries", func(o drain.Options) bool { return o.MaxEvictRetries > 0 },
		func(o *drain.Options, b drain.Options) { o.MaxEvictRetries = b.MaxEvictRetries }},
	{"grace-period=0", func(o drain.Options) bool { return o.GracePeriodSeconds == 0 },
		func(o *drain.Options, b drain.Options) { o.GracePeriodSeconds = b.GracePeriodSeconds }},
	{"allow-zero-grace", func(o drain.Options) bool { return o.AllowZeroGrace }, func(o *drain.Options, b drain.Options) { o.AllowZeroGrace = b.AllowZeroGrace }},
	{"allow-taint", func(o drain.Options) bool { return o.AllowTaint }, func(o *drain.Options, b drain.Options) { o.AllowTaint = b.AllowTaint }},
	{"allow-scale", func(o drain.Options) bool { return o.AllowScale }, func(o *drain.Options, b drain.Options) { o.AllowScale = b.AllowScale }},
	{usualDanger, func(o drain.Options) bool { return o.DeleteEmptyDirData }, func(*drain.Options, drain.Options) {}},
}

// WithoutDanger are the options with those that can lose data or override a protection
// as they were at the start, and the flags of those that changed. The usual two stay:
// they are accepted for the whole session, and the badge goes on naming them.
func WithoutDanger(o, start drain.Options) (drain.Options, []string) {
	var changed []string
	for _, opt := range dangerous {
		before := o
		if opt.off(&o, start); opt.on(before) && !opt.on(o) {
			changed = append(changed, "--"+opt.flag)
		}
	}
	return o, changed
}
