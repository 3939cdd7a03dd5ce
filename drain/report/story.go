package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
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
	st.list("The API server was unreachable", r.outages())
	st.table(r.actionTable())
	st.left(r)
	st.pods(r)
	for _, t := range []table{r.volumeTable(), r.requestTable(), r.answerTable(), r.logTable()} {
		st.table(t)
	}
	_ = w.Flush() // of a strings.Builder, which never fails
	return b.String()
}

func (st story) asked(r Report) {
	st.head("Asked")
	fact := func(name, value string) {
		if value != "" {
			st.row(name, value)
		}
	}
	status := map[Status]string{StatusEnded: "ended", StatusLive: "live: this is its state now",
		StatusSuspended: "suspended: its process ended in order, resume continues it",
		StatusDead:      "cut short: its process died, and the journal ends there"}[r.Status]
	fact("run", strings.TrimSuffix(r.Run+", "+status, ", "))
	fact("reason", r.Reason)
	fact("by", r.User)
	fact("on", strings.TrimPrefix(r.Context+", "+r.Server, ", "))
	fact("command", r.Command)
	fact("started", utc(r.StartedAt))
	fact("ended", utc(r.EndedAt))
}

func plainly(text string) string { return text }

func (st story) heldUp(list []Blocker) {
	if len(list) == 0 {
		return
	}
	st.head("Blocked")
	for _, b := range list {
		names := b.Pods
		if len(names) > 3 {
			names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", len(names)-3))
		}
		why := b.Why
		if b.Never {
			why += " (never ends by itself)"
		}
		st.row(spell(b.Seconds), b.by(plainly), join(names), why)
		for _, words := range causeWords(b.Causes) {
			st.row("", "", "", "  "+words)
		}
	}
}

func (st story) left(r Report) {
	if len(r.ToDo) > 0 {
		st.head("Left to do")
		for _, t := range r.ToDo {
			st.row(strings.TrimSuffix(t.What+": "+t.Command, ": "))
		}
	}
	st.list("Warnings", r.Warnings)
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

// verbs are what was sent, the most frequent first.
func (r Report) verbs() []attempt.Verb {
	verbs := make([]attempt.Verb, 0, len(r.Requests))
	for v := range r.Requests {
		verbs = append(verbs, v)
	}
	slices.SortFunc(verbs, func(a, b attempt.Verb) int { return cmp.Or(r.Requests[b]-r.Requests[a], cmp.Compare(a, b)) })
	return verbs
}
