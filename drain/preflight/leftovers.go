package preflight

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingLeftBudgets is the code of the finding about temporary budgets that a
// run left behind.
const FindingLeftBudgets = "LeftBudgets"

// findLeftovers tells of budgets that were left behind, with the commands that
// remove them unless nothing may be written; those of runs that may be live are told apart.
func findLeftovers(_ *kube.Snapshot, _ *plan.Plan, env *Env) []plan.Finding {
	var found []plan.Finding
	for _, mayLive := range []bool{false, true} {
		var these []tempbudget.Leftover
		for _, l := range env.Leftovers {
			if l.MayLive == mayLive {
				these = append(these, l)
			}
		}
		if len(these) == 0 {
			continue
		}
		f := plan.Finding{Code: FindingLeftBudgets, Level: plan.LevelWarning, Message: leftoverWords(these, env.Now)}
		help := "remove what the run left behind"
		if mayLive {
			f.Level, help = plan.LevelInfo, "only if that run has ended"
		}
		for _, l := range these {
			f.Objects = append(f.Objects, "PodDisruptionBudget/"+l.Namespace+"/"+l.Name)
		}
		for _, command := range tempbudget.RemoveCommands(these) {
			if env.ReadOnly {
				break
			}
			f.Advice = append(f.Advice, budget.Advice{Text: help, Command: command})
		}
		found = append(found, f)
	}
	return found
}

func leftoverWords(left []tempbudget.Leftover, now time.Time) string {
	names := make([]string, len(left))
	for i, l := range left {
		names[i] = l.Sentence(now)
	}
	return fmt.Sprintf("%s still there: %s", format.Plural(len(left), "temporary budget is", "temporary budgets are"),
		format.List(names, format.NamesShown))
}
