package run

import (
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// guardQuestion is what must be known before temporary budgets are made: over
// which workloads, how tight, and for how long.
func guardQuestion(budgets []tempbudget.Facts, guard budget.Guard, trusted bool) []paint.Line {
	switch {
	case !trusted:
		return []paint.Line{paint.L(themes.Warning,
			"Which workloads get a budget is not known yet: not everything has been read. "+
				"They are chosen then, by the same rule: every workload without a budget that has more than one replica.")}
	case len(budgets) == 0:
		return []paint.Line{paint.T("Every workload of this plan with more than one replica has a budget already: none is created.")}
	}
	verb := " gets a budget of its own for the time of the run. It lets "
	if len(budgets) > 1 {
		verb = " get budgets of their own for the time of the run. Each lets "
	}
	lines := []paint.Line{paint.T(format.Count(len(budgets), "workload") + verb + string(guard) +
		" of the pods be unavailable at a time, for every eviction:"), nil}
	for _, b := range budgets {
		lines = append(lines, paint.L(themes.Accent, b.Namespace+"  "+b.Owner).Add(themes.Muted, "  "+b.Name))
	}
	return append(lines, nil, paint.L(themes.Muted, "They are removed when the run ends, also when it is aborted. Budgets of others are never changed."))
}

// runBudgets is the line about the temporary budgets of a run, in at most that
// many lines; nil where it has none.
func runBudgets(s *drain.State, width, most int) []paint.Line {
	var words []paint.Line
	for _, b := range s.Budgets {
		words = append(words, paint.L(themes.Text, b.Namespace+"/"+b.Owner+" ").Add(budgetToken(b), budgetWord(b)))
	}
	if len(words) == 0 {
		return nil
	}
	lines := paint.Wrap(append(paint.L(themes.Muted, "guard  "),
		paint.Join(paint.S(themes.Muted, paint.Dot), words...)...), width)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = lines[most-1].Add(themes.Muted, paint.Ellipsis)
	}
	return lines
}

func budgetWord(b *tempbudget.Record) string {
	switch b.State {
	case tempbudget.Planned:
		return paint.Hollow + " to be created"
	case tempbudget.InDoubt:
		return paint.Asked + " in doubt, the server is asked" + wording.Tail(b.Message)
	case tempbudget.Created:
		return paint.Asked + " created, not observed yet"
	case tempbudget.Observed:
		return paint.Good + " in force"
	case tempbudget.Removed:
		return paint.Stay + " removed" + wording.Tail(b.Message)
	case tempbudget.Failed:
		return paint.Bad + " not made" + wording.Tail(b.Message)
	}
	return paint.Warn + " still there" + wording.Tail(b.Message)
}

func budgetToken(b *tempbudget.Record) paint.Token {
	switch b.State {
	case tempbudget.Observed:
		return themes.Good
	case tempbudget.Planned, tempbudget.Removed:
		return themes.Muted
	case tempbudget.Created, tempbudget.InDoubt:
		return themes.Busy
	}
	return themes.Bad
}
