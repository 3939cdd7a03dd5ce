package node

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kdrain-tui/kdrain-tui/app/live"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/frame"
	"github.com/kdrain-tui/kdrain-tui/ui/keys"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/table"
)

// readTime bounds the reading of a node.
const readTime = 20 * time.Second

// Page shows one node in full. What is watched of it is live; what is read for it is as old as it says.
type Page struct {
	shell frame.Shell
	s     *frame.Session
	list  frame.List
	name  string

	rows  map[string]fact
	first map[string]string // the title of its section, for the first row of each
	wide  int               // the widest name of a fact

	asked   bool // a command is out
	at      time.Time
	details watch.NodeDetails
	err     error
	runs    []live.Brief // that were on the node, newest first
	runsErr error
}

// readMsg is what was read about a node.
type readMsg struct {
	name    string
	details watch.NodeDetails
	err     error
	runs    []live.Brief
	runsErr error
}

// New makes the page.
func New(shell frame.Shell) *Page { return &Page{shell: shell, s: shell.Session()} }

// List makes it a page with a table.
func (m *Page) List() *frame.List { return &m.list }

// Sorts are none: the facts are in sections.
func (m *Page) Sorts() []frame.Sort { return nil }

// Targets are the node.
func (m *Page) Targets() []string { return []string{m.name} }

// Opened begins with another node, and has it read.
func (m *Page) Opened(ref frame.Ref) {
	*m = Page{shell: m.shell, s: m.s, name: ref.Nodes[0]}
	m.Rebuild()
	m.read()
}

// Actions are what keys do on the page of a node.
func (m *Page) Actions() []keys.Action {
	return []keys.Action{{ID: "rereadnode", Keys: []string{"r"}, Title: "read again", Group: "Node",
		Help: "read the node and the runs on it again", Do: m.read,
		Enabled: func() (bool, string) { return m.s.Cluster != nil, "there is no cluster to read from" }}}
}

// Update takes what was read, and news of the node.
func (m *Page) Update(msg tea.Msg) {
	switch msg := msg.(type) {
	case frame.NewSnapshot:
		m.list.Stale = m.name != ""
	case readMsg:
		if msg.name != m.name {
			return
		}
		m.asked, m.err, m.runsErr = false, msg.err, msg.runsErr
		if msg.err == nil {
			m.at, m.details = m.s.Now, msg.details
		}
		if msg.runsErr == nil {
			m.runs = msg.runs
		}
		m.Rebuild()
	}
}

// read has the node and its runs read, beside the event loop.
func (m *Page) read() {
	node := m.s.Snap.Node(m.name)
	if m.s.Cluster == nil || node == nil || m.asked {
		return
	}
	m.asked = true
	cluster, runs, name, uid := m.s.Cluster, m.s.Runs, m.name, node.UID
	m.shell.Go("the details of a node", func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		msg := readMsg{name: name}
		msg.details, msg.err = cluster.NodeDetails(ctx, name, uid)
		if runs != nil {
			msg.runs, msg.runsErr = runs.All()
			msg.runs = slices.DeleteFunc(msg.runs, func(b live.Brief) bool {
				return b.Elsewhere || !slices.Contains(b.Nodes, name)
			})
		}
		return msg
	})
}

// Rebuild makes the facts and filters them.
func (m *Page) Rebuild() {
	l := &m.list
	m.rows, m.first, m.wide, l.Total = map[string]fact{}, map[string]string{}, 0, 0
	match, section := l.Match(), ""
	var shown []string
	for _, f := range m.facts() {
		l.Total++
		if !match.Keeps(nil, func(has func(string) bool) bool { return has(f.name) || has(f.value.String()) }) {
			continue
		}
		key := f.section + "/" + f.name
		if _, twice := m.rows[key]; twice {
			key += "/" + f.value.String()
		}
		if f.section != section || len(shown) == 0 {
			section, m.first[key] = f.section, f.section
		}
		m.rows[key] = f
		m.wide = max(m.wide, paint.Width(f.name))
		shown = append(shown, key)
	}
	l.Table.SetKeys(shown)
}

// Layout fits the columns.
func (m *Page) Layout(lay frame.Layout) {
	width := lay.Columns()
	name := min(max(m.wide, 8), max(18, width*2/5))
	m.list.Layout(lay, []table.Column{
		{ID: "name", Title: "", Width: name}, {ID: "value", Title: "", Width: 20, Min: 10, Grow: true},
	}, func(key string) int {
		if m.first[key] != "" {
			return 2
		}
		return 1
	})
}

// View is the list of facts; the sentence has the whole of one that is cut.
func (m *Page) View() frame.View {
	v := frame.View{Left: paint.L(themes.Title, "Node ").Add(themes.Accent, m.name), Cell: m.cell, Above: m.above,
		Empty: paint.L(themes.Muted, "The cluster has no node of that name any longer.")}
	if m.list.Filter != "" {
		v.Empty = paint.L(themes.Muted, "Nothing matches "+format.Quote(m.list.Filter)+". esc shows all again.")
	}
	switch {
	case m.s.Cluster == nil:
	case m.asked:
		v.Right = paint.L(themes.Busy, "reading"+paint.Ellipsis)
	case m.err != nil:
		v.Right = paint.L(themes.Bad, paint.Bad+" not read")
		v.Head = append(v.Head, paint.L(themes.Bad, paint.Bad+" "+kube.Clean(m.err.Error())))
	case !m.at.IsZero():
		v.Right = paint.L(themes.Muted, "read "+m.at.Format("15:04:05"))
	}
	if f, ok := m.rows[m.list.Table.Cursor()]; ok {
		v.Subject, v.Detail = f.name, f.value
	}
	return v
}

func (m *Page) above(key string) []paint.Line {
	if title := m.first[key]; title != "" {
		return []paint.Line{paint.L(themes.Title, title)}
	}
	return nil
}

func (m *Page) cell(key, column string, width int) paint.Line {
	f := m.rows[key]
	if column == "name" {
		return paint.L(themes.Muted, paint.Middle(f.name, width))
	}
	if f.value.Width() > width {
		return f.value.Fit(width)
	}
	return f.value
}
