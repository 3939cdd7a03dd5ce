package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// What a markdown report names one by one at most: a comment on GitHub ends at
// 65,536 characters. The JSON report has everything.
const (
	podsInTable    = 120
	stepsInTable   = 150
	answersInTable = 150
	logInTable     = 100
	volumesInTable = 120
	textInTable    = 240 // characters of a text of others
)

// Markdown is the report for a change ticket or a post-mortem, as GitHub shows
// it: what was asked, what became of it, what held it up, and what is left to do.
func (r Report) Markdown() string {
	m := &markdown{}
	m.line("# %s", r.title())
	m.line("")
	m.line("%s", r.standing())
	m.line("")
	m.facts(r.facts())
	m.toDo(r)
	m.list("Done since the run ended", r.Since)
	m.list("Warnings", r.Warnings)
	m.list("What it cost", r.Costs)
	m.list("What the plan warned of", r.warned())
	m.nodes(r)
	m.table(r.blockerTable())
	m.list("The API server was unreachable", r.outages())
	m.table(r.actionTable())
	m.chart(r)
	for _, t := range []table{r.podTable(), r.stepTable(), r.surgeTable(), r.replacements().table(), r.volumeTable(),
		r.requestTable(), r.logTable(), r.answerTable()} {
		m.table(t)
	}
	return strings.TrimRight(m.b.String(), "\n") + "\n"
}

func (r Report) title() string {
	if !retires(r) {
		return "Drain of " + codes(r.names(), 4) + ": " + r.result()
	}
	result := r.result()
	if r.Outcome == drain.OutcomeDone && slices.ContainsFunc(r.Nodes, func(n Node) bool { return !n.out() }) {
		result = "drained, not out of the cluster"
	}
	return "Retirement of " + codes(r.names(), 4) + ": " + result
}

// result is how the run ended, or that it did not.
func (r Report) result() string {
	if r.Outcome != "" {
		return map[drain.Outcome]string{drain.OutcomeDone: "done", drain.OutcomePartly: "partly drained",
			drain.OutcomeRefused: "refused",
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
		return "**The run is suspended.** Its process ended in order after " + took +
			"; nothing is sent until it is resumed."
	case StatusDead:
		return "**The process of the run died.** The report ends with its journal, after " + took +
			"; what happened since is not in it."
	}
	return "The run has ended, after " + took + "."
}

// aFact is something about the run as a whole.
type aFact struct {
	name, value string
	others      bool // the value comes from others: in markdown it is code
}

// facts are those that are known.
func (r Report) facts() []aFact {
	drained, message, run := 0, r.Message, r.Run
	for _, n := range r.Nodes {
		if n.State == drain.NodeDrained {
			drained++
		}
	}
	if r.Outcome == drain.OutcomePartly && !r.drained() { // it counts nodes, as is done here
		message = ""
	}
	if r.Version != "" {
		run += " with kdrain-tui " + r.Version
	}
	cluster := r.Server
	if r.Context != "" {
		cluster = strings.TrimSuffix("context "+r.Context+", "+cluster, ", ")
	}
	return slices.DeleteFunc([]aFact{
		{"Reason", r.Reason, true}, {"Operator", r.User, true}, {"Cluster", cluster, true},
		{"Command", r.Command, true},
		{"Started", utc(r.StartedAt), false}, {"Ended", utc(r.EndedAt), false},
		{"Took", spell(r.DurationSeconds), false},
		{"Nodes", fmt.Sprintf("%d of %s drained", drained, format.Count(len(r.Nodes), "node")), false},
		{"Pods", r.gone(), false}, {"Replacements", r.replacements().words(), true},
		{"Message", message, true}, {"Run", strings.TrimSpace(run), true},
	}, func(f aFact) bool { return f.value == "" })
}

func (m *markdown) facts(list []aFact) {
	m.row("", "")
	m.row("---", "---")
	for _, f := range list {
		if f.others {
			f.value = longCode(f.value)
		}
		m.row(f.name, f.value)
	}
	m.line("")
}

func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 MST")
}

func (m *markdown) toDo(r Report) {
	if len(r.ToDo) == 0 {
		return
	}
	m.line("## %s\n", prose(leftTitle(r)))
	for _, t := range r.ToDo {
		if t.Command != "" {
			m.line("- [ ] %s: %s", prose(t.What), longCode(t.Command))
		} else {
			m.line("- [ ] %s", prose(t.What))
		}
	}
	m.line("")
}

// warned are the findings of the plan.
func (r Report) warned() []string {
	var texts []string
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
		m.row(code(n.Name), nodeWord(n.State, working(r)), fmt.Sprintf("%d of %d", gone, all),
			spell(n.DurationSeconds),
			n.cordonWord(), code(n.Message))
	}
	m.line("")
}

func (n *Node) cordonWord() string {
	switch {
	case n.Cordoned:
		return "yes"
	case n.CordonGone:
		return "no longer"
	}
	return "no"
}

func (m *markdown) chart(r Report) {
	chart, leftOut := r.gantt()
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
