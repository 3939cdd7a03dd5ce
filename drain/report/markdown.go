package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// What a markdown report names one by one at most: a comment on GitHub ends at
// 65,536 characters. The JSON report has everything.
const (
	podsInTable  = 120
	spansInTable = 150
	textInTable  = 240 // characters of a text of others
)

// Markdown is the report for a change ticket or a post-mortem, as GitHub shows
// it: what was asked, what became of it, what held it up, and what is left to do.
func (r Report) Markdown() string {
	m := &markdown{}
	m.line("# %s", r.title())
	m.line("")
	m.line("%s", r.standing())
	m.line("")
	m.facts(r)
	m.toDo(r.ToDo)
	m.list("Warnings", r.Warnings)
	m.list("What it cost, by the plan", r.costs())
	m.nodes(r)
	m.blockers(r.Blockers)
	m.list("The API server was unreachable", r.outages())
	m.table(r.actionTable())
	m.chart(r)
	m.pods(r)
	m.timelines(r)
	for _, t := range []table{r.volumeTable(), r.requestTable(), r.answerTable(), r.logTable()} {
		m.table(t)
	}
	return strings.TrimRight(m.b.String(), "\n") + "\n"
}

func (r Report) title() string {
	return "Drain of " + codes(r.names(), 4) + ": " + r.result()
}

// result is how the run ended, or that it did not.
func (r Report) result() string {
	if r.Outcome != "" {
		return map[drain.Outcome]string{drain.OutcomeDone: "done", drain.OutcomePartly: "partly drained", drain.OutcomeRefused: "refused",
			drain.OutcomeAborted: "aborted", drain.OutcomeFailed: "failed"}[r.Outcome]
	}
	if r.Status == StatusDead {
		return "cut short"
	}
	if r.Status == StatusSuspended {
		return "suspended"
	}
	return "under way"
}

// standing says of when the report is and how much of the run it knows.
func (r Report) standing() string {
	took := spell(r.DurationSeconds)
	switch r.Status {
	case StatusLive:
		return "**The run is live.** This was its state after " + took + "."
	case StatusSuspended:
		return "**The run is suspended.** Its process ended in order after " + took + "; nothing is sent until it is resumed."
	case StatusDead:
		return "**The process of the run died.** The report ends with its journal, after " + took + "; what happened since is not in it."
	}
	return "The run has ended, after " + took + "."
}

func (m *markdown) facts(r Report) {
	m.row("", "")
	m.row("---", "---")
	fact := func(name, value string) {
		if value != "" {
			m.row(name, value)
		}
	}
	fact("Reason", code(r.Reason))
	fact("Operator", code(r.User))
	cluster := code(r.Server)
	if r.Context != "" {
		cluster = strings.TrimSuffix("context "+code(r.Context)+", "+cluster, ", ")
	}
	fact("Cluster", cluster)
	fact("Command", longCode(r.Command))
	fact("Started", utc(r.StartedAt))
	fact("Ended", utc(r.EndedAt))
	fact("Took", spell(r.DurationSeconds))
	drained := 0
	for _, n := range r.Nodes {
		if n.State == drain.NodeDrained {
			drained++
		}
	}
	fact("Nodes", fmt.Sprintf("%d of %s drained", drained, plural(len(r.Nodes), "node", "nodes")))
	fact("Pods", r.Summary().Gone)
	if r.Outcome != drain.OutcomePartly { // which counts nodes, as was done above
		fact("Message", code(r.Message))
	}
	fact("Run", strings.TrimSpace(code(r.Run)+" "+map[bool]string{true: "with kdrain-tui " + code(r.Version)}[r.Version != ""]))
	m.line("")
}

func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 MST")
}

func (m *markdown) toDo(list []ToDo) {
	if len(list) == 0 {
		return
	}
	m.line("## Left to do\n")
	for _, t := range list {
		if t.Command != "" {
			m.line("- [ ] %s: %s", code(t.What), code(t.Command))
		} else {
			m.line("- [ ] %s", code(t.What))
		}
	}
	m.line("")
}

// costs are the losses and what the plan warned of.
func (r Report) costs() []string {
	var texts []string
	if len(r.Losses) > 0 {
		texts = append(texts, "of the pods that are gone: "+strings.Join(r.Losses, ", "))
	}
	for _, f := range r.Findings {
		texts = append(texts, f.Message)
	}
	return texts
}

