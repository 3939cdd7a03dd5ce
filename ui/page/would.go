package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/preflight"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/themes"
	"github.com/kdrain-tui/kdrain-tui/ui/paint"
)

// Preview is what a drain of one node would do.
type Preview struct {
	Plan plan.Node
	// Usual is the plan with the usual flags accepted, set where without them
	// they alone refuse pods.
	Usual            *plan.Node
	LastControlPlane bool
	// Costs are those of the whole plan of the node, nil until it was made.
	Costs *Costs
}

// Costs are what a drain of one node costs: from its whole plan, under the usual
// flags where Usual is set.
type Costs struct {
	Losses   plan.Losses
	Findings []plan.Finding // all but those that merely inform
}

// MakeCosts makes the whole plan of the node of a preview. Nothing is claimed where
// it cannot be made.
func MakeCosts(s *kube.Snapshot, p Preview, o plan.Options, now time.Time) *Costs {
	if p.Usual != nil {
		o = WithUsual(o)
	}
	planned, err := plan.New(s, []string{p.Plan.Name}, o, now)
	if err != nil {
		return nil
	}
	return &Costs{planned.Losses(), plan.Costs(preflight.Check(s, planned, preflight.Env{Now: now}).Findings)}
}

// losses are what is known to be lost: by the whole plan, until it is made by the
// preview.
func (p *Preview) losses() plan.Losses {
	switch {
	case p.Costs != nil:
		return p.Costs.Losses
	case p.Usual != nil:
		return p.Usual.Losses()
	}
	return p.Plan.Losses()
}

// UsualOnly tells whether all that is refused is refused for want of
// --ignore-daemonsets and --delete-emptydir-data.
func UsualOnly(nodes ...plan.Node) bool {
	refused := false
	for _, n := range nodes {
		for _, p := range n.Pods {
			if p.Action != plan.ActionRefuse {
				continue
			}
			refused = true
			for _, r := range p.Reasons {
				if r.Level == plan.LevelError && r.Code != plan.ReasonDaemonSet && r.Code != plan.ReasonEmptyDir {
					return false
				}
			}
		}
	}
	return refused
}

// WithUsual are the options with the usual flags accepted.
func WithUsual(o plan.Options) plan.Options {
	o.IgnoreDaemonSets, o.DeleteEmptyDirData = true, true
	return o
}

// MakePreview puts a preview together; plan is that of one node alone, as drain's
// Previews make it.
func MakePreview(s *kube.Snapshot, n *kube.Node, o plan.Options, plan func(string, plan.Options) plan.Node) Preview {
	p := Preview{Plan: plan(n.Name, o), LastControlPlane: len(preflight.LastControlPlane(s, n.Name)) > 0}
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
	losses := p.losses()
	grave := losses.Lost+losses.Nowhere > 0
	if p.Usual != nil {
		c := p.Usual.Counts()
		if grave && c.Never == 0 {
			return paint.L(themes.Bad, paint.Bad+" if allowed, "+losing(losses))
		}
		return paint.L(themes.Warning, paint.Warn+" if allowed, "+ifAllowed(c))
	}
	c := p.Plan.Counts()
	switch {
	case c.Refused > 0:
		return paint.L(themes.Bad, paint.Bad+" "+also("refuse "+Number(c.Refused), c.Never, "never"))
	case c.Never > 0:
		return paint.L(themes.Bad, paint.Bad+" "+also("move "+Number(c.Move), c.Never, "never"))
	case grave:
		return paint.L(themes.Bad, paint.Bad+" move "+Number(c.Move+c.Wait+c.Unknown)+", "+losing(losses))
	case c.Unknown > 0:
		return paint.L(themes.Warning, paint.Unknown+" move "+Number(c.Move+c.Unknown)+", budgets unseen")
	case c.Wait > 0:
		return paint.L(themes.Warning, paint.Wait+" "+moves(c))
	case c.Move == 0:
		return paint.L(themes.Good, paint.Good+" already empty")
	case losses.Data > 0:
		return paint.L(themes.Warning, paint.Warn+" move "+Number(c.Move)+", "+losing(losses))
	case p.Costs != nil && len(p.Costs.Findings) > 0:
		return paint.L(themes.Warning, paint.Warn+" "+moves(c))
	}
	return paint.L(themes.Good, paint.Good+" "+moves(c))
}

// losing names the losses in as few cells as the row has, the gravest first.
func losing(l plan.Losses) string {
	switch {
	case l.Lost > 0 && l.Nowhere > 0:
		return "lost " + Number(l.Lost) + ", nowhere " + Number(l.Nowhere)
	case l.Lost > 0:
		return "lost " + Number(l.Lost)
	case l.Nowhere > 0:
		return "nowhere " + Number(l.Nowhere)
	}
	return "data of " + Number(l.Data)
}

func ifAllowed(c plan.Counts) string {
	switch {
	case c.Never > 0:
		return "never " + Number(c.Never)
	case c.Move+c.Wait+c.Unknown == 0:
		return "empty"
	}
	return "move " + Number(c.Move+c.Wait+c.Unknown)
}

func moves(c plan.Counts) string {
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
	for _, l := range lossLines(p.losses()) {
		say(l[0].Token, l.String()+".")
	}
	say(themes.Text, holdUps(plan, now))
	if p.Costs != nil {
		for _, f := range p.Costs.Findings {
			if f.Code != preflight.FindingLastControlPlane { // which the sentence ends with
				say(findingToken(f), FirstUpper(f.Message)+".")
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
	messages, counts := []string{}, map[string]int{}
	for _, p := range n.Pods {
		if p.Action != plan.ActionRefuse {
			continue
		}
		for _, r := range p.Reasons {
			if r.Level == plan.LevelError {
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
func planWords(n plan.Node) string {
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

func stayWhy(n plan.Node) string {
	kinds := []string{}
	seen := map[string]bool{}
	for _, p := range n.Pods {
		if p.Action != plan.ActionSkip {
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
func holdUps(n plan.Node, now time.Time) string {
	for _, p := range n.Pods {
		if p.Budget == nil {
			continue
		}
		switch p.Budget.Verdict {
		case budget.VerdictWait, budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple, budget.VerdictSyncing:
			return FirstUpper(BudgetSentence(p.Namespace, p.Budget, now)) + "."
		}
	}
	return ""
}
