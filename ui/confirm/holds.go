package confirm

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// HeldByOthers are the nodes of a plan over which another run has a Lease that is
// not known to be abandoned.
func HeldByOthers(s *kube.Snapshot, p plan.Plan, now time.Time) []lease.Hold {
	if p.Options.LeaseNamespace == "" {
		return nil
	}
	return lease.InTheWay(s, OpenNodes(p), "", now, func(run string) bool {
		return slices.Contains(p.Options.TakeOver, run)
	})
}

// Runs are the runs that hold nodes, each once.
func Runs(holds []lease.Hold) []string {
	var runs []string
	for _, h := range holds {
		if !slices.Contains(runs, h.Run) {
			runs = append(runs, h.Run)
		}
	}
	return runs
}

// HoldLines say who holds which node.
func HoldLines(holds []lease.Hold) []paint.Line {
	var lines []paint.Line
	for i, h := range holds {
		if i == 6 {
			return append(lines, paint.L(themes.Muted, "and "+format.Count(len(holds)-i, "more node")))
		}
		lines = append(lines, paint.L(themes.Accent, h.Node).Add(themes.Text, " is held by "+h.Words))
	}
	return lines
}

// HoldWord is what must be typed before anything is done to the nodes of other runs.
func HoldWord(holds []lease.Hold) string {
	if runs := Runs(holds); len(runs) == 1 && typable(runs[0]) {
		return runs[0]
	}
	return "take over"
}

// typable reports whether a run's id is one that a person can type: a Lease can say
// anything.
func typable(id string) bool {
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return id != "" && len(id) <= 16
}