func (m *markdown) nodes(r Report) {
	m.line("## Nodes\n")
	m.row("node", "outcome", "pods gone", "took", "cordoned by this run", "")
	m.row("---", "---", "---:", "---:", "---", "---")
	for _, n := range r.Nodes {
		gone, all := 0, 0
		for _, p := range n.Pods {
			if moves(p) {
				all++
				if p.State.Left() {
					gone++
				}
			}
		}
		m.row(code(n.Name), strings.ToLower(string(n.State)), fmt.Sprintf("%d of %d", gone, all), spell(n.DurationSeconds),
			map[bool]string{true: "yes", false: "no"}[n.Cordoned], code(n.Message))
	}
	m.line("")
}

func (m *markdown) blockers(list []Blocker) {
	m.line("## What blocked it\n")
	if len(list) == 0 {
		m.line("No pod was blocked.\n")
		return
	}
	m.row("blocked by", "because of", "on node", "since", "for", "pods", "")
	m.row("---", "---", "---", "---", "---:", "---", "---")
	for _, b := range list {
		because, node := "", ""
		if b.UnhealthyPod != nil {
			because, node = code(b.UnhealthyPod.Namespace+"/"+b.UnhealthyPod.Name), code(b.UnhealthyPod.Node)
		}
		why := code(b.Why)
		if b.Never {
			why += " never by itself"
		}
		if words := causeWords(b.Causes); words != nil {
			why += "; of the time: " + codes(words, causesShown+1)
		}
		m.row(b.by(code), because, node, b.From.UTC().Format("15:04:05"), spell(b.Seconds), codes(b.Pods, 3), strings.TrimSpace(why))
	}
	m.line("")
}

func (m *markdown) chart(r Report) {
	chart, leftOut := r.Gantt()
	if chart == "" {
		return
	}
	m.line("## Timeline\n\n```mermaid\n%s```\n", chart)
	m.line("Red: blocked, by what its name says. Grey: accepted, until gone. Blue: still ending.")
	if leftOut > 0 {
		m.line("The %d longest are shown, %d are left out.", ganttMost, leftOut)
	}
	m.line("")
}

func (m *markdown) pods(r Report) {
	type onNode struct {
		node string
		Pod
	}
	var pods []onNode
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if moves(p) {
				pods = append(pods, onNode{n.Name, p})
			}
		}
	}
	if len(pods) == 0 {
		return
	}
	// What needs a look first: those that did not go, then the longest held.
	slices.SortStableFunc(pods, func(a, b onNode) int {
		here := func(p onNode) int { return map[bool]int{true: 1}[p.State.Left()] }
		return cmp.Or(here(a)-here(b), cmp.Compare(b.BlockedSeconds, a.BlockedSeconds), cmp.Compare(b.DurationSeconds, a.DurationSeconds))
	})
	m.line("## Pods\n")
	m.row("pod", "owner", "node", "state", "took", "blocked", "tries", "")
	m.row("---", "---", "---", "---", "---:", "---:", "---:", "---")
	for _, p := range pods[:min(len(pods), podsInTable)] {
		words := p.Message
		if words == "" && p.LastCode >= 300 {
			words = p.LastWords
		}
		blocked := ""
		if p.BlockedSeconds > 0 {
			blocked = spell(p.BlockedSeconds)
		}
		m.row(code(p.Namespace+"/"+p.Name), code(p.Owner), code(p.node), string(p.State), p.took(), blocked,
			fmt.Sprint(p.Attempts), code(words))
	}
	m.more(len(pods)-podsInTable, "quicker pod", "quicker pods")
	m.line("")
}

// timelines are the steps of the pods that had a story to tell: those that were
// held, and those that are still there.
func (m *markdown) timelines(r Report) {
	total := 0
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if !p.State.Left() && moves(p) || slices.ContainsFunc(p.Timeline, Span.held) {
				m.timeline(p, &total)
			}
		}
	}
	if total > 0 {
		m.more(total-spansInTable, "step", "steps")
		m.line("\n</details>\n")
	}
}

func (m *markdown) timeline(p Pod, total *int) {
	for i, s := range p.Timeline {
		if *total++; *total > spansInTable {
			continue
		}
		if *total == 1 {
			m.line("<details><summary>Step by step: pods that were blocked or are still there</summary>\n")
			m.row("pod", "at", "state", "for", "tries", "why")
			m.row("---", "---", "---", "---:", "---:", "---")
		}
		name, took, tries := "", "", ""
		if i == 0 || *total == 1 {
			name = code(p.Namespace + "/" + p.Name)
		}
		if !s.State.Final() {
			took = spell(s.Seconds)
		}
		if s.Tries > 0 {
			tries = fmt.Sprint(s.Tries)
		}
		m.row(name, s.From.UTC().Format("15:04:05.0"), string(s.State), took, tries, code(s.Why))
	}
}
