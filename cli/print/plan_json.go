package print

import (
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/verdict"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// planSchema is the schema of `plan -o json`.
const planSchema = "kdrain-tui/plan/v1"

// The types below are the contract of `plan -o json`: new fields may come, the
// meaning of one never changes within a version.
type planJSON struct {
	Schema    string        `json:"schema"`
	Context   string        `json:"context"`
	Server    string        `json:"server"`
	TakenAt   time.Time     `json:"takenAt"`
	Options   plan.Options  `json:"options"`
	Nodes     []nodeJSON    `json:"nodes"`
	Findings  []findingJSON `json:"findings"`
	Drainable *bool         `json:"drainable"`
	Verdict   verdictJSON   `json:"verdict"`
	Waves     wavesJSON     `json:"waves"`
	Estimate  *estimateJSON `json:"estimate"`
	Surges    []surgeJSON   `json:"surges,omitempty"` // with --surge
}

// verdictJSON is how a drain of the plan would end: what colours the plan on the dashboard and ends its text.
type verdictJSON struct {
	End   verdict.End `json:"end"`
	Level plan.Level  `json:"level"`
	Text  string      `json:"text"`
}

// wavesJSON is in which order the pods go, over all nodes of the plan.
type wavesJSON struct {
	Now     int         `json:"now"`
	Later   []laterJSON `json:"later"`
	Last    int         `json:"last,omitempty"` // after all others of their node (--evict-daemonsets)
	Held    int         `json:"blocked"`        // until something passes that no drain brings about
	Never   int         `json:"never"`          // as their budgets stand
	Unknown int         `json:"unknown"`
	Left    int         `json:"onRefusedNodes"` // on nodes that are refused, and so left untouched
}

type laterJSON struct {
	Pods  int      `json:"pods"`
	After []string `json:"after"` // budgets whose pods have to be Ready before
	// LowerOrder tells that pods of a lower order of a MachineDrainRule have to leave before.
	LowerOrder bool `json:"lowerOrder,omitempty"`
}

// estimateJSON is how long the evictions take, counted from the first. It is a
// guess, the lower bound is not.
type estimateJSON struct {
	TotalSeconds      float64 `json:"totalSeconds"`
	LowerBoundSeconds float64 `json:"lowerBoundSeconds"` // of grace periods alone
	LongestGrace      string  `json:"longestGrace"`      // the pod it comes from, or ""
	Because           string  `json:"because"`
	Waves             []int   `json:"waves"`   // as played through: pods that go at once, next, ...
	Held              int     `json:"blocked"` // pods that would not go in the cluster as it is
	Rough             bool    `json:"rough"`   // counted only: too large to be played through
	// Nodes are when pods leave each node from which some do; none where it is rough.
	Nodes []nodeSpanJSON `json:"nodes"`
}

// nodeSpanJSON is from the first eviction on a node until its last pod has left that nothing holds for good.
type nodeSpanJSON struct {
	Name         string  `json:"name"`
	FromSeconds  float64 `json:"fromSeconds"`
	UntilSeconds float64 `json:"untilSeconds"`
}

type nodeJSON struct {
	Name          string    `json:"name"`
	UID           string    `json:"uid"`
	Ready         bool      `json:"ready"`
	Unschedulable bool      `json:"unschedulable"`
	Drainable     *bool     `json:"drainable"`
	Pods          []podJSON `json:"pods"`
}

type podJSON struct {
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	UID       string          `json:"uid"`
	Owner     string          `json:"owner"`
	Action    plan.Action     `json:"action"`
	Reasons   []plan.Reason   `json:"reasons"`
	Fate      string          `json:"fate"`    // the effects in words
	Effects   []effectJSON    `json:"effects"` // how it leaves and what that costs, the gravest first
	Budget    *budgetJSON     `json:"budget"`
	Wave      *int            `json:"wave"`
	Order     int32           `json:"drainOrder,omitempty"` // of a MachineDrainRule: lower ones leave the node first
	Landing   *landingJSON    `json:"landing"`
	NotRemade string          `json:"notRemade,omitempty"` // why it is not recreated
	Pinned    string          `json:"pinned,omitempty"`    // a volume that no node beside those of the plan can reach
	Advice    []budget.Advice `json:"advice,omitempty"`    // what would help, the least harmful first
}

type effectJSON struct {
	plan.Effect
	Level plan.Level `json:"level"`
}

type budgetJSON struct {
	Verdict      budget.Verdict       `json:"verdict"`
	Names        []string             `json:"names"`
	Why          string               `json:"why"`
	Budgets      []budget.Numbers     `json:"budgets,omitempty"`
	UnhealthyPod *budget.UnhealthyPod `json:"unhealthyPod,omitempty"`
}

type landingJSON struct {
	Answer   string `json:"answer"`
	Why      string `json:"why"`
	Together string `json:"together"`
}

type findingJSON struct {
	Code    string          `json:"code"`
	Level   plan.Level      `json:"level"`
	Message string          `json:"message"`
	Objects []string        `json:"objects"`
	Advice  []budget.Advice `json:"advice,omitempty"`
}

func projectPlan(id conn.Identity, plan plan.Plan) planJSON {
	v := verdict.Of(&plan)
	out := planJSON{
		Schema: planSchema, Context: id.Context, Server: id.Server, TakenAt: plan.TakenAt.UTC(),
		Options: plan.Options,
		Nodes:   []nodeJSON{}, Findings: []findingJSON{}, Drainable: v.Completes(), Verdict: verdictJSON{v.End, v.Level(), v.Head + v.Tail},
		Waves: projectWaves(plan.Waves()), Estimate: projectEstimate(plan.Estimate), Surges: projectSurges(plan),
	}
	for _, n := range plan.Nodes {
		out.Nodes = append(out.Nodes, projectNode(n))
	}
	for _, f := range plan.Findings {
		out.Findings = append(out.Findings, findingJSON{
			Code: f.Code, Level: f.Level, Message: f.Message, Objects: orEmpty(f.Objects), Advice: f.Advice,
		})
	}
	return out
}

func projectWaves(t plan.Waves) wavesJSON {
	out := wavesJSON{Now: t.Now, Last: t.Last, Held: t.Held, Never: t.Never, Unknown: t.Unknown, Left: t.Left,
		Later: []laterJSON{}}
	for _, turn := range t.Later {
		after := slices.DeleteFunc(slices.Clone(turn.Of), func(of string) bool { return of == "" })
		out.Later = append(out.Later, laterJSON{turn.Pods, orEmpty(after), len(after) < len(turn.Of)})
	}
	return out
}

func projectEstimate(e *plan.Estimate) *estimateJSON {
	if e == nil {
		return nil
	}
	out := &estimateJSON{
		TotalSeconds: e.Total.Seconds(), LowerBoundSeconds: e.LowerBound.Seconds(), LongestGrace: e.Longest,
		Because: e.Because, Waves: orEmpty(e.Waves), Held: e.Held, Rough: e.Rough, Nodes: []nodeSpanJSON{},
	}
	for _, n := range e.Nodes {
		out.Nodes = append(out.Nodes, nodeSpanJSON{n.Node, n.From.Seconds(), n.Until.Seconds()})
	}
	return out
}

func projectNode(n plan.Node) nodeJSON {
	out := nodeJSON{
		Name: n.Name, UID: string(n.UID), Ready: n.Ready, Unschedulable: n.Unschedulable,
		Drainable: verdict.OfNode(&n).Completes(), Pods: []podJSON{},
	}
	for _, p := range n.Pods {
		out.Pods = append(out.Pods, projectPod(p))
	}
	return out
}

func projectPod(p plan.Pod) podJSON {
	out := podJSON{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID), Owner: p.Owner,
		Action: p.Action, Reasons: orEmpty(p.Reasons), Fate: p.Effects().String(), NotRemade: p.NotRemade,
		Pinned: p.Pinned, Advice: p.Advice, Order: p.Order,
	}
	for _, e := range p.Effects() {
		out.Effects = append(out.Effects, effectJSON{e, e.Kind.Level()})
	}
	if p.Wave > 0 {
		out.Wave = &p.Wave
	}
	if b := p.Budget; b != nil && p.Action != plan.ActionSkip {
		out.Budget = &budgetJSON{
			Verdict: b.Verdict, Names: orEmpty(b.Names), Why: p.BudgetWhy(), Budgets: b.Budgets,
			UnhealthyPod: utcUnhealthyPod(b.UnhealthyPod),
		}
	}
	if l := p.Landing; l != nil {
		out.Landing = &landingJSON{Answer: string(l.Answer), Why: l.Why, Together: string(l.Together.Answer)}
	}
	return out
}

func utcUnhealthyPod(s *budget.UnhealthyPod) *budget.UnhealthyPod {
	if s == nil || s.Since.IsZero() {
		return s
	}
	utc := *s
	utc.Since = s.Since.UTC()
	return &utc
}

// orEmpty is the list itself, and [] instead of null where there is none.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
