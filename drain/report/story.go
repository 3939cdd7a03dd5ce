package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// Story is the whole report as text: Text, and then what was asked, what held it
// up, what is left, every pod, every request and its audit id.
func (r Report) Story() string {
	var b strings.Builder
	b.WriteString(r.Text())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	st := story{w}
	st.asked(r)
	st.heldUp(r.Blockers)
	st.disturbed(r)
	st.left(r)
	st.pods(r)
	st.volumes(r)
	st.requests(r)
	st.log(r.Log)
	_ = w.Flush() // of a strings.Builder, which never fails
	return b.String()
}

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

func (st story) asked(r Report) {
	st.head("Asked")
	fact := func(name, value string) {
		if value != "" {
			st.row(name, value)
		}
	}
	status := map[Status]string{StatusEnded: "ended", StatusLive: "live: this is how it stands",
		StatusSuspended: "suspended: its process ended in order, resume goes on",
		StatusDead:      "cut short: its process died, and the journal ends there"}[r.Status]
	fact("run", strings.TrimSuffix(r.Run+", "+status, ", "))
	fact("reason", r.Reason)
	fact("by", r.User)
	fact("on", strings.TrimPrefix(r.Context+", "+r.Server, ", "))
	fact("command", r.Command)
	fact("started", utc(r.StartedAt))
	fact("ended", utc(r.EndedAt))
}

func (st story) heldUp(list []Blocker) {
	if len(list) == 0 {
		return
	}
	st.head("Held up")
	for _, b := range list {
		by := string(b.For)
		if b.Budget != "" {
			by = "budget " + b.Budget
			if b.For == drain.WaitForGuard {
				by = "guard over " + b.Budget
			}
		}
		names := b.Pods
		if len(names) > 3 {
			names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", len(names)-3))
		}
		why := b.Why
		if b.Never {
			why += " (never ends by itself)"
		}
		st.row(spell(b.Seconds), by, join(names), why)
		for _, words := range causeWords(b.Causes) {
			st.row("", "", "", "  "+words)
		}
	}
}

// disturbed tells of outages, and of what operators did.
func (st story) disturbed(r Report) {
	if len(r.Outages) > 0 {
		st.head("The API server was away")
		for _, o := range r.Outages {
			st.row(o.words())
		}
	}
	if len(r.Actions) > 0 {
		st.head("Manual actions")
		for _, e := range r.Actions {
			st.row(utc(e.Time), e.Text, byWhom(e))
		}
	}
}

func byWhom(e LogEntry) string {
	if e.By == "" {
		return ""
	}
	return "by " + e.By
}

func (st story) left(r Report) {
	if len(r.ToDo) > 0 {
		st.head("Left to do")
		for _, t := range r.ToDo {
			st.row(strings.TrimSuffix(t.What+": "+t.Command, ": "))
		}
	}
	if len(r.Warnings) > 0 {
		st.head("Warnings")
		for _, w := range r.Warnings {
			st.row(w)
		}
	}
}

// pods gives every pod a line, and its steps where it was held or is still there.
func (st story) pods(r Report) {
	for _, n := range r.Nodes {
		if r.countOn(n) == 0 {
			continue
		}
		st.head("Pods of " + n.Name)
		for _, p := range n.Pods {
			if !moves(p) {
				continue
			}
			blocked := ""
			if p.BlockedSeconds > 0 {
				blocked = spell(p.BlockedSeconds) + " blocked"
			}
			st.row(p.Namespace+"/"+p.Name, string(p.State), p.took(), plural(p.Attempts, "try", "tries"), blocked)
			if p.State.Left() && !slices.ContainsFunc(p.Timeline, Span.held) {
				continue
			}
			for _, s := range p.Timeline {
				took := ""
				if !s.State.Final() {
					took = spell(s.Seconds)
				}
				st.row("  "+s.From.UTC().Format("15:04:05.0"), string(s.State), took, tries(s.Tries), s.Why)
			}
		}
	}
}

func (r Report) countOn(n Node) int { return Report{Nodes: []Node{n}}.count(moves) }

func tries(n int) string {
	if n == 0 {
		return ""
	}
	return plural(n, "try", "tries")
}

func (st story) requests(r Report) {
	if len(r.Requests) == 0 {
		return
	}
	st.head("Requests")
	for _, v := range r.verbs() {
		st.row(string(v), fmt.Sprint(r.Requests[v]))
	}
	if len(r.Answers) == 0 {
		return
	}
	st.head("Answers, with their ids in the audit log")
	for _, a := range r.Answers {
		st.row(a.Time.UTC().Format("15:04:05.0"), string(a.Verb), a.Object, fmt.Sprint(a.Code), a.AuditID)
	}
}

// verbs are what was sent, the most frequent first.
func (r Report) verbs() []drain.Verb {
	verbs := make([]drain.Verb, 0, len(r.Requests))
	for v := range r.Requests {
		verbs = append(verbs, v)
	}
	slices.SortFunc(verbs, func(a, b drain.Verb) int { return cmp.Or(r.Requests[b]-r.Requests[a], cmp.Compare(a, b)) })
	return verbs
}

func (st story) log(entries []LogEntry) {
	if len(entries) == 0 {
		return
	}
	st.head("Log")
	for _, e := range entries {
		st.row(utc(e.Time), e.Node, e.Text, byWhom(e))
	}
}
