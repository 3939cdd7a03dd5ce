package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

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
func planPodSentence(p plan.Pod, now time.Time, pane bool) paint.Line {
	advice := firstAdvice(p)
	if pane { // which has all of it
		advice = ""
	}
	return wording.PlanPod(p, advice, now)
}
