package drain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// NoMarkError says why a node tells of no run that could be taken over.
type NoMarkError struct {
	Node string
	Why  string
}

func (e *NoMarkError) Error() string { return "node " + e.Node + ": " + e.Why }

// MarkOf is the mark of a run on a node, if it counts: the node is unschedulable
// and the annotation names a run. The cordon itself may be somebody else's by
// now; undoCordon judges that. The error is a *NoMarkError.
func MarkOf(s *kube.Snapshot, name string) (Mark, error) {
	n := s.Node(name)
	switch {
	case n == nil:
		return Mark{}, &NoMarkError{name, "there is no such node"}
	case !n.Unschedulable || n.Cordon == nil:
		return Mark{}, &NoMarkError{name, "it is schedulable; a mark counts only while it is not"}
	}
	mark, ours := ParseMark(n.Cordon.Mark)
	switch {
	case !ours && n.Cordon.Manager != "":
		return Mark{}, &NoMarkError{name, "it has no mark of ours; " + n.Cordon.Manager + " has cordoned it"}
	case !ours:
		return Mark{}, &NoMarkError{name, "it has no mark of ours"}
	case mark.Run == "":
		return Mark{}, &NoMarkError{name, "no run cordoned it, " + mark.maker() + " did"}
	}
	return mark, nil
}

// maker says who wrote the mark, and when.
func (m Mark) maker() string {
	by := "an operator"
	if m.By != "" {
		by = m.By
	}
	if m.At.IsZero() {
		return by
	}
	return by + " at " + m.At.UTC().Format(time.RFC3339)
}

// Marked is what the cluster's marks tell of a run, on a machine without its
// journal.
type Marked struct {
	Mark  Mark // of the first node
	Nodes []string
	// Others have the mark of the same run and were not named.
	Others []string
	// State is as far as the marks tell it: nodes that the run cordoned, and the
	// temporary budgets that carry its label. RollbackPlan takes it as any other.
	State *State
}

// ReadMarks reads the run that the nodes carry the mark of. Nodes with marks of
// different runs are an error, and so is one without: a *NoMarkError.
func ReadMarks(s *kube.Snapshot, nodes []string) (Marked, error) {
	m := Marked{Nodes: nodes}
	facts := RunFacts{Options: DefaultOptions()}
	for i, name := range nodes {
		mark, err := MarkOf(s, name)
		if err != nil {
			return Marked{}, err
		}
		if i == 0 {
			m.Mark, facts.ID, facts.User, facts.Options.Reason = mark, mark.Run, mark.By, mark.Reason
		}
		if mark.Run != m.Mark.Run {
			return Marked{}, fmt.Errorf("node %s has the mark of run %s, node %s that of run %s: one run at a time", nodes[0], m.Mark.Run, name, mark.Run)
		}
		facts.Nodes = append(facts.Nodes, NodeFacts{Name: name, UID: s.Node(name).UID, Unschedulable: mark.Was == "unschedulable"})
	}
	events := []Event{{Kind: EventRunStarted, Run: &facts}}
	for _, name := range nodes {
		events = append(events, Event{Kind: EventNode, Node: name, NodeState: NodeCordoned})
	}
	for _, b := range s.Budgets() {
		if b.TemporaryOf() != m.Mark.Run {
			continue
		}
		budget := &BudgetFacts{Namespace: b.Namespace, Name: b.Name, UID: b.UID}
		events = append(events, Event{Kind: EventBudget, Namespace: b.Namespace, Budget: budget, BudgetState: BudgetPlanned},
			Event{Kind: EventBudget, Namespace: b.Namespace, Budget: budget, BudgetState: BudgetMade})
	}
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), m.Mark.At
	}
	m.State = Fold(nil, events...)
	for _, n := range s.Nodes() {
		if other, err := MarkOf(s, n.Name); err == nil && other.Run == m.Mark.Run && !slices.Contains(nodes, n.Name) {
			m.Others = append(m.Others, n.Name)
		}
	}
	return m, nil
}

// Sentence says whose run it is, since when and why.
func (m Marked) Sentence() string {
	text := "run " + m.Mark.Run + " by " + m.Mark.maker()
	if m.Mark.Reason != "" {
		text += ", reason: " + m.Mark.Reason
	}
	return text + ", on " + strings.Join(m.Nodes, ", ")
}

// adoptable is the mark of another run of ours on a node, whose place a new run takes
// with a mark of its own, so that its rollback takes the cordon back: what the node was
// before is kept. False where the cordon is not ours to take over: it is
// somebody else's, or an operator's own (kdrain-tui cordon).
func adoptable(n *kube.Node, run string) (Mark, bool) {
	if n.Cordon == nil || n.Cordon.Manager != kube.FieldManager {
		return Mark{}, false
	}
	mark, ours := ParseMark(n.Cordon.Mark)
	return mark, ours && mark.Run != "" && mark.Run != run && mark.Was == "schedulable"
}
