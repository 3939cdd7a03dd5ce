package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
)

// Result is what became of a run, for a person. Every face shows the same lines in the same order.
type Result struct {
	Verdict Fact
	Gone    string // "2 of 3 pods gone", "" where nothing was to go
	Lines   []Line
}

// Line is a fact of a result with its label. Lines with the same label follow each other.
type Line struct {
	Label string
	Fact
}

// Fact is a sentence without its full stop.
type Fact struct {
	Level Level
	Text  string
}

// Level is how good a fact is.
type Level string

// The levels of facts.
const (
	Good    Level = "good"
	Plain   Level = "plain"
	Busy    Level = "busy"
	Warning Level = "warning"
	Bad     Level = "bad"
)

// Now is what the cluster shows of a run now, beside its journal.
type Now struct {
	Undos []rollback.Undo // what a rollback would undo
	// PowerOff tells which of the drained nodes are safe to power off, nil for what the run saw at its end.
	PowerOff []Fact
	Follows  bool // the replacements are those of now
}

// LeaveOut are the labels that a small screen hides if its lines do not fit, the least important first.
var LeaveOut = []string{"plan", "requests", "slowest", "surge", "volumes", "report", "retire", "afterwards", "cordoned",
	"not moved", "remedies", "replaced", "cost", "unready", "nodes", "why"}

// Result returns what became of the run. Where now is nil, it is what the journal knows.
func (r Report) Result(now *Now) Result {
	l := lines{}
	l.add("why", Plain, r.why())
	l.add("outage", Warning, r.lastKnown())
	l.facts("nodes", r.nodeFacts())
	for _, p := range r.unmoved() {
		l.add("not moved", Plain, p.Namespace+"/"+p.Name+": "+lastWords(p))
	}
	for _, cost := range r.Costs {
		l.add("cost", Warning, cost)
	}
	l.facts("plan", findingFacts(r.Findings))
	after := r.replacements()
	replaced := after.words()
	if len(after.unready()) > 0 && r.Outcome != "" && (now == nil || !now.Follows) {
		replaced = "when the run ended: " + replaced
	}
	l.add("replaced", Plain, replaced)
	l.facts("unready", after.unready())
	l.add("volumes", Plain, r.volumeWords())
	if now != nil && now.PowerOff != nil {
		l.facts("power off", now.PowerOff)
	} else {
		l.facts("power off", r.powerOff())
	}
	l.facts("retire", r.retired())
	l.facts("surge", surgeFacts(r.Surges))
	l.facts("remedies", remedyFacts(r.Remedies))
	if slow := r.slowest(); slow != nil && slow.DurationSeconds >= 1 {
		l.add("slowest", Plain, slow.slow())
	}
	l.add("requests", Plain, r.sent())
	for _, t := range r.left {
		if now == nil || t.undone(now.Undos) == "" {
			l.add("left", Warning, strings.TrimSuffix(t.What+": "+t.Command, ": "))
		}
	}
	r.next(&l, now)
	verdict := r.verdict()
	if r.RolledBack {
		verdict.Text += ", rolled back since"
	}
	return Result{Verdict: verdict, Gone: r.gone(), Lines: l}
}

// lines collects those of a result.
type lines []Line

func (l *lines) add(label string, level Level, text string) {
	if text != "" {
		*l = append(*l, Line{label, Fact{level, text}})
	}
}

func (l *lines) facts(label string, facts []Fact) {
	for _, f := range facts {
		l.add(label, f.Level, f.Text)
	}
}

// mostNamed is how many nodes a command for them names.
const mostNamed = 5

