package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/app/journal"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/surge"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A run whose journal is on another machine is known by its annotations alone.

// markKinds are where they are.
var markKinds = []kube.Kind{kube.KindNodes, kube.KindBudgets, kube.KindLeases, kube.KindPods,
	kube.KindReplicaSets, kube.KindDeployments}

// Handover is the taking over of a run that is known by its annotations alone, in steps:
// what they tell, whether the run is over, then its rollback or, for the run that goes
// on with its nodes, the removal of its temporary budgets.
type Handover struct {
	session *Session
	Marked  rollback.Marked
}

// Handover reads the run that the nodes carry the annotation of, and refuses one that
// is live here. It waits until all that has annotations is in; where nothing is
// watched yet, it watches these, if the rights are there.
func (s *Session) Handover(ctx context.Context, nodes []string) (*Handover, error) {
	if s.Source == nil {
		if err := s.rights().need(ctx, []request.Permission{{Verb: "get", Resource: "nodes"}}); err != nil {
			return nil, err
		}
		s.Observe(ctx, markKinds...)
	}
	snapshot, err := s.Synced(ctx, markKinds)
	if err != nil {
		return nil, err
	}
	if nodes, err = (Selection{Args: nodes}).Nodes(snapshot, s.Target); err != nil {
		return nil, err
	}
	m, err := rollback.ReadMarks(snapshot, nodes)
	var none *annotation.NoMarkError
	switch {
	case errors.As(err, &none):
		return nil, &Error{Text: "nothing was changed", Err: err,
			Hint: "a run is identified by its annotation on a node that it cordoned; " +
				s.Target.Line("kdrain-tui uncordon "+none.Node) + " removes any cordon"}
	case err != nil:
		return nil, &Error{Text: "nothing was changed", Err: err}
	}
	if s.Runs.Lives()(m.Mark.Run) == tempbudget.RunLive {
		return nil, s.Runs.livesOn(m.Mark.Run)
	}
	return &Handover{s, m}, nil
}

// Abandoned are the dead runs with Undos among those to take nodes over from. A live run undoes its own.
func (s *Session) Abandoned(ctx context.Context, nodes Selection, o *plan.Options) (all []*Handover, err error) {
	if len(o.TakeOver) == 0 || o.DryRun != plan.DryRunNone {
		return nil, nil
	}
	names, err := s.Select(ctx, nodes)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.Synced(ctx, markKinds)
	if err != nil {
		return nil, err
	}
	marked := map[string][]string{} // by run
	for _, name := range names {
		if m, err := rollback.LastRun(snapshot, name); err == nil && o.TakesOver(m.Run) {
			marked[m.Run] = append(marked[m.Run], name)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(marked)) {
		m, err := rollback.ReadMarks(s.Snapshot(), marked[run])
		if err != nil {
			return nil, &Error{Text: "nothing was changed", Err: err}
		}
		h := &Handover{s, m}
		if len(h.Undos()) == 0 || s.Runs.Lives()(run) == tempbudget.RunLive {
			continue
		}
		switch live, err := h.live(ctx); {
		case err != nil:
			return nil, err
		case live == nil:
			all = append(all, h)
		}
	}
	return all, nil
}

// Over waits until the Leases tell that the run of the annotations is over, and
// that no other drains its nodes: a Lease that is renewed is somebody's; one
// that is not expires, by our own clock.
func (h *Handover) Over(ctx context.Context) error {
	live, err := h.live(ctx)
	return errors.Join(err, live)
}

// live is an *Error where a run renews a Lease, or where its Lease is deleted before it has expired.
func (h *Handover) live(ctx context.Context) (live, err error) {
	s, m := h.session, h.Marked
	var seen *kube.Lease
	var ends time.Time // of the Lease that was seen
	err = s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		now := s.Now()
		lease, node := heldLease(snapshot, m, now)
		switch {
		case lease == nil && now.Before(ends):
			live = &Error{
				Text: fmt.Sprintf("the Lease of run %s was just released: the run has ended, or somebody undoes it; "+
					"nothing was changed", seen.Holder),
				Hint: "see what is left; the same command again undoes that",
			}
			return true, time.Time{}
		case lease == nil:
			return true, time.Time{}
		case lease.Alive(now):
			live = &Error{
				Text: fmt.Sprintf("run %s is live: it renews its Lease of node %s; nothing was changed", lease.Holder,
					node),
				Hint: "abort it first, where it runs",
			}
			return true, time.Time{}
		case seen == nil:
			s.report(fmt.Sprintf(
				"run %s holds the Lease of node %s: waiting up to %s to see whether it is still running",
				lease.Holder, node, lease.Duration))
		}
		seen, ends = lease, snapshot.LeaseEnds(lease)
		return false, now.Add(max(time.Second, ends.Sub(now)))
	})
	return live, err
}

