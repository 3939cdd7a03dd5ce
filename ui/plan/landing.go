package plan

import (
	"fmt"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// landsCell is the cell about where the replacement of a pod could go; the node that
// the estimate took for it is named whole or not at all.
func landsCell(p plan.Pod, width int) paint.Line {
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
	if p.Effects().Worst().Level() != plan.LevelInfo { // where it fits is no comfort for what is lost
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

// leastLands is the least width of the column of landsCell in that room: on the plan of one node with the node that
// a pod fits on, where there is room for it, as that is asked before what a budget allows.
func leastLands(widest, room int, ofOneNode bool) int {
	if whole := min(widest, widestLanding); ofOneNode && whole <= room {
		return whole
	}
	return min(widest, 9)
}

// firstAdvice is the least harmful help, and its command.
func firstAdvice(p plan.Pod) string {
	all := wording.Advice(p)
	if len(all) == 0 {
		return ""
	}
	return strings.TrimSpace("What would help: " + strings.TrimSuffix(all[0].Text, ".") + ". " + all[0].Command)
}

// firstCommand is that of the least harmful help that has one, "" where none has.
func firstCommand(p plan.Pod) string {
	for _, a := range wording.Advice(p) {
		if a.Command != "" {
			return a.Command
		}
	}
	return ""
}

// planRoom is the room in the cluster before the plan and after it, as bars on one
// line or two, or in figures where there is a line for it at most; nil where it is
// not known.
func planRoom(p plan.Plan, width int, bars bool) []paint.Line {
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
	const bar = 10
	amounts := func(total landing.Room) paint.Line {
		l := append(paint.L(themes.Text, "CPU "), wording.Share(total.CPU.Requested, total.CPU.Has, bar)...)
		return append(l.Add(themes.Text, "  memory "), wording.Share(total.Memory.Requested, total.Memory.Has, bar)...)
	}
	first := append(paint.L(themes.Muted, "requested on schedulable nodes before "), amounts(before)...)
	then := append(paint.L(themes.Muted, "after "+paint.About+" "), amounts(after)...)
	if one := append(first.Add(themes.Text, "   "), then...); one.Width() <= width {
		return []paint.Line{one}
	}
	const under = len("requested on schedulable nodes ")
	return []paint.Line{first, append(paint.L(themes.Muted, strings.Repeat(" ", under)), then...)}
}
