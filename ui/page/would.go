package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Preview is what a drain of one node would do.
type Preview struct {
	Plan drain.NodePlan
	// Usual is the plan with the usual flags accepted, set where without them
	// they alone refuse pods.
	Usual            *drain.NodePlan
	LastControlPlane bool
}

// UsualOnly tells whether all that is refused is refused for want of
// --ignore-daemonsets and --delete-emptydir-data.
func UsualOnly(nodes ...drain.NodePlan) bool {
	refused := false
	for _, n := range nodes {
		for _, p := range n.Pods {
			if p.Action != drain.ActionRefuse {
				continue
			}
			refused = true
			for _, r := range p.Reasons {
				if r.Level == drain.LevelError && r.Code != drain.ReasonDaemonSet && r.Code != drain.ReasonEmptyDir {
					return false
				}
			}
		}
	}
	return refused
}

// WithUsual are the options with the usual flags accepted.
func WithUsual(o drain.Options) drain.Options {
	o.IgnoreDaemonSets, o.DeleteEmptyDirData = true, true
	return o
}

// MakePreview puts a preview together; plan is that of one node alone, as drain's
// Previews make it.
func MakePreview(s *kube.Snapshot, n *kube.Node, o drain.Options, plan func(string, drain.Options) drain.NodePlan) Preview {
	p := Preview{Plan: plan(n.Name, o), LastControlPlane: lastControlPlane(s, n)}
	if UsualOnly(p.Plan) {
		usual := plan(n.Name, WithUsual(o))
		p.Usual = &usual
	}
	return p
}

// Would says in a few words what a drain of the node would do.
func Would(n *kube.Node, p *Preview, now time.Time) paint.Line {
	switch {
	case p == nil:
		return paint.L(themes.Muted, paint.Ellipsis)
	case n.Ready != kube.NodeReady:
		return paint.L(themes.Bad, paint.Unknown+" "+Silent(n, now))
	case p.LastControlPlane:
		return paint.L(themes.Warning, paint.Warn+" last control plane")
	}
	if p.Usual != nil {
		return paint.L(themes.Warning, paint.Warn+" if allowed, "+ifAllowed(p.Usual.Counts()))
	}
	c := p.Plan.Counts()
	switch {
	case c.Refused > 0:
		return paint.L(themes.Bad, paint.Bad+" "+also("refuse "+Number(c.Refused), c.Never, "never"))
	case c.Never > 0:
		return paint.L(themes.Bad, paint.Bad+" "+also("move "+Number(c.Move), c.Never, "never"))
	case c.Unknown > 0:
		return paint.L(themes.Warning, paint.Unknown+" move "+Number(c.Move+c.Unknown)+", budgets unseen")
	case c.Wait > 0:
		return paint.L(themes.Warning, paint.Wait+" "+moves(c))
	case c.Move == 0:
		return paint.L(themes.Good, paint.Good+" already empty")
	}
	return paint.L(themes.Good, paint.Good+" "+moves(c))
}

func ifAllowed(c drain.Counts) string {
	switch {
	case c.Never > 0:
		return "never " + Number(c.Never)
	case c.Move+c.Wait+c.Unknown == 0:
		return "empty"
	}
	return "move " + Number(c.Move+c.Wait+c.Unknown)
}

func moves(c drain.Counts) string {
	s := "move " + Number(c.Move)
	switch {
	case c.Never > 0:
		s += ", never " + Number(c.Never)
	case c.Wait > 0:
		s += ", wait for " + Number(c.Wait)
	case c.Stay > 0:
		s += ", leave " + Number(c.Stay)
	}
	return s
}

func also(s string, n int, word string) string {
	if n == 0 {
		return s
	}
	return s + ", " + word + " " + Number(n)
}

// NodeSentence is everything about the node that the table has no room for.
func NodeSentence(n *kube.Node, p *Preview, now time.Time) paint.Line {
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
	if silent := Silent(n, now); silent != "" {
		say(themes.Bad, FirstUpper(silent)+": nobody there confirms that a pod ended.")
		if n.ReadyMessage != "" {
			say(themes.Muted, Quote(n.ReadyMessage)+".")
		}
	}
	say(themes.Warning, CordonedBy(n, now))
	if p == nil {
		return l
	}
	plan := p.Plan
	if p.Usual != nil {
		say(themes.Warning, refusals(p.Plan)+" Accept that with a; then "+planWords(*p.Usual)+".")
		plan = *p.Usual
	} else {
		if refused := refusals(p.Plan); refused != "" {
			say(themes.Bad, refused)
		}
		say(themes.Text, FirstUpper(planWords(plan))+".")
	}
	say(themes.Text, holdUps(plan, now))
	if p.LastControlPlane {
		say(themes.Warning, "It is the last control plane that is Ready.")
	}
	return l
}

// refusals says which pods are refused, in kubectl's words.
func refusals(n drain.NodePlan) string {
	messages, counts := []string{}, map[string]int{}
	for _, p := range n.Pods {
		if p.Action != drain.ActionRefuse {
			continue
		}
		for _, r := range p.Reasons {
			if r.Level == drain.LevelError {
				if counts[r.Message]++; counts[r.Message] == 1 {
					messages = append(messages, r.Message)
				}
				break
			}
		}
	}
	if len(messages) == 0 {
		return ""
	}
	for i, m := range messages {
		messages[i] = fmt.Sprintf("%s %s", Count(counts[m], "pod"), Quote(m))
	}
	return "Refused: " + strings.Join(messages, ", ") + "."
}

// planWords is what happens to the pods, in one clause.
func planWords(n drain.NodePlan) string {
	c := n.Counts()
	var parts []string
	part := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, Number(n)+" "+many)
		}
	}
	part(c.Move, "pod moves", "pods move")
	part(c.Unknown, "pod is evicted without sight of its budget", "pods are evicted without sight of their budgets")
	part(c.Wait, "waits for a budget", "wait for a budget")
	part(c.Never, "is never let go by its budget", "are never let go by their budgets")
	part(c.Stay, "stays"+stayWhy(n), "stay"+stayWhy(n))
	if len(parts) == 0 {
		return "there is nothing on it to move"
	}
	return strings.Join(parts, ", ")
}

func stayWhy(n drain.NodePlan) string {
	kinds := []string{}
	seen := map[string]bool{}
	for _, p := range n.Pods {
		if p.Action != drain.ActionSkip {
			continue
		}
		if why := stayReason(p); why != "" && !seen[why] {
			seen[why] = true
			kinds = append(kinds, why)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return " (" + List(kinds, 3) + ")"
}

// holdUps names the first budget that holds pods, with its figures and the
// pod that is the reason.
func holdUps(n drain.NodePlan, now time.Time) string {
	for _, p := range n.Pods {
		if p.Budget == nil {
			continue
		}
		switch p.Budget.Verdict {
		case drain.VerdictWait, drain.VerdictNever, drain.VerdictDeadlock, drain.VerdictMultiple, drain.VerdictSyncing:
			return FirstUpper(BudgetSentence(p.Namespace, p.Budget, now)) + "."
		}
	}
	return ""
}
