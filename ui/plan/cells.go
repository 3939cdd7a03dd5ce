package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// fateRank orders pods by how much they need a look.
func fateRank(p plan.Pod) int {
	f := p.Fate()
	ranks := []bool{f.Leaves == plan.Refused, f.Leaves == plan.Never, f.Loss == plan.LossPod, f.Loss == plan.LossPlace,
		f.Leaves == plan.LeavesUnseen, f.Leaves == plan.Waits, f.Loss == plan.LossData, f.Leaves == plan.Deleted, f.Loss == plan.LossRoom,
		f.Leaves == plan.Moves}
	if i := slices.Index(ranks, true); i >= 0 {
		return i
	}
	return len(ranks)
}

// planBudget is the cell with the budgets of a pod.
func planBudget(p plan.Pod) paint.Line {
	if p.Budget == nil {
		return nil
	}
	if p.Budget.Verdict == budget.VerdictUnknown {
		return paint.L(themes.Warning, "unseen")
	}
	if len(p.Budget.Budgets) == 1 {
		b := p.Budget.Budgets[0]
		return paint.L(themes.Text, b.Name).Add(themes.Muted, fmt.Sprintf(" allows %d", b.Allowed))
	}
	return paint.L(themes.Text, strings.Join(p.Budget.Names, ", "))
}

// planPodSentence is everything about one pod of a plan, with the first thing
// that would help.
func planPodSentence(p plan.Pod, now time.Time) paint.Line {
	return wording.PlanPod(p, firstAdvice(p), now)
}
