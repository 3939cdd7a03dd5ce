package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/page"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

const takeOverDialog = "take-over"

// goOn asks for what a plan needs before its run: first for the nodes that another
// run is at work on, then for the cordon.
func (m *Model) goOn(shown plan.Plan) {
	if holds := m.heldByOthers(shown); len(holds) > 0 {
		m.askToTakeOver(shown, holds)
		return
	}
	m.askToCordon(shown, nil)
}

// heldByOthers are the nodes of a plan over which another run has a Lease that is
// not known to be abandoned.
func (m *Model) heldByOthers(p plan.Plan) []lease.Hold {
	if p.Options.LeaseNamespace == "" {
		return nil
	}
	return slices.DeleteFunc(lease.Holds(m.snap, openNodes(p), "", m.now), func(h lease.Hold) bool {
		return h.Lapsed || slices.Contains(p.Options.TakeOver, h.Run)
	})
}

// heldByOthersThan are the findings of a plan without those about nodes that are
// held by the run itself, which has their Leases by the time of its evictions.
func heldByOthersThan(run string, p plan.Plan, s *kube.Snapshot, now time.Time) []plan.Finding {
	names := make([]string, len(p.Nodes))
	for i, n := range p.Nodes {
		names[i] = n.Name
	}
	others := lease.Holds(s, names, run, now)
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f plan.Finding) bool {
		return f.Code == preflight.FindingNodeHeld && !slices.ContainsFunc(others, func(h lease.Hold) bool {
			return slices.ContainsFunc(f.Objects, func(o string) bool { return strings.HasSuffix(o, "/"+h.Node) })
		})
	})
}

// askToTakeOver takes a typed word, and only for the runs that it names: what
// another run takes meanwhile stays with that one.
func (m *Model) askToTakeOver(shown plan.Plan, holds []lease.Hold) {
	runs := runsOf(holds)
	body := append(holdLines(holds), nil, paint.L(themes.Warning, "That run sends nothing more there once you take over, and its node is stopped."),
		paint.T("If nobody works on it any more, it is free by itself "+page.Spell(kube.LeaseDuration)+" after its last sign of life."), nil)
	title := "Take over " + page.Count(len(holds), "node") + " from another run?"
	if len(holds) == 1 {
		title = "Take over " + holds[0].Node + " from another run?"
	}
	m.open(dialog.Typed(takeOverDialog, title, holdWord(holds), "take over", body...), func(a dialog.Answer) {
		if a.Value == dialog.Accept {
			taking := shown
			taking.Options.TakeOver = append(slices.Clone(shown.Options.TakeOver), runs...)
			m.askToCordon(taking, nil)
		}
	})
}

func runsOf(holds []lease.Hold) []string {
	var runs []string
	for _, h := range holds {
		if !slices.Contains(runs, h.Run) {
			runs = append(runs, h.Run)
		}
	}
	return runs
}

// holdLines say who holds which node.
func holdLines(holds []lease.Hold) []paint.Line {
	var lines []paint.Line
	for i, h := range holds {
		if i == 6 {
			return append(lines, paint.L(themes.Muted, "and "+page.Count(len(holds)-i, "more node")))
		}
		lines = append(lines, paint.L(themes.Accent, h.Node).Add(themes.Text, " is held by "+h.Words))
	}
	return lines
}

// holdWord is what must be typed before anything is done to the nodes of other runs.
func holdWord(holds []lease.Hold) string {
	if runs := runsOf(holds); len(runs) == 1 && typable(runs[0]) {
		return runs[0]
	}
	return "take over"
}

// typable tells whether a run's id is one that a person can type: a Lease can say
// anything.
func typable(id string) bool {
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return id != "" && len(id) <= 16
}
