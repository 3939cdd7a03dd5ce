package nodes

import (
	"cmp"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// pane shows the pods of the selected node, what needs a look first, beside what there is
// to say on it.
func (m *Page) pane(width int) []paint.Line {
	p := m.preview(m.list.Table.Cursor(), m.s.Flags)
	if p == nil || len(p.Plan.Pods) == 0 {
		return nil
	}
	pods := make([]*plan.Pod, len(p.Plan.Pods))
	fate := len("FATE")
	for i := range p.Plan.Pods {
		pods[i] = &p.Plan.Pods[i]
		fate = max(fate, wording.Effects(*pods[i], wording.WidestEffects).Width())
	}
	slices.SortStableFunc(pods, func(a, b *plan.Pod) int {
		return cmp.Compare(a.Effects().Worst(), b.Effects().Worst())
	})
	fate = min(fate, width/3)
	name := min(width*45/100, width-fate-4)
	why := max(0, width-fate-name-4)
	row := func(name, fate, why paint.Line, widths [3]int) paint.Line {
		l := append(name.Fit(widths[0]), paint.Blank(2))
		l = append(append(l, fate.Fit(widths[1])...), paint.Blank(2))
		return append(l, why.Fit(widths[2])...)
	}
	widths := [3]int{name, fate, why}
	title := func(s string) paint.Line { return paint.L(themes.Muted, s) }
	lines := []paint.Line{row(title("POD"), title("FATE"), title("WHY"), widths)}
	for _, pod := range pods {
		lines = append(lines, row(wording.PodName(pod.Namespace, pod.Name, name), wording.Effects(*pod, fate),
			paint.L(themes.Text, wording.Why(*pod)), widths))
	}
	return lines
}
