package budgets

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// judgeEvery is how often at most all budgets are judged again.
const judgeEvery = 2 * time.Second

// Page shows all budgets, those that hold a drain first.
type Page struct {
	shell  frame.Shell
	s      *frame.Session
	list   frame.List
	rows   map[string]*row
	judged *judged
	asked  time.Time
	coming bool
	name   int // the widest
}

// judged are the budgets of one snapshot.
type judged struct {
	gen  uint64
	rows []*row
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are none: the order is what needs a look first.
func (m *Page) Sorts() []frame.Sort { return nil }

// Actions lead to the pod that holds a budget.
func (m *Page) Actions() []keys.Action {
	return []keys.Action{{ID: "budgetpod", Keys: []string{"enter"}, Title: "unhealthy pod",
		Help: "the first unhealthy pod under the selected budget, in full", Group: "Budgets",
		Enabled: m.hasUnhealthy, Do: m.openUnhealthy}}
}

func (m *Page) hasUnhealthy() (bool, string) {
	switch r := m.rows[m.list.Table.Cursor()]; {
	case r == nil:
		return false, "there is no budget to act on"
	case len(r.sick) == 0:
		return false, "every pod under it is healthy"
	}
	return true, ""
}

func (m *Page) openUnhealthy() {
	p := m.rows[m.list.Table.Cursor()].sick[0]
	m.shell.Open(frame.Ref{Page: frame.Pod, Pod: frame.PodRef{Namespace: p.Namespace, Name: p.Name, UID: p.UID}})
}

// Update takes what was judged.
func (m *Page) Update(msg tea.Msg) {
	if msg, ok := msg.(*judged); ok {
		m.coming, m.judged = false, msg
		m.Rebuild()
	}
}

// due reports whether the cluster changed since the budgets were judged.
func (m *Page) due() bool { return m.judged == nil || m.judged.gen != m.s.Snap.Gen() }

// Waits reports that they are judged again soon.
func (m *Page) Waits() bool { return m.due() }

// judge has the budgets judged, outside of Update.
func (m *Page) judge() {
	if !m.due() || m.coming || m.judged != nil && m.s.Now.Sub(m.asked) < judgeEvery {
		return
	}
	m.coming, m.asked = true, m.s.Now
	snap, now := m.s.Snap, m.s.Now
	m.shell.Go("the budgets", func(context.Context) tea.Msg { return &judged{snap.Gen(), rowsOf(snap, now)} })
}

// Rebuild filters the budgets.
func (m *Page) Rebuild() {
	l := &m.list
	m.rows, m.name, l.Total = map[string]*row{}, 0, 0
	var shown []string
	if m.judged != nil {
		match := l.Match()
		l.Total = len(m.judged.rows)
		for _, r := range m.judged.rows {
			if !match.Keeps(nil, func(has func(string) bool) bool {
				return has(r.Namespace + "/" + r.Name + " " + strings.Join(r.nodes, " ") + " " + r.state().String())
			}) {
				continue
			}
			m.rows[r.key] = r
			m.name = max(m.name, paint.Width(r.Namespace)+1+paint.Width(r.Name))
			shown = append(shown, r.key)
		}
	}
	l.Table.SetKeys(shown)
}

// Layout fits the columns, and has the budgets judged.
func (m *Page) Layout(lay frame.Layout) {
	m.judge()
	m.list.Layout(lay, []table.Column{
		{ID: "budget", Title: "BUDGET", Width: min(max(m.name, 6), 40), Min: 14, Grow: true, Max: max(m.name, 6)},
		{ID: "state", Title: "EVICTIONS", Width: 9},
		{ID: "healthy", Title: "HEALTHY", Width: 7, Right: true},
		{ID: "needed", Title: "NEEDED", Width: 6, Right: true},
		{ID: "allowed", Title: "ALLOWED", Width: 7, Right: true},
		{ID: "pods", Title: "PODS", Width: 4, Right: true, Drop: 3},
		{ID: "bar", Title: "", Width: 10, Drop: 2},
		{ID: "holds", Title: "HOLDS NODES", Width: 30, Min: 12, Grow: true, Max: 60, Drop: 1},
	}, nil)
}

// View is the list; the sentence says what the budget waits for and what would help.
func (m *Page) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Budgets"), Cell: m.cell,
		Empty: paint.L(themes.Busy, "judging the budgets"+paint.Ellipsis)}
	switch state := m.s.Snap.Sync(kube.KindBudgets); {
	case state.Phase == kube.Denied:
		v.Empty = paint.L(themes.Warning, "Budgets cannot be read: "+format.Quote(state.Reason))
	case state.Phase == kube.NotSynced:
		v.Empty = paint.L(themes.Busy, "budgets are being read"+paint.Ellipsis)
	case m.judged != nil && m.list.Filter != "":
		v.Empty = paint.L(themes.Muted, "No budget matches "+format.Quote(m.list.Filter)+".")
	case m.judged != nil:
		v.Empty = paint.L(themes.Muted, "This cluster has no PodDisruptionBudget.")
	}
	if m.judged != nil {
		holding := 0
		for _, r := range m.judged.rows {
			if r.holds() {
				holding++
			}
		}
		v.Right = paint.L(themes.Muted, format.Count(len(m.judged.rows), "budget"))
		if holding > 0 {
			v.Right = v.Right.Add(themes.Warning, paint.Dot+format.Plural(holding, "allows no eviction",
				"allow no eviction"))
		}
	}
	if m.s.Snap.Sync(kube.KindBudgets).Phase == kube.Denied {
		v.Right = paint.L(themes.Warning, "budgets cannot be read")
	}
	if r := m.rows[m.list.Table.Cursor()]; r != nil {
		v.Subject, v.Detail = r.Name, m.sentence(r)
	}
	return v
}

