package remedy

import "github.com/kdrain-tui/kdrain-tui/drain/plan"

// Unattended switches off the remedies that a run may not take without a screen, and
// names the flag. That comes before any other reason: nothing that happens in the
// run can mend it.
func Unattended(remedies []Remedy, o *plan.Options) {
	for i := range remedies {
		if why := forbids(o, remedies[i].Kind); why != "" {
			remedies[i].DisabledReason = why
		}
	}
}

// forbids is why a remedy may not be taken without a screen, "" if it may.
func forbids(o *plan.Options, kind Kind) string {
	flag := ""
	switch {
	case kind == ForceDelete && !o.AllowZeroGrace:
		flag = "--allow-zero-grace"
	case kind == OutOfService && !o.AllowTaint:
		flag = "--allow-taint"
	case kind == Surge && o.Surge == "" && !o.AllowScale:
		flag = "--surge or --allow-scale"
	case (kind == Scale || kind == RolloutRestart) && !o.AllowScale:
		flag = "--allow-scale"
	}
	if flag == "" {
		return ""
	}
	return "the run was started without " + flag
}
