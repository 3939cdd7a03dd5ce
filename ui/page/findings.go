package page

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// FindingLines are the findings that must not be missed, in the order of the plan, each in
// a line, in at most that many lines; the last one then counts what has no room and
// names the key that shows all.
func FindingLines(findings []plan.Finding, most int, key string) []paint.Line {
	lines := CostLines(findings)
	if len(lines) <= most {
		return lines
	}
	if most < 1 {
		return nil
	}
	rest := len(lines) - (most - 1)
	more := paint.L(themes.Warning, paint.Ellipsis+" "+Number(rest)+" more")
	if rest == len(lines) {
		more = paint.L(themes.Warning, paint.Warn+" "+Count(rest, "finding"))
	}
	return append(lines[:most-1:most-1], more.Add(themes.Muted, ": ").Add(themes.Key, key).Add(themes.Muted, " shows all"))
}

// CostLines are the findings that cost something, each in a line, in their order.
func CostLines(findings []plan.Finding) []paint.Line {
	var lines []paint.Line
	for _, f := range plan.Costs(findings) {
		lines = append(lines, findingLine(f))
	}
	return lines
}

func findingToken(f plan.Finding) paint.Token {
	if f.Level == plan.LevelError {
		return themes.Bad
	}
	return themes.Warning
}

func findingLine(f plan.Finding) paint.Line {
	switch f.Level {
	case plan.LevelError:
		return paint.L(themes.Bad, paint.Bad+" "+f.Message)
	case plan.LevelWarning:
		return paint.L(themes.Warning, paint.Warn+" "+f.Message)
	}
	return paint.L(themes.Muted, paint.Stay+" ").Add(themes.Text, f.Message)
}

// Findings are all findings of a plan in full, in its order, each with what would
// help.
func Findings(findings []plan.Finding, width int) []paint.Line {
	if len(findings) == 0 {
		return []paint.Line{paint.L(themes.Good, paint.Good+" Nothing was found that the whole plan puts at risk.")}
	}
	var lines []paint.Line
	add := func(indent int, l paint.Line) {
		for _, part := range paint.Wrap(l, max(20, width-indent)) {
			lines = append(lines, append(paint.Line{paint.Blank(indent)}, part...))
		}
	}
	for i, f := range findings {
		if i > 0 {
			lines = append(lines, nil)
		}
		add(0, findingLine(f))
		for _, a := range f.Advice {
			add(2, paint.L(themes.Muted, "would help: ").Add(themes.Text, strings.TrimSuffix(a.Text, ".")))
			if a.Command != "" {
				add(4, paint.L(themes.Accent, a.Command))
			}
		}
	}
	return lines
}
