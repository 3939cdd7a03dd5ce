package nodes

import (
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
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

// preview is what a drain of one node would do.
type preview struct {
	Plan plan.Node
	// Usual is the plan with the usual flags accepted, set where without them
	// they alone refuse pods.
	Usual            *plan.Node
	LastControlPlane bool
	// Costs are those of the whole plan of the node, nil until it was made.
	Costs *costs
}

// costs are what a drain of one node costs: from its whole plan, under the usual
// flags where Usual is set.
type costs struct {
	Losses   plan.Losses
	Findings []plan.Finding // all but those that merely inform
}

// makeCosts makes the whole plan of the node of a preview. Nothing is claimed where
// it cannot be made.
func makeCosts(s *kube.Snapshot, p preview, o plan.Options, now time.Time) *costs {
	if p.Usual != nil {
		o = wording.WithUsual(o)
	}
	planned, err := plan.New(s, []string{p.Plan.Name}, o, now)
	if err != nil {
		return nil
	}
	return &costs{planned.Losses(), plan.Costs(preflight.Check(s, planned, preflight.Env{Now: now}).Findings)}
}

// losses are what is known to be lost: by the whole plan, until it is made by the
// preview.
func (p *preview) losses() plan.Losses {
	switch {
	case p.Costs != nil:
		return p.Costs.Losses
	case p.Usual != nil:
		return p.Usual.Losses()
	}
	return p.Plan.Losses()
}

// makePreview puts a preview together; plan is that of one node alone, as drain's
// Previews make it.
func makePreview(s *kube.Snapshot, n *kube.Node, o plan.Options, plan func(string, plan.Options) plan.Node) preview {
	p := preview{Plan: plan(n.Name, o), LastControlPlane: len(checklist.LastControlPlane(s, n.Name)) > 0}
	if wording.UsualOnly(p.Plan) {
		usual := plan(n.Name, wording.WithUsual(o))
		p.Usual = &usual
	}
	return p
}

// wouldLine says in a few words what a drain of the node would do.
func wouldLine(n *kube.Node, p *preview, now time.Time) paint.Line {
	switch {
	case p == nil:
		return paint.L(themes.Muted, paint.Ellipsis)
	case n.Ready != kube.NodeReady:
		return paint.L(themes.Bad, paint.Unknown+" "+silent(n, now))
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
		return paint.L(themes.Bad, paint.Bad+" "+also("refuse "+wording.Number(c.Refused), c.Never, "never"))
	case c.Never > 0:
		return paint.L(themes.Bad, paint.Bad+" "+also("move "+wording.Number(c.Move), c.Never, "never"))
	case grave:
		return paint.L(themes.Bad, paint.Bad+" move "+wording.Number(c.Move+c.Wait+c.Unknown)+", "+losing(losses))
	case c.Unknown > 0:
		return paint.L(themes.Warning, paint.Unknown+" move "+wording.Number(c.Move+c.Unknown)+", budgets unseen")
	case c.Wait > 0:
		return paint.L(themes.Warning, paint.Wait+" "+moves(c))
	case c.Move == 0:
		return paint.L(themes.Good, paint.Good+" already empty")
	case losses.Data > 0:
		return paint.L(themes.Warning, paint.Warn+" move "+wording.Number(c.Move)+", "+losing(losses))
	case p.Costs != nil && len(p.Costs.Findings) > 0:
		return paint.L(themes.Warning, paint.Warn+" "+moves(c))
	}
	return paint.L(themes.Good, paint.Good+" "+moves(c))
}

// losing names the losses in as few cells as the row has, the gravest first.
func losing(l plan.Losses) string {
	switch {
	case l.Lost > 0 && l.Nowhere > 0:
		return "lost " + wording.Number(l.Lost) + ", nowhere " + wording.Number(l.Nowhere)
	case l.Lost > 0:
		return "lost " + wording.Number(l.Lost)
	case l.Nowhere > 0:
		return "nowhere " + wording.Number(l.Nowhere)
	}
	return "data of " + wording.Number(l.Data)
}

func ifAllowed(c plan.Counts) string {
	switch {
	case c.Never > 0:
		return "never " + wording.Number(c.Never)
	case c.Move+c.Wait+c.Unknown == 0:
		return "empty"
	}
	return "move " + wording.Number(c.Move+c.Wait+c.Unknown)
}

func moves(c plan.Counts) string {
	s := "move " + wording.Number(c.Move)
	switch {
	case c.Never > 0:
		s += ", never " + wording.Number(c.Never)
	case c.Wait > 0:
		s += ", wait for " + wording.Number(c.Wait)
	case c.Stay > 0:
		s += ", leave " + wording.Number(c.Stay)
	}
	return s
}

func also(s string, n int, word string) string {
	if n == 0 {
		return s
	}
	return s + ", " + word + " " + wording.Number(n)
}

// nodeSentence is everything about the node that the table has no room for.
func nodeSentence(n *kube.Node, p *preview, now time.Time) paint.Line {
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
			say(themes.Muted, wording.Quote(n.ReadyMessage)+".")
		}
	}
	say(themes.Warning, cordonedBy(n, now))
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
		say(themes.Text, wording.FirstUpper(planWords(plan))+".")
	}
	for _, l := range wording.LossLines(p.losses()) {
		say(l[0].Token, l.String()+".")
	}
	say(themes.Text, holdUps(plan, now))
	if p.Costs != nil {
		for _, f := range p.Costs.Findings {
			if f.Code != preflight.FindingLastControlPlane { // which the sentence ends with
				say(findingToken(f), wording.FirstUpper(f.Message)+".")
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
		parts = append(parts, wording.Count(len(r.Pods), "pod")+" "+wording.Quote(r.Message))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Refused: " + strings.Join(parts, ", ") + "."
}

// planWords is what happens to the pods, in one clause.
func planWords(n plan.Node) string {
	c := n.Counts()
	var parts []string
	part := func(n int, one, many string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, wording.Number(n)+" "+many)
		}
	}
	part(c.Move, "pod moves", "pods move")
	part(c.Unknown, "pod is evicted with unknown budgets", "pods are evicted with unknown budgets")
	part(c.Wait, "waits for a budget", "wait for a budget")
	part(c.Never, "can never be evicted under its budget", "are never let go by their budgets")
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
		if why := wording.StayReason(p); why != "" && !seen[why] {
			seen[why] = true
			kinds = append(kinds, why)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return " (" + wording.List(kinds, 3) + ")"
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
			return wording.FirstUpper(wording.BudgetSentence(&p, now)) + "."
		}
	}
	return ""
}
