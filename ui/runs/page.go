package runs

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

// readEvery is how often the journals are looked at while the page is shown.
const readEvery = 5 * time.Second

// Page lists the runs and rolls of this machine: those that a process works on first, then the newest.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	list  frame.List
	rows  map[string]live.Brief
	read  *read
	asked time.Time
	busy  bool // something that was asked for here is under way
}

// read are the runs at a moment.
type read struct {
	runs []live.Brief
	err  error
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are none: the order is what needs a look first.
func (m *Page) Sorts() []frame.Sort { return nil }

// Opened has the journals read at once.
func (m *Page) Opened(frame.Ref) { m.asked = time.Time{} }

// Waits reports that it is read again soon: a run of another process may end.
func (m *Page) Waits() bool { return true }

// Update takes what was read, and what became of what was asked for here.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case *read:
		slices.SortStableFunc(msg.runs, func(a, b live.Brief) int { return liveFirst(a) - liveFirst(b) })
		m.read = msg
		m.Rebuild()
	case shownMsg:
		m.onShown(msg)
	case resumedMsg:
		m.onResumed(msg)
	case reportMsg:
		m.onReport(msg)
	case plannedMsg:
		m.onPlanned(msg)
	case undoneMsg:
		m.onUndone(msg)
	}
}

func liveFirst(b live.Brief) int {
	if b.Live {
		return 0
	}
	return 1
}

// Rebuild filters the runs.
func (m *Page) Rebuild() {
	l := &m.list
	m.rows, l.Total = map[string]live.Brief{}, 0
	var shown []string
	if m.read != nil {
		match := l.Match()
		l.Total = len(m.read.runs)
		for _, b := range m.read.runs {
			if !match.Keeps(nil, func(has func(string) bool) bool {
				return has(strings.Join([]string{b.ID, b.State(), b.User, b.Context, strings.Join(b.Nodes, " ")}, " "))
			}) {
				continue
			}
			m.rows[b.ID] = b
			shown = append(shown, b.ID)
		}
	}
	l.Table.SetKeys(shown)
}

// Layout fits the columns, and has the journals read.
func (m *Page) Layout(lay frame.Layout) {
	if m.s.Runs != nil && (m.asked.IsZero() || m.s.Now.Sub(m.asked) >= readEvery) {
		m.asked = m.s.Now
		runs := m.s.Runs
		m.shell.Go("the runs of this machine", func(context.Context) tea.Msg {
			all, err := runs.All()
			return &read{all, err}
		})
	}
	m.list.Layout(lay, []table.Column{
		{ID: "run", Title: "RUN", Width: m.widest("RUN", 20, func(b live.Brief) string { return b.ID })},
		{ID: "state", Title: "OUTCOME", Width: 13},
		{ID: "started", Title: "STARTED", Width: 16},
		{ID: "took", Title: "TOOK", Width: 8, Right: true, Drop: 1},
		{ID: "user", Title: "USER", Width: m.widest("USER", 24, func(b live.Brief) string { return b.User }),
			Min: 6, Drop: 2},
		{ID: "context", Title: "CONTEXT",
			Width: m.widest("CONTEXT", 24, func(b live.Brief) string { return b.Context }),
			Min:   7, Drop: 3},
		{ID: "nodes", Title: "NODES", Width: 30, Min: 24, Grow: true, Max: 80},
	}, nil)
}

// widest is how wide a column has to be for the rows that are shown, at most so many cells.
func (m *Page) widest(title string, most int, of func(live.Brief) string) int {
	width := paint.Width(title)
	for _, b := range m.rows {
		width = max(width, paint.Width(wording.Clean(of(b))))
	}
	return min(width, most)
}

