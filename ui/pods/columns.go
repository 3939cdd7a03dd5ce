package pods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// columns are measured over all pods that were found, so that scrolling moves none. What all rows
// have in common has none.
func (m *Page) columns(width int) []table.Column {
	w := struct{ namespace, name, status int }{}
	if m.found != nil {
		w = m.found.widest
	}
	space, name, status := max(w.namespace, 9), max(w.name, 3), max(w.status+2, 6)
	node, least := max(m.s.Names.Widest(), 4), 28
	switch {
	case width < 70:
		least = 18
	case width < 100:
		least = 22
	}
	columns := []table.Column{
		{ID: "namespace", Title: "NAMESPACE", Width: min(space, 24), Min: min(space, max(9, width/8)), Grow: true, Max: space},
		{ID: "pod", Title: "POD", Width: min(name, 48), Min: min(name, least), Grow: true, Max: name},
		{ID: "ready", Title: "READY", Width: 5, Right: true},
		{ID: "status", Title: "STATUS", Width: min(status, 24), Min: min(status, 18), Grow: true, Max: status},
		{ID: "restarts", Title: "RESTARTS", Width: 8, Right: true, Drop: 2},
		{ID: "age", Title: "AGE", Width: 4, Right: true, Drop: 4},
		{ID: "cpu", Title: "CPU USED", Width: 8, Right: true, Drop: 6},
		{ID: "memory", Title: "MEM USED", Width: 8, Right: true, Drop: 5},
		{ID: fateSort, Title: "FATE", Width: 10, Min: 9, Grow: true, Max: wording.WidestEffects, Drop: 3},
		{ID: "node", Title: "NODE", Width: node, Min: min(node, max(m.s.Names.Least(), 12)), Drop: 1},
	}
	return slices.DeleteFunc(columns, func(c table.Column) bool {
		switch c.ID {
		case "namespace":
			return m.namespace != ""
		case "node":
			return len(m.nodes) == 1
		case "cpu", "memory":
			return !m.use.known()
		}
		return false
	})
}

func (m *Page) cell(key, column string, width int) paint.Line {
	p := m.pod(key)
	if p == nil {
		return nil
	}
	switch column {
	case "namespace":
		return paint.L(themes.Muted, paint.Truncate(p.Namespace, width))
	case "pod":
		return paint.L(themes.Text, paint.Middle(p.Name, width))
	case "ready":
		return ready(p)
	case "status":
		return status(p)
	case "restarts":
		if n := restarts(p); n > 0 {
			return paint.L(themes.Warning, format.Number(int(n)))
		}
		return paint.L(themes.Muted, "0")
	case "age":
		if p.Created.IsZero() {
			return nil
		}
		return paint.L(themes.Muted, format.Age(m.s.Snap.ServerTime(m.s.Now).Sub(p.Created)))
	case "cpu", "memory":
		return m.used(p, column)
	case fateSort:
		return m.fateCell(p, width)
	}
	if p.Node == "" {
		return paint.L(themes.Warning, "none")
	}
	return paint.L(themes.Text, m.s.Names.Show(p.Node, width))
}

// ready are the Ready containers of all.
func ready(p *kube.Pod) paint.Line {
	if p.State == nil {
		return paint.L(themes.Muted, "-")
	}
	token := themes.Text
	if lacking(p) > 0 {
		token = themes.Warning
	}
	return paint.L(token, fmt.Sprintf("%d/%d", p.State.Ready, p.State.Total))
}

// status is glyph and kubectl's word. A pod that is gone is shown until the next look.
func status(p *kube.Pod) paint.Line {
	token, glyph := themes.Good, paint.Ready
	switch rankOf(p) {
	case rankFailing:
		token, glyph = themes.Bad, paint.Bad
	case rankNotReady:
		token, glyph = themes.Warning, paint.Hollow
	case rankTerminating:
		token, glyph = themes.Busy, paint.Ending
	case rankFinished:
		token, glyph = themes.Muted, paint.Stay
	}
	return paint.L(token, glyph+" "+p.Status())
}

