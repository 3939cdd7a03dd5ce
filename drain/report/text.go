package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
)

// Text is the report for a person: what stays on the terminal after a run.
func (r Report) Text() string {
	var b strings.Builder
	b.WriteString(r.headline() + "\n")
	if words := r.lastKnown(); words != "" {
		b.WriteString("  away      " + words + "\n")
	}
	for _, n := range r.Nodes {
		if n.State != drain.NodeDrained || n.Message != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", n.Name, r.nodeLine(n))
		}
	}
	b.WriteString(r.costLines())
	b.WriteString(r.volumeLines())
	if slow := r.slowest(); slow != nil {
		fmt.Fprintf(&b, "  slowest   %s/%s  %s", slow.Namespace, slow.Name, spell(slow.DurationSeconds))
		if slow.BlockedSeconds >= 1 {
			fmt.Fprintf(&b, ", of which %s blocked", spell(slow.BlockedSeconds))
			if why := slow.mainCause(); why != "" {
				b.WriteString(": " + why)
			}
		}
		b.WriteString("\n")
	}
	for _, p := range r.unmoved() {
		fmt.Fprintf(&b, "  left      %s/%s  %s%s\n", p.Namespace, p.Name, p.State, lastWords(p))
	}
	b.WriteString(r.rungLines())
	fmt.Fprintf(&b, "  requests  %s sent for %s, %s\n",
		plural(r.Requests[drain.VerbEvict]+r.Requests[drain.VerbDelete], "eviction or deletion", "evictions and deletions"),
		plural(r.count(moves), "pod", "pods"),
		plural(r.Requests[drain.VerbCordon]+r.Requests[drain.VerbUncordon]+r.Requests[drain.VerbLook]+r.rungRequests(), "other", "others"))
	return b.String()
}

func (r Report) headline() string {
	names := make([]string, len(r.Nodes))
	for i, n := range r.Nodes {
		names[i] = n.Name
	}
	gone := r.count(func(p Pod) bool { return moves(p) && p.State.Left() })
	counts := fmt.Sprintf("%d of %s gone", gone, plural(r.count(moves), "pod", "pods"))
	took := spell(r.DurationSeconds)
	switch r.Outcome {
	case drain.OutcomeDone:
		if len(r.Losses) > 0 {
			return fmt.Sprintf("▲ Drained %s in %s. %s.", join(names), took, counts)
		}
		return fmt.Sprintf("✔ Drained %s in %s. %s.", join(names), took, counts)
	case drain.OutcomeAborted:
		return fmt.Sprintf("■ Aborted after %s: %s. %s.", took, join(names), counts)
	case drain.OutcomeRefused:
		return "✖ Refused: nothing was changed."
	case "":
		if r.Status == StatusDead {
			return fmt.Sprintf("■ Cut short after %s: %s. %s.", took, join(names), counts)
		}
		if r.Status == StatusSuspended {
			return fmt.Sprintf("■ Suspended after %s: %s. %s.", took, join(names), counts)
		}
		return fmt.Sprintf("▶ Draining %s for %s. %s.", join(names), took, counts)
	}
	return fmt.Sprintf("✖ Not all drained after %s: %s. %s.", took, cmp.Or(r.Message, join(names)), counts)
}

// costLines say what the run cost, and what its plan warned of.
func (r Report) costLines() string {
	var b strings.Builder
	if len(r.Losses) > 0 {
		fmt.Fprintf(&b, "  cost      of the pods that are gone, by the plan: %s\n", strings.Join(r.Losses, ", "))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Level, f.Message)
	}
	return b.String()
}

func (r Report) nodeLine(n Node) string {
	line := strings.ToLower(string(n.State))
	if n.Message != "" {
		line += ": " + n.Message
	}
	if n.Cordoned && n.State != drain.NodeDrained && n.TakenOverBy == "" {
		line += fmt.Sprintf(" (it stays cordoned; undo: %s)", r.target.Line("kdrain-tui uncordon "+words.ShellWord(n.Name)))
	}
	return line
}

// slowest is the pod that took longest to leave, nil if none did.
func (r Report) slowest() *Pod {
	var slow *Pod
	for i := range r.Nodes {
		for j := range r.Nodes[i].Pods {
			p := &r.Nodes[i].Pods[j]
			if p.State.Left() && moves(*p) && (slow == nil || p.DurationSeconds > slow.DurationSeconds) {
				slow = p
			}
		}
	}
	return slow
}

// unmoved are the pods of nodes that were begun and that have not left.
func (r Report) unmoved() []Pod {
	var pods []Pod
	for _, n := range r.Nodes {
		if n.State == drain.NodeRefused {
			continue
		}
		for _, p := range n.Pods {
			if moves(p) && !p.State.Left() {
				pods = append(pods, p)
			}
		}
	}
	slices.SortStableFunc(pods, func(a, b Pod) int { return cmp.Compare(b.BlockedSeconds, a.BlockedSeconds) })
	return pods
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

// moves tells whether the run was to move the pod.
func moves(p Pod) bool { return isToGo(p.Action) }

func isToGo(a plan.Action) bool { return a == plan.ActionEvict || a == plan.ActionDelete }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

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

func join(names []string) string {
	switch len(names) {
	case 0:
		return "nothing"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// spell is a duration as a person says it: 0.4s, 12s, 2m 04s.
func spell(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}