// View is the list; the sentence says what can be done with the run.
func (m *Page) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Runs").Add(themes.Text, "  of this machine"), Cell: m.cell,
		Empty: paint.L(themes.Busy, "reading the journals"+paint.Ellipsis)}
	switch {
	case m.read == nil:
	case m.read.err != nil:
		v.Empty = paint.L(themes.Bad, paint.Bad+" "+wording.Clean(m.read.err.Error()))
	case m.list.Filter != "":
		v.Empty = paint.L(themes.Muted, "No run matches "+format.Quote(m.list.Filter)+".")
	default:
		v.Empty = paint.L(themes.Muted, "No run was started on this machine.")
	}
	if m.read != nil {
		v.Right = paint.L(themes.Muted, format.Count(len(m.read.runs), "run"))
	}
	if m.busy {
		v.Right = paint.L(themes.Busy, "working"+paint.Ellipsis)
	}
	if b, ok := m.rows[m.list.Table.Cursor()]; ok {
		v.Subject, v.Detail = b.ID, m.sentence(b)
	}
	return v
}

// sentence is what a run was, and what can be done with it.
func (m *Page) sentence(b live.Brief) paint.Line {
	what := "Run"
	if b.Roll {
		what = "Roll"
	}
	l := paint.L(themes.Text, what+" of "+wording.Clean(b.User)+" on "+wording.Clean(b.Context)+": "+
		wording.Clean(format.List(b.Nodes, 8))+".")
	switch {
	case b.Damaged:
		return paint.L(themes.Bad, "Its journal cannot be read; kdrain-tui report "+b.ID+" says why.")
	case b.Elsewhere:
		return l.Add(themes.Muted, " It was on another cluster than this one.")
	case b.Live:
		return l.Add(themes.Busy, " A process works on it; enter watches and steers it.")
	case b.RolledBack:
		return l.Add(themes.Muted, " What it did was taken back; its report tells what and by whom.")
	case b.Outcome == "":
		return l.Add(themes.Warning, " It has not ended: R goes on with it here, U takes back what it did.")
	}
	return l
}

func (m *Page) cell(key, column string, width int) paint.Line {
	b, ok := m.rows[key]
	if !ok {
		return nil
	}
	switch column {
	case "run":
		return paint.L(themes.Accent, paint.Truncate(b.ID, width))
	case "state":
		return state(b)
	case "started":
		return paint.L(themes.Text, b.Started.In(m.s.Now.Location()).Format("2006-01-02 15:04"))
	case "took":
		return m.took(b)
	case "user":
		return paint.L(themes.Text, paint.Truncate(wording.Clean(b.User), width))
	case "context":
		token := themes.Text
		if b.Elsewhere {
			token = themes.Muted
		}
		return paint.L(token, paint.Truncate(wording.Clean(b.Context), width))
	}
	nodes := wording.Clean(strings.Join(b.Nodes, ", "))
	if b.Roll {
		nodes = format.Count(len(b.Nodes), "node") + ", one batch after the other: " + nodes
	}
	return paint.L(themes.Text, paint.Truncate(nodes, width))
}

func (m *Page) took(b live.Brief) paint.Line {
	switch {
	case b.Live:
		return paint.L(themes.Busy, format.Duration(m.s.Now.Sub(b.Started)))
	case b.Ended.IsZero():
		return paint.L(themes.Muted, "-")
	}
	return paint.L(themes.Text, format.Duration(b.Ended.Sub(b.Started)))
}

// state is glyph and word.
func state(b live.Brief) paint.Line {
	token, glyph := themes.Warning, paint.Warn
	switch {
	case b.Damaged:
		token, glyph = themes.Bad, paint.Unknown
	case b.Live:
		token, glyph = themes.Busy, paint.Play
	case b.RolledBack:
		token, glyph = themes.Muted, paint.Stay
	case b.Outcome == "":
		token, glyph = themes.Warning, paint.Wait
	case b.Outcome == drain.OutcomeDone:
		token, glyph = themes.Good, paint.Good
	case b.Outcome == drain.OutcomeFailed:
		token, glyph = themes.Bad, paint.Bad
	}
	return paint.L(token, glyph+" "+b.State())
}
