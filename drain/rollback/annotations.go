package rollback

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/lease"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Marked is what the cluster's marks tell of a run, on a machine without its
// journal.
type Marked struct {
	Mark  annotation.Mark // of the first node
	Nodes []string
	// Others have the mark of the same run and were not named.
	Others []string
	// Earlier are the runs whose annotation a node has, where the run is a later one that its Lease shows.
	Earlier []string
	// Rolls are those of which the run is a batch and that have or had the Lease of a node themselves, by node: a
	// command of the roll may go on there after its process has died.
	Rolls map[string]string
	// State is as far as the marks tell it: nodes that the run cordoned, the temporary budgets
	// that carry its label, and the workloads that it has raised. Plan takes it as any other.
	State *drain.State
}

// ReadMarks reads the run that the nodes carry the mark of, see LastRun. Nodes with marks of
// different runs are an error, and so is one without: a *NoMarkError.
func ReadMarks(s *kube.Snapshot, nodes []string) (Marked, error) {
	m := Marked{Nodes: nodes, Rolls: map[string]string{}}
	facts := drain.RunFacts{Options: plan.DefaultOptions()}
	for i, name := range nodes {
		mark, err := LastRun(s, name)
		if err != nil {
			return Marked{}, err
		}
		if earlier, err := annotation.MarkOf(s, name); err == nil && earlier.Run != mark.Run &&
			!slices.Contains(m.Earlier, earlier.Run) {
			m.Earlier = append(m.Earlier, earlier.Run)
		}
		if i == 0 {
			m.Mark, facts.ID, facts.User, facts.Options.Reason = mark, mark.Run, mark.By, mark.Reason
		}
		if mark.Run != m.Mark.Run {
			return Marked{}, fmt.Errorf(
				"the last run on node %s is %s, on node %s %s: one run at a time", nodes[0], m.Mark.Run, name, mark.Run)
		}
		facts.Nodes = append(facts.Nodes, drain.NodeFacts{Name: name, UID: s.Node(name).UID,
			Unschedulable: mark.Was == "unschedulable"})
	}
	events := []drain.Event{{Kind: drain.EventRunStarted, Run: &facts}}
	for _, name := range nodes {
		events = append(events, drain.Event{Kind: drain.EventNode, Node: name, NodeState: drain.NodeCordoned})
	}
	for _, n := range facts.Nodes {
		if l := s.LeaseOf(n.UID); l != nil && lease.Ours(l.Holder, m.Mark.Run) {
			held := lease.Facts{Namespace: l.Namespace, Name: l.Name, UID: l.UID, Holder: l.Holder}
			events = append(events, drain.Event{Kind: drain.EventLease, Node: n.Name,
				Lease: &held, LeaseState: lease.Held})
		}
		if roll := lease.RollAt(s, n.Name, m.Mark.Run); roll != "" {
			m.Rolls[n.Name] = roll
		}
	}
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), m.Mark.At
	}
	m.State = WithMarks(drain.Fold(nil, events...), s)
	for _, n := range s.Nodes() {
		if other, err := LastRun(s, n.Name); err == nil && other.Run == m.Mark.Run && marksMore(s, n) &&
			!slices.Contains(nodes, n.Name) {
			m.Others = append(m.Others, n.Name)
		}
	}
	return m, nil
}

// WithMarks is a run with the temporary budgets that carry its label and the workloads that it has raised, as far as it
// does not tell of them: a journal that was copied, or restored, may have lost its end.
func WithMarks(run *drain.State, s *kube.Snapshot) *drain.State {
	with, id := *run, run.Run.ID
	with.Budgets, with.Surges = slices.Clone(run.Budgets), slices.Clone(run.Surges)
	for _, b := range s.Budgets() {
		facts := tempbudget.Facts{Namespace: b.Namespace, Name: b.Name, UID: b.UID}
		i := slices.IndexFunc(with.Budgets, func(r *tempbudget.Record) bool { return r.Same(&facts) })
		switch {
		case b.TemporaryOf() != id:
		case i < 0:
			with.Budgets = append(with.Budgets, &tempbudget.Record{Facts: facts, State: tempbudget.Created})
		case with.Budgets[i].State == tempbudget.Planned:
			known := *with.Budgets[i]
			known.UID, known.State = b.UID, tempbudget.Created
			with.Budgets[i] = &known
		}
	}
	for _, found := range surge.FromMarks(s, id) {
		i := slices.IndexFunc(with.Surges, func(r *surge.Record) bool { return r.UID == found.UID })
		switch {
		case i < 0:
			with.Surges = append(with.Surges, found)
		case !with.Surges[i].MayStand() && found.Batch.At.After(with.Surges[i].Batch.At):
			with.Surges[i] = found
		}
	}
	return &with
}

// LastRun is the mark of the last run at a node. That is not always the one in its annotation: a run leaves that as it
// is where the cordon is somebody else's, and `kdrain-tui cordon` replaces it. Where a Lease shows that another run
// died there, and it has changed more than the node, the mark is made from the Lease. The error is a NoMarkError of
// drain/annotation.
func LastRun(s *kube.Snapshot, name string) (annotation.Mark, error) {
	mark, err := annotation.MarkOf(s, name)
	n := s.Node(name)
	if n == nil {
		return mark, err
	}
	l := s.LeaseOf(n.UID)
	if l == nil || l.Holder == "" || lease.Ours(l.Holder, mark.Run) || !changed(s, l.Holder) {
		return mark, err
	}
	at, _ := time.Parse(time.RFC3339, l.Since) // not known if it is not well-formed
	return annotation.Mark{Run: l.Holder, By: l.By, Reason: l.Reason, At: at, Was: "unschedulable"}, nil
}

// changed reports whether the cluster has temporary budgets or raised replicas of a run.
func changed(s *kube.Snapshot, run string) bool {
	return slices.ContainsFunc(s.Budgets(), func(b *kube.Budget) bool { return b.TemporaryOf() == run }) ||
		len(surge.FromMarks(s, run)) > 0
}

// marksMore reports whether more than a stale annotation is left on a node.
func marksMore(s *kube.Snapshot, n *kube.Node) bool {
	_, unreleased := annotation.Unreleased(n, s.LeaseOf(n.UID))
	return n.Unschedulable || annotation.Excluded(n) || unreleased
}

// Sentence says whose run it is, since when and why, and what else there is on its nodes.
func (m Marked) Sentence() string {
	text := "run " + m.Mark.Run + " by " + m.Mark.Maker()
	if m.Mark.Reason != "" {
		text += ", reason: " + m.Mark.Reason
	}
	text += ", on " + strings.Join(m.Nodes, ", ")
	if len(m.Earlier) > 0 {
		text += "; the nodes have the annotation of an earlier run, " + strings.Join(m.Earlier, ", ") +
			": the same command undoes that next time"
	}
	return text
}
