package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/waits"
)

// table is what a report says in rows; each writer shows it in its own way.
type table struct {
	title   string
	columns []column
	rows    [][]string
	// In markdown at most that many rows are shown, and the others counted: a comment on
	// GitHub ends at 65,536 characters.
	most      int
	one, many string // what a row is
	folded    bool   // in markdown, until somebody opens it
	empty     string // what markdown says where there are no rows, "" for nothing
}

// column is one of its columns.
type column struct {
	title  string
	right  bool
	others bool   // its texts come from others: in markdown they are code
	lead   string // what stands before it as text, where no title does
	titled bool   // it is shown only where it has its title
}

// blockerTable has a row for each blocker, and one below it for each of several causes.
func (r Report) blockerTable() table {
	t := table{title: "What blocked it", empty: "No pod was blocked.", columns: []column{
		{title: "for", right: true}, {title: "blocked by", others: true},
		{title: "because of", others: true, titled: true},
		{title: "on node", others: true, titled: true}, {title: "since", titled: true}, {title: "pods", others: true},
		{others: true}}}
	for _, b := range r.Blockers {
		because, node, why := "", "", b.Why
		if b.UnhealthyPod != nil {
			because, node = b.UnhealthyPod.Namespace+"/"+b.UnhealthyPod.Name, b.UnhealthyPod.Node
		}
		if b.Never {
			why += " (never ends by itself)"
		}
		t.rows = append(t.rows, []string{spell(b.Seconds), b.by(), because, node, b.From.UTC().Format("15:04:05"),
			format.List(b.Pods, 3), why})
		for _, words := range causeWords(b.Causes) {
			t.rows = append(t.rows, []string{"", "", "", "", "", "", words})
		}
	}
	return t
}

func (r Report) actionTable() table {
	t := table{title: "Manual actions", most: logInTable, one: "action", many: "actions",
		columns: []column{{title: "at"}, {title: "what", others: true}, {title: "by", others: true, lead: "by "}}}
	for _, e := range r.Actions {
		t.rows = append(t.rows, []string{utc(e.Time), e.Text, e.By})
	}
	return t
}

// requestTable has what was sent, the most frequent first.
func (r Report) requestTable() table {
	t := table{title: "Requests", empty: "Nothing was sent.",
		columns: []column{{title: "verb"}, {title: "sent", right: true}}}
	verbs := slices.SortedFunc(maps.Keys(r.Requests), func(a, b attempt.Verb) int {
		return cmp.Or(r.Requests[b]-r.Requests[a], cmp.Compare(a, b))
	})
	for _, v := range verbs {
		t.rows = append(t.rows, []string{string(v), fmt.Sprint(r.Requests[v])})
	}
	return t
}

func (r Report) answerTable() table {
	t := table{title: "Answers, with their ids in the audit log", most: answersInTable, one: "answer", many: "answers",
		folded: true,
		columns: []column{{title: "at"}, {title: "verb"}, {title: "object", others: true},
			{title: "code", right: true}, {title: "audit id", others: true}}}
	for _, a := range r.Answers {
		t.rows = append(t.rows, []string{a.Time.UTC().Format("15:04:05.0"), string(a.Verb), a.Object,
			fmt.Sprint(a.Code), a.AuditID})
	}
	return t
}

func (r Report) logTable() table {
	t := table{title: "Log", most: logInTable, one: "entry", many: "entries",
		columns: []column{{title: "at"}, {title: "node", others: true}, {title: "what", others: true},
			{title: "by", others: true, lead: "by "}}}
	for _, e := range r.Log {
		t.rows = append(t.rows, []string{utc(e.Time), e.Node, e.Text, e.By})
	}
	return t
}

// volumeTable is about the volumes of the pods that the run was to move.
func (r Report) volumeTable() table {
	t := table{title: "Volumes", most: volumesInTable, one: "volume", many: "volumes",
		columns: []column{{title: "volume", others: true},
			{title: "claim", others: true, titled: true}, {title: "pod", others: true, lead: "of "},
			{title: "node", others: true, lead: "on "}, {title: "what became of it", others: true}}}
	for _, n := range r.Nodes {
		for i := range n.Pods {
			p := &n.Pods[i]
			for k := range p.Volumes {
				v, claim := &p.Volumes[k], ""
				if v.Claim != "" {
					claim = p.Namespace + "/" + v.Claim
				}
				if moves(*p) {
					t.rows = append(t.rows, []string{v.Title(), claim, p.Namespace + "/" + p.Name, n.Name, v.words()})
				}
			}
		}
	}
	return t
}

// outages are told one in a line.
func (r Report) outages() []string {
	lines := make([]string, len(r.Outages))
	for i, o := range r.Outages {
		lines[i] = o.words()
	}
	return lines
}

// by names what held pods up.
func (b Blocker) by() string {
	switch {
	case b.Budget == "":
		return string(b.For)
	case b.For == waits.ForTemporaryBudget:
		return "temporary budget for " + b.Budget
	}
	return "budget " + b.Budget
}

// story writes tables as text.
type story struct{ w *tabwriter.Writer }

// row is a line of columns. What is in them may come from others: a tab would
// begin a column.
func (st story) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "\t", " ")
	}
	fmt.Fprintln(st.w, strings.TrimRight("  "+strings.Join(cells, "\t"), "\t "))
}

// head begins a section, whose columns have widths of their own.
func (st story) head(title string) {
	_ = st.w.Flush()
	fmt.Fprintf(st.w, "\n%s\n", title)
}

func (st story) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	st.head(title)
	for _, t := range texts {
		st.row(t)
	}
}

func (st story) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	st.head(t.title)
	for _, row := range t.rows {
		var cells []string
		for i, text := range row {
			switch c := t.columns[i]; {
			case c.titled:
			case text == "":
				cells = append(cells, "")
			default:
				cells = append(cells, c.lead+text)
			}
		}
		st.row(cells...)
	}
}

// markdown writes tables as GitHub shows them.
type markdown struct{ b strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// row is a row of a table; its cells are marked up already.
func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

func (m *markdown) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.line("## %s\n", title)
	for _, t := range texts {
		m.line("- %s", code(t))
	}
	m.line("")
}

// heads are the titles of columns, "" for none.
func (m *markdown) heads(columns []column) {
	titles, rules := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		titles[i], rules[i] = c.title, "---"
		if c.right {
			rules[i] = "---:"
		}
	}
	m.row(titles...)
	m.row(rules...)
}

func (m *markdown) table(t table) {
	if len(t.rows) == 0 {
		if t.empty != "" {
			m.line("## %s\n\n%s\n", t.title, t.empty)
		}
		return
	}
	if t.folded {
		m.line("<details><summary>%s</summary>\n", t.title)
	} else {
		m.line("## %s\n", t.title)
	}
	m.heads(t.columns)
	most := len(t.rows)
	if t.most > 0 {
		most = min(most, t.most)
	}
	for _, row := range t.rows[:most] {
		cells := make([]string, len(row))
		for i, text := range row {
			if cells[i] = text; t.columns[i].others {
				cells[i] = code(text)
			}
		}
		m.row(cells...)
	}
	m.more(len(t.rows)-most, t.one, t.many)
	if t.folded {
		m.line("\n</details>")
	}
	m.line("")
}

func (m *markdown) more(n int, one, many string) {
	if n > 0 {
		m.line("\nAnd %s: `-o json` has them all.", format.Plural(n, one, many))
	}
}
