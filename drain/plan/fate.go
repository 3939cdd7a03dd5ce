package plan

import (
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain/budget"
	"github.com/kdrain-tui/kdrain-tui/drain/landing"
	"github.com/kdrain-tui/kdrain-tui/drain/words"
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
	Waits        Leaving = "waits"   // its budget does not let it go now
	Never        Leaving = "never"   // as its budgets stand
	LeavesUnseen Leaving = "unknown" // its budgets cannot be seen
	Deleted      Leaving = "deleted" // past its budgets
)

// Loss is what the drain of a pod costs beside its restart; "" for nothing that is
// known.
type Loss string

// The losses.
const (
	LossRoom  Loss = "room"    // estimated: moved with the others, it may not fit
	LossData  Loss = "data"    // an emptyDir, an ephemeral volume, the record of a finished pod
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
	case LossData:
		return string(f.Leaves) + " (data deleted)"
	}
	return string(f.Leaves)
}

// Level is how grave the fate is: info only where nothing is lost and nothing is in
// the way.
func (f Fate) Level() Level {
	switch {
	case f.Leaves == Refused, f.Leaves == Never, f.Loss == LossPod, f.Loss == LossPlace:
		return LevelError
	case f.Loss != "", f.Leaves == Waits, f.Leaves == LeavesUnseen, f.Leaves == Deleted:
		return LevelWarning
	}
	return LevelInfo
}

// Fate is the worst of leaving, landing and losing. A pod that stays loses nothing.
// Where its replacement lands is only judged by a plan, not by a preview, and where
// that is not known nothing is claimed.
func (p *Pod) Fate() Fate {
	f := Fate{Leaves: p.leaves()}
	switch f.Leaves {
	case Stays, Refused, Never:
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
	if p.Budget == nil {
		return Moves
	}
	switch p.Budget.Verdict {
	case budget.VerdictWait, budget.VerdictSyncing:
		return Waits
	case budget.VerdictNever, budget.VerdictDeadlock, budget.VerdictMultiple:
		return Never
	case budget.VerdictUnknown:
		return LeavesUnseen
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
	Data    int // data is deleted with it
}

// Any reports whether anything is lost.
func (l Losses) Any() bool { return l != Losses{} }

// Losses counts the pods of the node by what their drain costs.
func (n *Node) Losses() Losses {
	var sum Losses
	for i := range n.Pods {
		sum.Add(n.Pods[i].Fate().Loss)
	}
	return sum
}

// Losses counts the pods of the plan by what their drain costs.
func (p *Plan) Losses() Losses {
	var sum Losses
	for i := range p.Nodes {
		of := p.Nodes[i].Losses()
		sum.Lost, sum.Nowhere, sum.Data = sum.Lost+of.Lost, sum.Nowhere+of.Nowhere, sum.Data+of.Data
	}
	return sum
}

func (l *Losses) Add(loss Loss) {
	switch loss {
	case LossPod:
		l.Lost++
	case LossPlace:
		l.Nowhere++
	case LossData:
		l.Data++
	}
}

// Words name the losses, the gravest first; nil where there are none.
func (l Losses) Words() []string {
	var text []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{l.Lost, "is lost", "are lost"}, {l.Nowhere, "lands nowhere", "land nowhere"}, {l.Data, "loses data", "lose data"}} {
		if part.n > 0 {
			text = append(text, words.Count(part.n, part.one, part.many))
		}
	}
	return text
}

// Costs are the findings that cost something or warn of that: all but those that
// merely inform, in their order.
func Costs(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Level == LevelInfo })
}