// heldLease is a Lease that has not expired over one of the nodes, or of the run
// elsewhere; nil if there is none.
func heldLease(s *kube.Snapshot, m rollback.Marked, now time.Time) (lease *kube.Lease, node string) {
	for _, n := range s.Nodes() {
		l := s.LeaseOf(n.UID)
		if l == nil || l.Holder == "" || l.Holder != m.Mark.Run && !slices.Contains(m.Nodes, n.Name) {
			continue
		}
		if ends := s.LeaseEnds(l); ends.IsZero() || now.Before(ends) {
			return l, n.Name
		}
	}
	return nil, ""
}

// Rollback prepares the rollback of the run by its annotations. If the journal of the run is on this machine, it is
// locked, and what is undone is written into it: that may be less than the run left. A damaged journal is not used.
func (h *Handover) Rollback() (*Rollback, error) {
	r := &Rollback{session: h.session, State: h.Marked.State}
	runs, known, damage := h.session.Runs, h.Marked.State, (*journal.CorruptJournalError)(nil)
	if runs.Lives()(h.Marked.Mark.Run) == tempbudget.RunDead {
		locked, events, err := runs.lock(h.Marked.Mark.Run)
		switch {
		case errors.As(err, &damage):
			h.session.report("what is undone is written into no journal: " + damage.Error())
		case err != nil:
			return nil, err
		default:
			r.journal, known = locked, drain.Fold(nil, events...)
			r.State.Seq, r.others = known.Seq, len(h.Marked.Others)
			for _, done := range known.Remedies {
				if done.MayStand() { // no annotation tells of it
					r.others++
				}
			}
		}
	}
	var err error
	if r.working, err = runs.working(known); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	rolls := journal.Rolls(runs.Dir)
	for node, roll := range h.Marked.Rolls {
		if !slices.Contains(rolls, roll) {
			r.working.unknown[node] = "it is not known whether a command of roll " + roll +
				" still runs on it: that roll has no journal on this machine"
		}
	}
	return r, nil
}

// Undos are the temporary budgets and the surges that the run left. A new run would take them for somebody else's. They
// are undone as a rollback of the run undoes them.
func (h *Handover) Undos() []rollback.Undo {
	var left []rollback.Undo
	for _, u := range rollback.Plan(h.Marked.State, h.session.Snapshot(), h.session.Now()) {
		if (len(u.Surge) > 0 || u.Unguard != nil) && u.Left == "" {
			left = append(left, u)
		}
	}
	return left
}

// MayUndo is an *Error where a right is missing for one of the Undos.
func (h *Handover) MayUndo(ctx context.Context) error {
	return h.session.rights().need(ctx, undoRights(h.Undos()))
}

// Undo does the Undos, calls undone for each, and waits until the watches show them all. A plan that is made earlier
// still counts what was undone.
func (h *Handover) Undo(ctx context.Context, undone func(rollback.Undo)) error {
	s := h.session
	r := &Rollback{session: s, State: h.Marked.State}
	for _, u := range h.Undos() {
		err := r.Undo(ctx, u)
		if _, open := u.Planned(h.Undos()); err != nil && open { // what is no longer open, somebody else has undone
			return &Error{Text: "cannot " + u.What + "; nothing else was changed", Err: err}
		}
		undone(u)
	}
	shown, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	err := s.await(shown, func(snapshot *kube.Snapshot) (bool, time.Time) {
		return len(h.Undos()) == 0 &&
			len(surge.FromMarks(snapshot, h.Marked.Mark.Run)) == 0, time.Time{}
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &Error{
		Text: "what run " + h.Marked.Mark.Run + " left was undone, and the cluster still shows it; no node was drained",
		Hint: "the same command again undoes what is left",
	}
}

// Lost is an error where the cluster has annotations of a run without a journal: it would be begun a second time, from
// replicas that it has raised itself.
func (s *Session) Lost(snapshot *kube.Snapshot, run string, nodes []string) error {
	marked := slices.ContainsFunc(nodes, func(node string) bool {
		mark, err := annotation.MarkOf(snapshot, node)
		return err == nil && mark.Run == run
	})
	if !marked && len(surge.FromMarks(snapshot, run)) == 0 {
		return nil
	}
	return fmt.Errorf("the journal of run %s is missing, and the cluster has its annotations: undo what they tell with %s",
		run, s.Target.Line("kdrain-tui rollback --node "+strings.Join(nodes, " --node ")))
}