// used is what a pod uses, "-" where that is not known.
func (m *Page) used(p *kube.Pod, column string) paint.Line {
	u, ok := m.use.of[nameOf(p)]
	switch {
	case !ok:
		return paint.L(themes.Muted, "-")
	case column == "cpu":
		return paint.L(themes.Text, format.CPU(u.CPUMilli))
	}
	return paint.L(themes.Text, format.Bytes(u.MemoryBytes))
}

// sentence is what is wrong with a pod, in the words of who knows it.
func (m *Page) sentence(p *kube.Pod) paint.Line {
	now := m.s.Snap.ServerTime(m.s.Now)
	l := status(p)
	for _, said := range []string{troubleOf(p), p.Message} {
		if said != "" {
			l = l.Add(themes.Text, "  "+said)
		}
	}
	if !p.ReadySince.IsZero() && !p.Finished() {
		word := "not Ready for "
		if p.Ready {
			word = "Ready for "
		}
		l = l.Add(themes.Muted, paint.Dot+word+format.Age(now.Sub(p.ReadySince)))
	}
	if n := m.s.Snap.Node(p.Node); n != nil && n.Ready != kube.NodeReady {
		l = l.Add(themes.Warning, paint.Dot+"its node "+p.Node+" is not Ready")
	}
	if p.Owner != nil {
		return l.Add(themes.Muted, paint.Dot+p.Owner.Kind+" "+p.Owner.Name)
	}
	return l.Add(themes.Warning, paint.Dot+"no controller")
}

// troubleOf is which container is in trouble and what is said of it, "" for nothing.
func troubleOf(p *kube.Pod) string {
	t := p.Trouble
	if t == nil {
		return ""
	}
	var facts []string
	if t.Container != "" {
		facts = append(facts, "container "+t.Container)
	}
	if !strings.Contains(p.Status(), t.Reason) && t.Reason != "NotReady" {
		facts = append(facts, t.Reason)
	}
	if t.HasExit {
		facts = append(facts, fmt.Sprintf("exit code %d", t.ExitCode))
	}
	for _, words := range []string{t.Message, t.Termination} {
		if words != "" {
			facts = append(facts, format.Quote(words))
		}
	}
	return strings.Join(facts, ", ")
}

// pane is what is known of the pod without asking.
func (m *Page) pane(width int) []paint.Line {
	p := m.selected()
	if p == nil {
		return nil
	}
	var lines []paint.Line
	fact := func(name, value string) {
		if value != "" {
			rest := paint.Wrap(paint.T(value), max(8, width-13))
			for i, l := range rest {
				head := paint.Line{paint.Blank(13)}
				if i == 0 {
					head = paint.L(themes.Muted, name).Fit(13)
				}
				lines = append(lines, append(head, l...))
			}
		}
	}
	fact("namespace", p.Namespace)
	fact("node", p.Node)
	fact("a drain", m.fateWords(p))
	if p.Owner != nil {
		fact("controller", p.Owner.Kind+" "+p.Owner.Name)
	}
	if p.Spec != nil {
		fact("requests", "CPU "+format.CPU(p.Spec.Requests.CPUMilli)+", memory "+
			format.Bytes(p.Spec.Requests.MemoryBytes))
		fact("grace", fmt.Sprintf("%ds", p.Spec.GraceSeconds))
		fact("priority", p.Spec.PriorityClass)
		fact("volumes", strings.Join(volumes(p.Spec.Volumes), ", "))
	}
	var budgets []string
	for _, b := range m.s.Snap.BudgetsOf(p) {
		budgets = append(budgets, b.Name)
	}
	fact("budgets", strings.Join(budgets, ", "))
	fact("finalizers", strings.Join(p.Finalizers, ", "))
	return lines
}

// volumes are those that matter to a drain.
func volumes(all []kube.Volume) []string {
	var names []string
	for _, v := range all {
		name := string(v.Kind) + " " + v.Name
		if v.Claim != "" {
			name = "claim " + v.Claim
		}
		names = append(names, name)
	}
	return names
}
