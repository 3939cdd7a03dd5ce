package verdict

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
)

// Counts sums a plan or a node of it up by the effects on its pods. A pod counts for each of its
// effects.
type Counts struct {
	of      [plan.EffectKinds]int
	leaving int
}

// Of is how many pods have that effect.
func (c Counts) Of(k plan.EffectKind) int { return c.of[k] }

// Leaving counts the pods that are to leave.
func (c Counts) Leaving() int { return c.leaving }

// OfNode sums the pods of a node up.
func OfNode(n *plan.Node) Counts { return count(n, n.Refused()) }

func count(n *plan.Node, refused bool) Counts {
	var c Counts
	for i := range n.Pods {
		p := &n.Pods[i]
		if refused && p.Moves() {
			c.of[plan.Untouched]++
			continue
		}
		for _, e := range p.Effects() {
			c.of[e.Kind]++
		}
		if p.Moves() {
			c.leaving++
		}
	}
	return c
}

// OfPlan sums the pods of the whole plan up.
func OfPlan(p *plan.Plan) Counts {
	var sum Counts
	refused := p.Refused()
	for i := range p.Nodes {
		n := &p.Nodes[i]
		sum.sum(count(n, slices.ContainsFunc(refused, func(r plan.RefusedNode) bool { return r.Node == n.Name })))
	}
	return sum
}

func (c *Counts) sum(of Counts) {
	for k := range c.of {
		c.of[k] += of.of[k]
	}
	c.leaving += of.leaving
}

// AddCosts counts what a pod cost that has left.
func (c *Counts) AddCosts(costs []plan.EffectKind) {
	for _, k := range costs {
		c.of[k]++
	}
}

// Level is that of the gravest effect.
func (c Counts) Level() plan.Level {
	for k, n := range c.of {
		if n > 0 {
			return plan.EffectKind(k).Level()
		}
	}
	return plan.LevelInfo
}

// Completes reports whether the drain of these pods would end by itself, nil where that is not known.
func (c Counts) Completes() *bool {
	yes := c.of[plan.Refused]+c.of[plan.Stuck]+c.of[plan.Blocked] == 0
	if yes && c.of[plan.Unseen] > 0 {
		return nil
	}
	return &yes
}

// CountWords is one of several counts in words, such as "8 move", and how grave it is.
type CountWords struct {
	Text  string
	Level plan.Level
}

// Words are the counts without zeros, the gravest first. All faces count with them.
func (c Counts) Words() []CountWords {
	all := c.words(func(plan.EffectKind) bool { return true })
	if len(all) == 0 {
		return []CountWords{{"no pods", plan.LevelInfo}}
	}
	return all
}

// Costs are the words of what is lost, nil where nothing is.
func (c Counts) Costs() []string { return texts(c.words(plan.EffectKind.Cost)) }

// obstacles are the words of what keeps the drain from its end, nil where nothing does.
func (c Counts) obstacles() []string {
	return texts(c.words(func(k plan.EffectKind) bool { return k <= plan.Blocked }))
}

func (c Counts) words(of func(plan.EffectKind) bool) (all []CountWords) {
	for i, n := range c.of {
		if k := plan.EffectKind(i); n > 0 && of(k) {
			all = append(all, CountWords{k.Count(n), k.Level()})
		}
	}
	return all
}

func texts(counts []CountWords) (all []string) {
	for _, c := range counts {
		all = append(all, c.Text)
	}
	return all
}
