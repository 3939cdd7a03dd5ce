package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// glyphs are the marks of facts.
var glyphs = map[Level]string{Good: "✔", Warning: "▲", Bad: "✖", Busy: "▶"}

// Text is the report for a person: what stays on the terminal after a run.
func (r Report) Text() string {
	var b strings.Builder
	sum := r.Summary()
	b.WriteString(glyphs[sum.Verdict.Level] + " " + sum.Verdict.Text + ".")
	if sum.Gone != "" {
		b.WriteString(" " + sum.Gone + ".")
	}
	b.WriteString("\n")
	if (r.Outcome == drain.OutcomeFailed || r.Outcome == drain.OutcomePartly && r.drained()) && r.Message != "" {
		b.WriteString("  why       " + r.Message + "\n")
	}
	if sum.Outage != "" {
		b.WriteString("  outage    " + sum.Outage + "\n")
	}
	for _, n := range r.Nodes {
		if n.State != drain.NodeDrained || n.Message != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", n.Name, r.nodeLine(n))
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Level, f.Message)
	}
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, text)
		}
	}
	line("cost", strings.Join(sum.Costs, "; "))
	line("volumes", r.volumeWords())
	for _, f := range sum.PowerOff {
		line("power off", f.Text)
	}
	for _, f := range sum.Retired {
		line("retire", f.Text)
	}
	line("slowest", sum.Slowest)
	line("replaced", sum.AtEnd(r.Outcome))
	for _, f := range sum.Unready {
		line("unready", f.Text)
	}
	for _, p := range sum.Unmoved {
		fmt.Fprintf(&b, "  left      %s/%s  %s%s\n", p.Namespace, p.Name, StateWord(p.State), lastWords(p))
	}
	b.WriteString(r.surgeLines() + r.remedyLines())
	line("requests", sum.Requests)
	line("then", r.afterwards())
	return b.String()
}

// mostNamed is how many nodes a command for them names.
const mostNamed = 5

// afterwards is the command for what comes after a drain, "" where no drained node is
// cordoned.
func (r Report) afterwards() string {
	var cordoned []string
	for _, n := range r.Nodes {
		if n.State == drain.NodeDrained && n.Cordoned && n.TakenOverBy == "" && len(n.Retire) == 0 {
			cordoned = append(cordoned, format.ShellWord(n.Name))
		}
	}
	undo := "rollback " + r.Run
	switch {
	case len(cordoned) == 0:
		return ""
	case len(cordoned) <= mostNamed:
		undo = "uncordon " + strings.Join(cordoned, " ")
	}
	return r.target.Line("kdrain-tui "+undo) + " once the work is done"
}

// working reports whether a process works on the run, as far as is known.
func working(r Report) bool {
	return r.Outcome == "" && r.Status != StatusSuspended && r.Status != StatusDead
}

func (r Report) nodeLine(n Node) string {
	line := NodeWord(n.State, working(r))
	if n.Message != "" {
		line += ": " + n.Message
	}
	if n.Cordoned && n.State != drain.NodeDrained && n.TakenOverBy == "" {
		line += fmt.Sprintf(" (it stays cordoned; undo: %s)",
			r.target.Line("kdrain-tui uncordon "+format.ShellWord(n.Name)))
	}
	return line
}

func (r Report) count(which func(Pod) bool) int {
	count := 0
	for _, n := range r.Nodes {
		for _, p := range n.Pods {
			if which(p) {
				count++
			}
		}
	}
	return count
}

// moves reports whether the run was to move the pod.
func moves(p Pod) bool { return isToGo(p.Action) }

func isToGo(a plan.Action) bool { return a == plan.ActionEvict || a == plan.ActionDelete }

func lastWords(p Pod) string {
	switch {
	case p.Message != "":
		return ": " + p.Message
	case p.BlockedSeconds >= 1 && p.mainCause() != "":
		return ", " + spell(p.BlockedSeconds) + " blocked: " + p.mainCause()
	case p.LastWords != "" && p.LastCode >= 300:
		return fmt.Sprintf(": %q", p.LastWords)
	}
	return ""
}

// spell returns a duration in seconds as text.
func spell(seconds float64) string {
	return format.Duration(time.Duration(seconds * float64(time.Second)))
}
