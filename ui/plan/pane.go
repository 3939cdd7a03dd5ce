package plan

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// pane is all about the selected pod: what would help with its commands, its budgets with
// their members, and where it could land.
func (m *Page) pane(width int) []paint.Line {
	pod, ok := m.pods[m.list.Table.Cursor()]
	if !ok {
		return nil
	}
	var lines []paint.Line
	for _, part := range [][]paint.Line{helpLines(pod, width), m.budgetLines(pod, width), landingLines(pod, width)} {
		if len(lines) > 0 && len(part) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, part...)
	}
	return lines
}

// helpLines are what would help, the least harmful first, each with its command.
func helpLines(p plan.Pod, width int) []paint.Line {
	all := wording.Advice(p)
	if len(all) == 0 {
		return nil
	}
	lines := []paint.Line{paint.L(themes.Title, "What would help")}
	for _, a := range all {
		text := wording.FirstUpper(strings.TrimSuffix(a.Text, ".")) + "."
		lines = append(lines, paint.Wrap(paint.T(text), width)...)
		if a.Command == "" {
			continue
		}
		for _, l := range paint.Wrap(paint.L(themes.Accent, a.Command), width-2) {
			lines = append(lines, append(paint.Line{paint.Blank(2)}, l...))
		}
	}
	return lines
}

// budgetLines are the budgets of a pod: their numbers as a bar, and their members, those in
// trouble first.
func (m *Page) budgetLines(p plan.Pod, width int) []paint.Line {
	live := m.s.Snap.Pod(p.UID)
	if live == nil {
		return nil
	}
	var lines []paint.Line
	for _, b := range m.s.Snap.BudgetsOf(live) {
		lines = append(lines, paint.L(themes.Title, "Budget ").Add(themes.Accent, b.Name).Add(themes.Muted, paint.Dot+
			"needs "+format.Number(int(b.DesiredHealthy))+", has "+format.Number(int(b.CurrentHealthy))+
			", allows "+format.Number(int(b.DisruptionsAllowed))).Fit(width))
		if b.ExpectedPods > 0 {
			lines = append(lines, paint.Bar(themes.BarFull, themes.BarEmpty,
				float64(b.CurrentHealthy)/float64(b.ExpectedPods), min(width, 30)))
		}
		lines = append(lines, m.memberLines(m.s.Snap.PodsUnder(b), width)...)
	}
	return lines
}

// maxMembers is how many members of a budget are named.
const maxMembers = 12

func (m *Page) memberLines(members []*kube.Pod, width int) []paint.Line {
	var sick, healthy []paint.Line
	for _, p := range members {
		glyph, token, word := paint.Good, themes.Good, ""
		switch {
		case p.Terminating():
			glyph, token, word = paint.Ending, themes.Busy, " ending"
		case !p.Healthy():
			glyph, token, word = paint.Bad, themes.Bad, " not Ready"
		}
		where := "no node"
		if p.Node != "" {
			where = m.s.Names.Show(p.Node, 24)
		}
		l := paint.L(token, glyph+" ").Add(themes.Text, p.Name).Add(token, word).Add(themes.Muted, "  "+where)
		l = l.Fit(width)
		if word == "" {
			healthy = append(healthy, l)
		} else {
			sick = append(sick, l)
		}
	}
	all := append(sick, healthy...)
	if len(all) > maxMembers {
		more := "and " + format.Count(len(all)-maxMembers, "more pod")
		all = append(all[:maxMembers:maxMembers], paint.L(themes.Muted, more))
	}
	return all
}

// landingLines say where the replacement could be scheduled.
func landingLines(p plan.Pod, width int) []paint.Line {
	if p.Landing == nil {
		return nil
	}
	lines := []paint.Line{append(paint.L(themes.Title, "Landing "), landsCell(p, width-8)...)}
	text := wording.Landing(p)
	if text == "" {
		return lines
	}
	return append(lines, paint.Wrap(paint.L(themes.Text, text), width)...)
}
