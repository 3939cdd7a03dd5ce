package nodes

import (
	"cmp"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/format"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

func findingToken(f plan.Finding) paint.Token {
	if f.Level == plan.LevelError {
		return themes.Bad
	}
	return themes.Warning
}

// wouldLine says in a few words what a drain of the node would do.
func wouldLine(n *kube.Node, p *preview, width int, now time.Time) paint.Line {
	switch {
	case p == nil:
		return paint.L(themes.Muted, paint.Ellipsis)
	case n.Ready != kube.NodeReady && p.Counts.Of(plan.Stuck) == 0:
		return paint.L(themes.Bad, paint.Unknown+" "+silent(n, now))
	case p.LastControlPlane:
		return paint.L(themes.Warning, paint.Warn+" last control plane")
	case p.Counts.Leaving()+p.Counts.Of(plan.Refused) == 0:
		return paint.L(themes.Good, paint.Good+" already empty")
	case !p.good() && p.Counts.Level() == plan.LevelInfo:
		return append(paint.L(themes.Warning, paint.Warn+" "), wording.Counts(p.Counts, width-2)...)
	}
	token, glyph := wording.CountsMark(p.Counts)
	l := append(paint.L(token, glyph+" "), wording.Counts(p.Counts, width-2)...)
	why := silent(n, now)
	if with := l.Add(themes.Muted, paint.Dot).Add(themes.Bad, why); why != "" && with.Width() <= width {
		return with
	}
	return l
}

// Nodes are sorted by what a drain would do only where these are so few that each is previewed at once.
const (
	wouldSort  = "would"
	wouldNodes = 500
)

// byWould compares two nodes by what a drain of them would do, the worst first; those without a preview are last.
func (m *Page) byWould() func(a, b *kube.Node) int {
	rank := func(n *kube.Node) int {
		p := m.preview(n.Name, m.s.Flags)
		switch {
		case p == nil:
			return 6
		case n.Ready != kube.NodeReady:
			return 0
		case p.LastControlPlane:
			return 1
		case p.Counts.Level() == plan.LevelError:
			return 2
		case !p.good():
			return 3
		case p.Counts.Leaving() > 0:
			return 4
		}
		return 5
	}
	return func(a, b *kube.Node) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name, b.Name)) }
}

// nodeSentence is everything about the node that the table has no room for.
func nodeSentence(n *kube.Node, held *lease.Hold, p *preview, now time.Time) paint.Line {
	var l paint.Line
	say := func(token paint.Token, s string) {
		if s == "" {
			return
		}
		if len(l) > 0 {
			s = " " + s
		}
		l = l.Add(token, s)
	}
	if silent := silent(n, now); silent != "" {
		say(themes.Bad, wording.FirstUpper(silent)+": nothing there confirms that a pod ended.")
		if n.ReadyMessage != "" {
			say(themes.Muted, format.Quote(n.ReadyMessage)+".")
		}
	}
	if held != nil {
		say(themes.Busy, "Held by "+held.Words+".")
	}
	say(themes.Warning, wording.CordonedBy(n, now))
	if p == nil {
		return l
	}
	if refused := refusals(p.Plan); refused != "" {
		say(themes.Bad, refused)
	}
	if len(l) > 0 {
		l = l.Add(themes.Text, " ")
	}
	l = append(append(l, countsInFull(p)...), paint.S(themes.Text, "."))
	say(themes.Text, holdUps(p.Plan, now))
	if p.Costs != nil {
		for _, f := range p.Costs.Findings {
			if f.Code != preflight.FindingLastControlPlane { // which the sentence ends with
				say(findingToken(f), wording.Sentence(f.Message))
			}
		}
	}
	if p.LastControlPlane {
		say(themes.Warning, "It is the last control plane that is Ready.")
	}
	return l
}

// refusals says which pods are refused, in kubectl's words.
func refusals(n plan.Node) string {
	var parts []string
	for _, r := range n.Refusals() {
		parts = append(parts, format.Count(len(r.Pods), "pod")+", "+r.Brief)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Refused: " + strings.Join(parts, "; ") + "."
}

// countsInFull are the counts of a preview, with why pods stay.
func countsInFull(p *preview) paint.Line {
	if len(p.Plan.Pods) == 0 {
		return paint.T("No pod is on it")
	}
	l := wording.Counts(p.Counts, 0)
	if p.Counts.Of(plan.Stays) > 0 { // which are the last of them
		l = l.Add(themes.Text, stayWhy(p.Plan))
	}
	return l
}

func stayWhy(n plan.Node) string {
	kinds := []string{}
	seen := map[string]bool{}
	for _, p := range n.Pods {
		if p.Action != plan.ActionSkip {
			continue
		}
		if why := wording.StayReason(p); why != "" && !seen[why] {
			seen[why] = true
			kinds = append(kinds, why)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return " (" + format.List(kinds, 3) + ")"
}

// holdUps names the first budget that holds pods, with its figures and the
// pod that is the reason.
func holdUps(n plan.Node, now time.Time) string {
	for _, p := range n.Pods {
		if p.Budget == nil {
			continue
		}
		switch p.Budget.Verdict {
		case budget.VerdictWait, budget.VerdictManaged, budget.VerdictNever, budget.VerdictDeadlock,
			budget.VerdictMultiple, budget.VerdictSyncing:
			return wording.FirstUpper(wording.BudgetSentence(&p, now)) + "."
		}
	}
	return ""
}
