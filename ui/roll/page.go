package roll

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/roll"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// Page is the board of a roll: while it lives, and its result until it is left.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	lay   frame.Layout
	list  frame.List
	asked *roll.Question // that was put before the operator
	name  int            // the widest name of a node
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are none: the order of the batches has a meaning.
func (m *Page) Sorts() []frame.Sort { return nil }

// Update takes news of the roll, and brings its questions before the operator.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case frame.NewRollState:
		m.list.Stale = true
		m.follow()
		m.question()
	case reportMsg:
		m.onReport(msg)
	case batchMsg:
		m.onBatch(msg)
	}
}

// follow keeps the cursor on the first node that is under way, until the operator chose one.
func (m *Page) follow() {
	m.Rebuild()
	if m.list.Touched {
		return
	}
	for i := range m.s.RollState.Nodes {
		if n := &m.s.RollState.Nodes[i]; underWay(n) {
			m.list.Table.Select(n.Name)
			return
		}
	}
}

func underWay(n *roll.Node) bool {
	return n.State == roll.Draining || n.State == roll.Working || n.State == roll.Returning
}

// Rebuild filters the nodes of the roll.
func (m *Page) Rebuild() {
	if m.s.RollState == nil {
		return
	}
	match := m.list.Match()
	m.list.Total, m.name = len(m.s.RollState.Nodes), 0
	var names []string
	for i := range m.s.RollState.Nodes {
		n := &m.s.RollState.Nodes[i]
		m.name = max(m.name, paint.Width(n.Name))
		if match.All() || match.Keeps(nil, func(has func(string) bool) bool {
			return has(n.Name) || has(string(n.State)) || has(n.Message)
		}) {
			names = append(names, n.Name)
		}
	}
	m.list.Table.SetKeys(names)
}

func (m *Page) node(name string) *roll.Node {
	i := slices.IndexFunc(m.s.RollState.Nodes, func(n roll.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &m.s.RollState.Nodes[i]
}

// Layout fits the columns.
func (m *Page) Layout(lay frame.Layout) {
	m.lay = lay
	name := min(max(m.name, 4), 40)
	m.list.Layout(lay, []table.Column{
		{ID: "node", Title: "NODE", Width: name, Min: min(name, 20)},
		{ID: "state", Title: "STATE", Width: 11},
		{ID: "for", Title: "FOR", Width: 6, Right: true},
		{ID: "what", Title: "WHAT", Width: 60, Min: 20, Grow: true, Max: 160},
	}, func(key string) int { return 1 + len(m.above(key)) })
}

// Waits reports whether clocks on the page run.
func (m *Page) Waits() bool { return m.s.Rolling() }

// View is the board.
func (m *Page) View() frame.View {
	s := m.s.RollState
	if s == nil {
		return frame.View{Left: paint.L(themes.Title, "Roll"), Empty: paint.L(themes.Muted, "There is no roll.")}
	}
	v := frame.View{Head: board{m}.head()}
	v.Left = paint.L(themes.Title, "Roll "+s.Facts.Run.ID).Add(themes.Text, "  ").Add(themes.Accent,
		format.Count(len(s.Nodes), "node")+", "+batches(len(s.Facts.Batches))).
		Add(themes.Muted, paint.Dot+s.Facts.Run.Context)
	if m.s.RollForeign && m.s.Rolling() {
		v.Left = v.Left.Add(themes.Text, "  ").Add(themes.Warning, "of another process")
	}
	v.Right = m.clock()
	v.Cell = func(key, column string, width int) paint.Line {
		if n := m.node(key); n != nil {
			return board{m}.cell(n, column, width)
		}
		return nil
	}
	v.Above = m.above
	v.Empty = paint.L(themes.Muted, "No node matches "+format.Quote(m.list.Filter)+".")
	if n := m.node(m.list.Table.Cursor()); n != nil {
		v.Subject, v.Detail = n.Name, board{m}.sentence(n)
		v.Pane = func(width int) []paint.Line { return output(n, width, max(1, m.lay.Pane.Height-sentenceRoom)) }
	}
	return v
}

// sentenceRoom is what the sentence above the output, and the title of that, may take of a pane.
const sentenceRoom = 6

// now is the moment that the page is about: a roll that ended waits for nothing.
func (m *Page) now() time.Time {
	if s := m.s.RollState; s.Outcome != "" && !s.Ended.IsZero() {
		return s.Ended
	}
	return m.s.Now
}

// clock is how long the roll goes on already, and about how long it still does.
func (m *Page) clock() paint.Line {
	s := m.s.RollState
	l := paint.L(themes.Text, format.Clock(m.now().Sub(s.Started)))
	if left, known := s.Left(m.s.Now); known && m.s.Rolling() {
		about := "about " + format.Duration(left.Round(time.Second)) + " left " + paint.About
		l = l.Add(themes.Muted, paint.Dot).Add(themes.Estimate, about)
	}
	return l
}

// above is the title of a batch, over the first of its rows.
func (m *Page) above(key string) []paint.Line {
	n := m.node(key)
	if n == nil {
		return nil
	}
	keys := m.list.Table.Keys()
	if at := slices.Index(keys, key); at > 0 {
		if before := m.node(keys[at-1]); before != nil && before.Batch == n.Batch {
			return nil
		}
	}
	s := m.s.RollState
	l := paint.L(themes.Muted, "batch "+format.Number(n.Batch+1))
	if value := s.Facts.Batches[n.Batch].Value; value != "" {
		l = l.Add(themes.Muted, "  ").Add(themes.Accent, value)
	}
	if s.Under && n.Batch == s.Batch && s.Run != "" {
		l = l.Add(themes.Muted, "  run "+s.Run)
	}
	return []paint.Line{l}
}
