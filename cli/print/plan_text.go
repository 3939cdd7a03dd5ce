package print

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// planText prints a plan for a human or a ticket.
type planText struct {
	w     io.Writer
	style Style
}

func (t planText) line(format string, args ...any) {
	fmt.Fprintln(t.w, t.style.Plain(fmt.Sprintf(format, args...)))
}

// noNodeMatches is what a selector without a node comes to; as with kubectl that
// is no error.
const noNodeMatches = "no node matches; nothing to do"

func (t planText) write(id conn.Identity, plan plan.Plan) {
	if len(plan.Nodes) == 0 {
		t.line("%s", noNodeMatches)
		return
	}
	t.line("%s  %s · %s · preview", t.style.In(Bold, "Plan for "+nodeNames(plan)), id.Context,
		plan.TakenAt.UTC().Format(time.RFC3339))
	for _, n := range plan.Nodes {
		t.line("")
		t.node(n, plan.Estimate)
	}
	if len(plan.Findings) > 0 {
		t.line("")
		t.line("%s", t.style.In(Bold, "Findings"))
		for _, f := range plan.Findings {
			t.finding(f)
		}
	}
	t.surges(plan)
	t.help(plan)
	t.line("")
	t.summary(plan)
}

func nodeNames(plan plan.Plan) string {
	names := make([]string, len(plan.Nodes))
	for i, n := range plan.Nodes {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// spanWords are when the pods of a node leave it, "" where that is not known.
func spanWords(span *plan.NodeSpan) string {
	if span == nil {
		return ""
	}
	return " · " + span.Words()
}

func (t planText) node(n plan.Node, e *plan.Estimate) {
	state := "Ready"
	if !n.Ready {
		state = "not Ready"
	}
	if n.Unschedulable {
		state += ", cordoned"
	}
	t.line("%s  %s · %s%s", t.style.In(Bold, n.Name), state, countWords(verdict.OfNode(&n)),
		spanWords(e.SpanOf(n.Name)))
	if len(n.Pods) == 0 {
		return
	}
	rows := table{Style: t.style, Indent: "  "}
	rows.Add(Quiet, "FATE", "POD", "OWNER", "WHY")
	for _, p := range n.Pods {
		effects := p.Effects()
		owner := p.Owner
		if owner == "" {
			owner = "-"
		}
		tone := tones[effects.Worst().Level()]
		if effects.Has(plan.Stays) {
			tone = Quiet
		}
		rows.Add(tone, effects.String(), p.Namespace+"/"+p.Name, owner, t.style.Plain(whyOf(p)))
	}
	rows.Write(t.w)
}

// tones are the colours of what a drain does, by how grave it is.
var tones = map[plan.Level]Tone{plan.LevelError: Bad, plan.LevelWarning: Warning, plan.LevelInfo: Good}

// whyOf gives every reason for what happens to a pod, the gravest matter first.
func whyOf(p plan.Pod) string {
	var why []string
	if of := p.Effects().Why(); of != "" {
		why = append(why, of)
	}
	for _, level := range []plan.Level{plan.LevelError, plan.LevelWarning, plan.LevelInfo} {
		for _, r := range p.Reasons {
			if r.Level == level && !(p.Stuck != "" && r.Code == plan.ReasonTerminating) {
				why = append(why, r.Message)
			}
		}
	}
	// One that no budget counts may be counted by the run's own guard.
	if b := p.Budget; b != nil && b.Verdict == budget.VerdictEvictable && (len(b.Names) > 0 || b.Why != "") {
		why = append(why, budgetWords(&p))
	}
	return strings.Join(why, "; ")
}

func budgetWords(p *plan.Pod) string {
	if why := p.BudgetWhy(); why != "" {
		return why
	}
	if len(p.Budget.Names) == 0 {
		return "budgets cannot be seen"
	}
	return "budget " + strings.Join(p.Budget.Names, ", ")
}

func countWords(c verdict.Counts) string {
	var text []string
	for _, part := range c.Words() {
		text = append(text, part.Text)
	}
	return strings.Join(text, ", ")
}

func (t planText) finding(f plan.Finding) {
	tones := map[plan.Level]Tone{plan.LevelError: Bad, plan.LevelWarning: Warning, plan.LevelInfo: Quiet}
	t.line("  %s%s  %s", t.style.In(tones[f.Level], string(f.Level)),
		strings.Repeat(" ", max(len("warning")-len(f.Level), 0)), f.Message)
	for _, a := range f.Advice {
		if a.Command != "" {
			t.line("           %s: %s", a.Text, a.Command)
		}
	}
}

func (t planText) summary(plan plan.Plan) {
	c := verdict.OfPlan(&plan)
	if len(plan.Nodes) > 1 {
		t.line("%s: %s.", format.Count(len(plan.Nodes), "node"), countWords(c))
	}
	v := verdict.Of(&plan)
	t.line("%s%s", t.style.In(tones[v.Level()], v.Head), v.Tail)
	if words := plan.Waves().String(); words != "" {
		t.line("Waves: %s.", words)
	}
	if e := plan.Estimate; e != nil {
		if words := e.Words(plan.TakenAt.UTC()); words != "" {
			t.line("Time: %s.", words)
			t.line("%s", t.style.In(Quiet, "  because "+e.Because))
		}
	}
	if line := landingLine(plan); line != "" {
		t.line("%s", t.style.In(Quiet, line))
	}
}

// landingLine sums up where the pods could be scheduled, each judged alone; the
// room is what the whole plan would leave, an estimate.
func landingLine(plan plan.Plan) string {
	count := map[landing.Answer]int{}
	for _, n := range plan.Nodes {
		for _, p := range n.Pods {
			if p.Landing != nil {
				count[p.Landing.Answer]++
			}
		}
	}
	var parts []string
	for _, answer := range []struct {
		of    landing.Answer
		words string
	}{{landing.Fits, "fit elsewhere"}, {landing.DoesNotFit, "fit nowhere"}, {landing.Unknown, "not known"}} {
		if n := count[answer.of]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, answer.words))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	line := "Landing: " + strings.Join(parts, ", ")
	if before, after := plan.Room.Before.Total, plan.Room.After.Total; before.CPU.Has > 0 && after.CPU.Has > 0 {
		line += fmt.Sprintf("; requested CPU %d%% -> ~%d%%, memory %d%% -> ~%d%%",
			percent(before.CPU), percent(after.CPU), percent(before.Memory), percent(after.Memory))
	}
	return line + "."
}

func percent(a landing.Amount) int64 {
	if a.Has == 0 {
		return 0
	}
	return (a.Requested*100 + a.Has/2) / a.Has
}
