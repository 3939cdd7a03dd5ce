package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/confirm"
	"github.com/kdrain-tui/kdrain-tui/ui/dialog"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

const takeOverDialog = "take-over"

// goOn asks for what a plan needs before its run: first for the nodes that another
// run is draining, then for the cordon.
func (m *Page) goOn(shown plan.Plan) {
	if holds := confirm.HeldByOthers(m.s.Snap, shown, m.s.Now); len(holds) > 0 {
		m.askToTakeOver(shown, holds)
		return
	}
	m.askToCordon(shown, nil)
}

// askToTakeOver takes a typed word, and only for the runs that it names: what
// another run takes meanwhile stays with that one.
func (m *Page) askToTakeOver(shown plan.Plan, holds []lease.Hold) {
	runs := confirm.Runs(holds)
	body := append(confirm.HoldLines(holds), nil, paint.L(themes.Warning,
		"That run sends nothing more there once you take over, and stops draining the node."),
		paint.T("If that run is dead, its Lease expires "+format.Duration(kube.LeaseDuration)+
			" after its last sign of life."), nil)
	title := "Take over " + format.Count(len(holds), "node") + " from another run?"
	if len(holds) == 1 {
		title = "Take over " + holds[0].Node + " from another run?"
	}
	m.shell.Ask(dialog.Typed(takeOverDialog, title, confirm.HoldWord(holds), "take over", body...),
		func(a dialog.Answer) {
			if a.Value == dialog.Accept {
				taking := shown
				taking.Options.TakeOver = append(slices.Clone(shown.Options.TakeOver), runs...)
				m.askToCordon(taking, nil)
			}
		})
}
