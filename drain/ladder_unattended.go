package drain

import "github.com/kdrain-tui/kdrain-tui/drain/plan"

// Unattended switches off the rungs that a run may not take without a screen, and
// names the flag. That comes before any other reason: nothing that happens in the
// run can mend it.
func Unattended(rungs []Rung, o *plan.Options) {
	for i := range rungs {
		if why := forbids(o, rungs[i].Kind); why != "" {
			rungs[i].Off = why
		}
	}
}

// forbids is why a rung may not be taken without a screen, "" if it may.
func forbids(o *plan.Options, kind RungKind) string {
	flag := ""
	switch {
	case kind == RungKill && !o.AllowZeroGrace:
		flag = "--allow-zero-grace"
	case kind == RungTaint && !o.AllowTaint:
		flag = "--allow-taint"
	case (kind == RungScale || kind == RungRestart) && !o.AllowScale:
		flag = "--allow-scale"
	}
	if flag == "" {
		return ""
	}
	return "the run was started without " + flag
}
