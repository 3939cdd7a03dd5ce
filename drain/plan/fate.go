package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Fate is what becomes of a pod of a plan: how it leaves its node, and the gravest
// of what its drain costs. Screens, text and JSON say it by String.
type Fate struct {
	Leaves Leaving
	Loss   Loss
}

// Leaving is whether and how a pod leaves its node.
type Leaving string

// The ways of leaving.
const (
	Stays        Leaving = "stays"
	Refused      Leaving = "refused"
	Moves        Leaving = "moves"
	LeavesLast   Leaving = "leaves last" // after all others of its node, where it is recreated
	Waits        Leaving = "waits"       // its budget does not let it go now
	Blocked      Leaving = "blocked"     // its budgets as they stand never allow it
	LeavesUnseen Leaving = "unknown"     // its budgets cannot be seen
	Deleted      Leaving = "deleted"     // past its budgets
)

// Loss is what the drain of a pod costs beside its restart; "" for nothing that is
// known.
type Loss string

// The losses.
const (
	LossRoom  Loss = "room"    // estimated: moved with the others, it may not fit
	LossData  Loss = "data"    // an emptyDir, an ephemeral volume, the record of a finished pod
	LossDown  Loss = "down"    // its workload has no other healthy pod until the replacement is Ready
	LossPlace Loss = "nowhere" // its replacement starts nowhere
	LossPod   Loss = "lost"    // no controller makes a replacement
)

// String is the fate in the words of all faces.
func (f Fate) String() string {
	switch f.Loss {
	case LossPod:
		return "lost"
	case LossPlace:
		return "lands nowhere"
	case LossDown:
		if f.Leaves == Moves {
			return "down until Ready"
		}
		return string(f.Leaves) + ", down until Ready"
	case LossData:
		return string(f.Leaves) + ", data deleted"
	}
	return string(f.Leaves)
}

// Level is how grave the fate is: info only where nothing is lost and nothing is in
// the way.
func (f Fate) Level() Level {
	switch {
	case f.Leaves == Refused, f.Leaves == Blocked, f.Loss == LossPod, f.Loss == LossPlace:
		return LevelError
	case f.Loss != "", f.Leaves == Waits, f.Leaves == LeavesUnseen, f.Leaves == Deleted:
		return LevelWarning
	}
	return LevelInfo
}

// Rank orders fates by how much they need a look, the gravest first.
func (f Fate) Rank() int {
	ranks := []bool{f.Leaves == Refused, f.Leaves == Blocked, f.Loss == LossPod, f.Loss == LossPlace,
		f.Leaves == LeavesUnseen, f.Leaves == Waits, f.Loss == LossDown, f.Loss == LossData, f.Leaves == Deleted,
		f.Loss == LossRoom, f.Leaves == Moves, f.Leaves == LeavesLast}
	if i := slices.Index(ranks, true); i >= 0 {
		return i
	}
	return len(ranks)
}

// Fate is the worst of leaving, landing and losing. A pod that stays loses nothing.
// Where its replacement lands is only judged by a plan, not by a preview, and where
// that is not known nothing is claimed.
func (p *Pod) Fate() Fate {
	f := Fate{Leaves: p.leaves()}
	switch f.Leaves {
	case Stays, Refused, Blocked:
		return f
	}
	f.Loss = p.loss()
	return f
}

func (p *Pod) leaves() Leaving {
	switch p.Action {
	case ActionSkip:
		return Stays
	case ActionRefuse:
		return Refused
	case ActionDelete:
		return Deleted
	}
	verdict := budget.VerdictEvictable
	if p.Budget != nil {
		verdict = p.Budget.Verdict
	}
	switch verdict {
	case budget.VerdictWait, budget.VerdictSyncing:
		return Waits
	case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple:
		return Blocked
	case budget.VerdictUnknown:
		return LeavesUnseen
	}
	if p.GoesLast() {
		return LeavesLast
	}
	return Moves
}