// sentence is what there is to say of a budget.
func (m *Page) sentence(r *row) paint.Line {
	var l paint.Line
	say := func(token paint.Token, text string) {
		if len(l) > 0 {
			text = " " + text
		}
		l = l.Add(token, text)
	}
	if r.why != "" {
		say(themes.Text, wording.FirstUpper(strings.TrimSuffix(r.why, "."))+".")
	}
	if len(r.sick) > 0 {
		var names []string
		for _, p := range r.sick {
			names = append(names, p.Name)
		}
		say(themes.Warning, "Not healthy: "+format.List(names, 3)+".")
	}
	if len(r.overlaps) > 0 {
		say(themes.Bad, "Its pods are selected by "+format.List(r.overlaps,
			3)+" too: the server evicts no pod under more than one budget.")
	}
	if r.holds() && len(r.advice) > 0 {
		say(themes.Accent, "What would help: "+strings.TrimSuffix(r.advice[0].Text, ".")+".")
		if r.advice[0].Command != "" {
			say(themes.Text, r.advice[0].Command)
		}
	}
	if len(r.members) > 0 {
		say(themes.Muted, format.Count(len(r.members), "pod")+" on "+format.List(r.nodes, 4)+".")
	}
	return l
}

func (m *Page) cell(key, column string, width int) paint.Line {
	r := m.rows[key]
	if r == nil {
		return nil
	}
	number := func(n int32) paint.Line { return paint.L(themes.Text, format.Number(int(n))) }
	switch column {
	case "budget":
		return wording.PodName(r.Namespace, r.Name, width)
	case "state":
		return r.state()
	case "healthy":
		return number(r.Present)
	case "needed":
		return number(r.Needed)
	case "allowed":
		switch {
		case r.verdict == budget.VerdictMultiple: // the server refuses the eviction, whatever the budget allows
			return paint.L(themes.Muted, format.Number(int(r.Allowed)))
		case r.Allowed == 0 && r.verdict != "":
			return paint.L(themes.Warning, "0")
		}
		return number(r.Allowed)
	case "pods":
		return paint.L(themes.Muted, format.Number(len(r.members)))
	case "bar":
		most := r.Expected - r.Needed // disruptions that it allows when all its pods are healthy
		if most <= 0 || r.verdict == budget.VerdictMultiple {
			return nil
		}
		return paint.Bar(themes.BarFull, themes.BarEmpty, min(1, float64(r.Allowed)/float64(most)), width)
	}
	if !r.holds() {
		return nil
	}
	return paint.L(themes.Text, paint.Truncate(strings.Join(r.nodes, ", "), width))
}
