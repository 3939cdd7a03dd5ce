package wording

import (
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// CostLines are the findings that cost something, each in a line, in their order.
func CostLines(findings []plan.Finding) []paint.Line {
	var lines []paint.Line
	for _, f := range plan.Costs(findings) {
		lines = append(lines, FindingLine(f))
	}
	return lines
}

func FindingLine(f plan.Finding) paint.Line {
	switch f.Level {
	case plan.LevelError:
		return paint.L(themes.Bad, paint.Bad+" "+f.Message)
	case plan.LevelWarning:
		return paint.L(themes.Warning, paint.Warn+" "+f.Message)
	}
	return paint.L(themes.Muted, paint.Stay+" ").Add(themes.Text, f.Message)
}