// loss is the gravest loss of a pod that is to leave.
func (p *Pod) loss() Loss {
	if slices.ContainsFunc(p.Reasons, func(r Reason) bool { return r.Code == ReasonTerminating }) {
		return "" // it ends already, whatever the drain does
	}
	by := LossBy(p.Reasons)
	fits := func(a landing.Answer) bool { return a != landing.DoesNotFit }
	switch {
	case by == LossPod, p.NotRemade != "" && !p.Retried:
		return LossPod
	case p.NotRemade != "", p.Pinned != "", p.Landing != nil && !fits(p.Landing.Answer):
		return LossPlace
	case p.Down:
		return LossDown
	case by == LossData, p.Ephemeral:
		return LossData
	case p.Landing != nil && !fits(p.Landing.Together.Answer):
		return LossRoom
	}
	return ""
}

// LossBy is the gravest loss that the reasons of a pod tell of. One that ends
// already loses nothing by a drain.
func LossBy(reasons []Reason) Loss {
	has := func(codes ...ReasonCode) bool {
		return slices.ContainsFunc(reasons, func(r Reason) bool { return slices.Contains(codes, r.Code) })
	}
	switch {
	case has(ReasonTerminating):
		return ""
	case has(ReasonUnmanaged, ReasonOrphanedDaemonSet):
		return LossPod
	case has(ReasonEmptyDir, ReasonFinished):
		return LossData
	}
	return ""
}

// Losses counts the pods that a drain costs something, each by the gravest.
type Losses struct {
	Lost    int // no controller makes a replacement
	Nowhere int // its replacement starts nowhere
	Down    int // its workload is down until the replacement is Ready
	Data    int // data is deleted with it
}

// Any reports whether anything is lost.
func (l Losses) Any() bool { return l != Losses{} }

// Add counts a pod with that loss.
func (l *Losses) Add(loss Loss) {
	switch loss {
	case LossPod:
		l.Lost++
	case LossPlace:
		l.Nowhere++
	case LossDown:
		l.Down++
	case LossData:
		l.Data++
	}
}

// Words name the losses, the gravest first; nil where there are none.
func (l Losses) Words() []string {
	var text []string
	for _, c := range l.counts() {
		text = append(text, c.Text)
	}
	return text
}

func (l Losses) counts() []CountWords {
	return nonZero([]counted{
		{l.Lost, LevelError, "lost", "lost"}, {l.Nowhere, LevelError, "lands nowhere", "land nowhere"},
		{l.Down, LevelWarning, "down until Ready", "down until Ready"}, {l.Data, LevelWarning, "loses data", "lose data"},
	})
}

// Costs are the findings that cost something or warn of that: all but those that
// merely inform, in their order.
func Costs(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Level == LevelInfo })
}

// findDowntime notes the pods whose workload has no other healthy pod when they leave:
// all that it has leave in the first wave, so it is down until a replacement is Ready.
// Nodes that are drained one after the other are judged each for itself. Nothing is
// claimed while the pods of the cluster are not all known.
func (p *planner) findDowntime(nodes []Node) {
	if !p.s.InWhole(kube.KindPods) {
		return
	}
	if len(nodes) > max(p.o.MaxParallelNodes, 1) {
		for i := range nodes {
			p.downAtOnce(nodes[i:i+1], p.pods[i:i+1])
		}
		return
	}
	p.downAtOnce(nodes, p.pods)
}

// downAtOnce is findDowntime for nodes that are drained together; live are their pods.
func (p *planner) downAtOnce(nodes []Node, live [][]*kube.Pod) {
	leaving := map[*budget.HealthyPods][]*Pod{}
	for i := range nodes {
		for k := range nodes[i].Pods {
			plan := &nodes[i].Pods[k]
			if !plan.Moves() || plan.GoesLast() || plan.Wave != 1 || plan.Controller == nil || !live[i][k].Healthy() {
				continue
			}
			if of := p.tracker.HealthyPodsOf(plan.Controller); of != nil {
				leaving[of] = append(leaving[of], plan)
			}
		}
	}
	for of, pods := range leaving {
		if of.Count <= len(pods) { // no other one stays
			for _, plan := range pods {
				plan.Down = true
			}
		}
	}
}
