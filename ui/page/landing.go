package page

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Lands is the cell about where the replacement of a pod could go; the node that
// the estimate took for it is named whole or not at all.
func Lands(p plan.Pod, width int) paint.Line {
	if p.Landing == nil {
		return nil
	}
	switch {
	case p.Landing.Answer == landing.DoesNotFit:
		return paint.L(themes.Bad, paint.Bad+" nowhere")
	case p.Landing.Answer == landing.Unknown:
		return paint.L(themes.Warning, paint.Unknown+" unknown")
	case p.Landing.Together.Answer == landing.DoesNotFit:
		return paint.L(themes.Warning, paint.Warn+" tight "+paint.About)
	}
	l := paint.L(themes.Good, paint.Good+" fits")
	if p.Fate().Loss != "" { // where it fits is no comfort for what is lost
		l = paint.L(themes.Text, "fits")
	}
	if p.Landing.Target == "" {
		return l
	}
	if named := l.Add(themes.Muted, " "+p.Landing.Target+" "+paint.About); named.Width() <= width {
		return named
	}
	return l
}

// landingSentence says where the replacement could go, "" where nothing is to
// be said.
func landingSentence(p plan.Pod) string {
	if p.NotRemade != "" {
		return "Nobody makes it anew: " + strings.TrimSuffix(p.NotRemade, ".") + "."
	}
	l := p.Landing
	if l == nil {
		return ""
	}
	switch {
	case l.Answer == landing.DoesNotFit:
		return "Its replacement could be scheduled nowhere: " + strings.TrimSuffix(l.Why, ".") + "."
	case l.Answer == landing.Unknown:
		return "Whether its replacement finds a place is not known: " + strings.TrimSuffix(l.Why, ".") + "."
	case l.Together.Answer == landing.DoesNotFit:
		return "Alone it fits; when all pods of the plan move it may find no room (estimated)."
	}
	return fmt.Sprintf("Its replacement fits on %s.", Count(l.Nodes, "node"))
}

// advice is what would help a pod, the least harmful first.
func advice(p plan.Pod) []budget.Advice {
	if len(p.Advice) == 0 && p.Budget != nil {
		return p.Budget.Advice
	}
	return p.Advice
}

// firstAdvice is the least harmful help, in one sentence.
func firstAdvice(p plan.Pod) string {
	all := advice(p)
	if len(all) == 0 {
		return ""
	}
	s := "What would help: " + strings.TrimSuffix(all[0].Text, ".")
	if all[0].Command != "" {
		s += ": " + all[0].Command
	}
	return s + "."
}

// Advice is all that would help a pod, each with its command on a line of its
// own; nil where there is nothing to do.
func Advice(p plan.Pod) []paint.Line {
	all := advice(p)
	if len(all) == 0 {
		return nil
	}
	lines := []paint.Line{nil, paint.L(themes.Title, "What would help").Add(themes.Muted, "  nothing of it is done by itself")}
	for _, a := range all {
		lines = append(lines, paint.T(FirstUpper(strings.TrimSuffix(a.Text, "."))+"."))
		if a.Command != "" {
			lines = append(lines, paint.L(themes.Accent, "    "+a.Command))
		}
	}
	return lines
}

// PlanRoom is the room in the cluster before the plan and after it, as bars on one
// line or two, or in figures where there is a line for it at most; nil where it is
// not known.
func PlanRoom(p plan.Plan, width int, bars bool) []paint.Line {
	before, after := p.Room.Before.Total, p.Room.After.Total
	if before.CPU.Has <= 0 || after.CPU.Has <= 0 {
		return nil
	}
	if !bars {
		figure := func(a landing.Amount) string {
			return fmt.Sprintf("%d%%", int(100*float64(a.Requested)/float64(max(a.Has, 1))+0.5))
		}
		return []paint.Line{paint.L(themes.Muted, "requested CPU ").
			Add(themes.Text, figure(before.CPU)+" "+paint.About+" "+figure(after.CPU)).Add(themes.Muted, "  memory ").
			Add(themes.Text, figure(before.Memory)+" "+paint.About+" "+figure(after.Memory))}
	}
	const bar = 14
	amounts := func(total landing.Room) paint.Line {
		l := append(paint.L(themes.Text, "CPU "), share(total.CPU.Requested, total.CPU.Has, bar)...)
		return append(l.Add(themes.Text, "  memory "), share(total.Memory.Requested, total.Memory.Has, bar)...)
	}
	first := append(paint.L(themes.Muted, "requested before "), amounts(before)...)
	then := append(paint.L(themes.Muted, "after "+paint.About+" "), amounts(after)...)
	if one := append(first.Add(themes.Text, "   "), then...); one.Width() <= width {
		return []paint.Line{one}
	}
	return []paint.Line{first, append(paint.L(themes.Muted, "         "), then...)}
}
