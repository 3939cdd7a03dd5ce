package drain

import (
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// FindingLeftBudgets is the code of the finding about temporary budgets that a
// run left behind.
const FindingLeftBudgets = "LeftBudgets"

// findLeftovers tells of budgets that were left behind, with the commands that
// remove them unless nothing may be written; those of runs that may be live are told apart.
func findLeftovers(_ *kube.Snapshot, _ *Plan, env *Env) []Finding {
	var found []Finding
	for _, mayLive := range []bool{false, true} {
		var these []Leftover
		for _, l := range env.Leftovers {
			if l.MayLive == mayLive {
				these = append(these, l)
			}
		}
		if len(these) == 0 {
			continue
		}
		f := Finding{Code: FindingLeftBudgets, Level: LevelWarning, Message: leftoverWords(these, env.Now)}
		help := "remove what the run left behind"
		if mayLive {
			f.Level, help = LevelInfo, "only if that run is over"
		}
		for _, l := range these {
			f.Objects = append(f.Objects, "PodDisruptionBudget/"+l.Namespace+"/"+l.Name)
		}
		for _, command := range RemoveCommands(these) {
			if env.ReadOnly {
				break
			}
			f.Advice = append(f.Advice, Advice{help, command})
		}
		found = append(found, f)
	}
	return found
}

func leftoverWords(left []Leftover, now time.Time) string {
	names := make([]string, len(left))
	for i, l := range left {
		names[i] = l.Sentence(now)
	}
	return fmt.Sprintf("%s still there: %s", plural(len(left), "temporary budget is", "temporary budgets are"), some(names))
}