// next adds which nodes are still cordoned, and the commands for what comes after the run.
func (r Report) next(l *lines, now *Now) {
	cordoned, undo := r.cordoned(), len(r.cordoned()) > 0 || len(r.left) > 0
	if now != nil {
		cordoned = rollback.Uncordons(now.Undos)
		undo = slices.ContainsFunc(now.Undos, func(u rollback.Undo) bool { return u.Left == "" })
	}
	l.add("report", Plain, r.target.Line("kdrain-tui report "+r.Run))
	if len(cordoned) > 0 {
		l.add("cordoned", Plain, format.List(cordoned, 6)+", by this run")
		if words := make([]string, len(cordoned)); len(cordoned) <= mostNamed {
			for i, name := range cordoned {
				words[i] = format.ShellWord(name)
			}
			l.add("afterwards", Plain, r.target.Line("kdrain-tui uncordon "+strings.Join(words, " ")))
		}
	}
	if undo {
		l.add("undo", Plain, r.target.Line("kdrain-tui rollback "+r.Run))
	}
}

// cordoned are the nodes that the run left cordoned, none while it has not ended.
func (r Report) cordoned() (names []string) {
	for _, n := range r.Nodes {
		if r.Outcome != "" && n.Cordoned && n.TakenOverBy == "" && len(n.Retire) == 0 {
			names = append(names, n.Name)
		}
	}
	return names
}

// why is why the run ended as it did, "" where its nodes say it.
func (r Report) why() string {
	switch failed := r.Outcome == drain.OutcomeFailed || r.Outcome == drain.OutcomePartly && r.drained(); {
	case r.Outcome == drain.OutcomeAborted:
		text := "the run was aborted" + after(r.Message)
		if r.count(func(p Pod) bool { return p.State.Ends() }) > 0 {
			text += "; accepted evictions finish"
		}
		return text
	case len(r.left) > 0 && r.drained() && !r.worse: // which it repeats
	case failed, !slices.ContainsFunc(r.Nodes, func(n Node) bool { return n.Message != "" }):
		return r.Message
	}
	return ""
}

// nodeFacts returns a fact for each node that has a message, the worst first, and one that groups the other nodes by
// state. It returns nothing if all nodes were drained without a message.
func (r Report) nodeFacts() []Fact {
	var facts []Fact
	var words []string
	names := map[string][]string{}
	for _, n := range r.Nodes {
		word := nodeWord(n.State, working(r))
		if n.Message == "" || r.Outcome == drain.OutcomeAborted && n.State == drain.NodeStopped {
			if names[word] == nil {
				words = append(words, word)
			}
			names[word] = append(names[word], n.Name)
			continue
		}
		level := Plain
		switch n.State {
		case drain.NodeRefused:
			level = Bad
		case drain.NodeFailed, drain.NodeStopped:
			level = Warning
		}
		facts = append(facts, Fact{level, n.Name + " " + word + ": " + strings.TrimSuffix(n.Message, ".")})
	}
	slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(a.Level.rank(), b.Level.rank()) })
	if len(words) == 0 || len(facts) == 0 && r.drained() {
		return facts
	}
	for i, word := range words {
		words[i] = format.List(names[word], 6) + " " + word
	}
	return append(facts, Fact{Plain, strings.Join(words, "; ")})
}

// rank orders levels, the worst first.
func (l Level) rank() int { return slices.Index([]Level{Bad, Warning, Busy, Plain, Good}, l) }

// findingFacts are what the plan warned of.
func findingFacts(findings []plan.Finding) (facts []Fact) {
	levels := map[plan.Level]Level{plan.LevelInfo: Plain, plan.LevelWarning: Warning, plan.LevelError: Bad}
	for _, f := range findings {
		facts = append(facts, Fact{levels[f.Level], f.Message})
	}
	return facts
}

// glyphs are the marks of facts.
var glyphs = map[Level]string{Good: "✔ ", Warning: "▲ ", Bad: "✖ ", Busy: "▶ "}

// Text is the result as lines for a terminal.
func (res Result) Text() string {
	var b strings.Builder
	b.WriteString(glyphs[res.Verdict.Level] + res.Verdict.Text + ".")
	if res.Gone != "" {
		b.WriteString(" " + res.Gone + ".")
	}
	b.WriteString("\n")
	for i, l := range res.Lines {
		label := l.Label
		if i > 0 && res.Lines[i-1].Label == label {
			label = ""
		}
		fmt.Fprintf(&b, "  %-10s %s%s\n", label, glyphs[l.Level], l.Text)
	}
	return b.String()
}
