package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
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

// Over waits until the Leases tell that the run of the annotations is over, and
// that no other drains its nodes: a Lease that is renewed is somebody's; one
// that is not expires, by our own clock.
func (h *Handover) Over(ctx context.Context) error {
	s, m := h.session, h.Marked
	var live error
	said := false
	err := s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		now := s.Now()
		lease, node := heldLease(snapshot, m, now)
		switch {
		case lease == nil:
			return true, time.Time{}
		case lease.Alive(now):
			live = &Error{
				Text: fmt.Sprintf("run %s is live: it renews its Lease of node %s; nothing was changed", lease.Holder,
					node),
				Hint: "abort it first, where it runs",
			}
			return true, time.Time{}
		case !said:
			s.report(fmt.Sprintf(
				"run %s holds the Lease of node %s: waiting up to %s to see whether it is still running",
				lease.Holder, node, lease.Duration))
		}
		said = true
		return false, now.Add(max(time.Second, snapshot.LeaseEnds(lease).Sub(now)))
	})
	if err != nil {
		return err
	}
	return live
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

// Rollback is that of the run. Where its journal is on this machine after all, it is
// locked.
func (h *Handover) Rollback() (*Rollback, error) {
	r := &Rollback{session: h.session, State: h.Marked.State}
	runs, known := h.session.Runs, h.Marked.State
	if runs.Lives()(h.Marked.Mark.Run) == tempbudget.RunDead {
		journal, events, err := runs.lock(h.Marked.Mark.Run)
		if err != nil {
			return nil, err
		}
		r.journal, known = journal, drain.Fold(nil, events...)
	}
	var err error
	if r.working, err = runs.working(known); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// MayRemoveBudgets is an *Error where temporary budgets may not be removed.
func (h *Handover) MayRemoveBudgets(ctx context.Context) error {
	return h.session.rights().need(ctx, []request.Permission{deleteBudgets})
}

// RemoveBudgets removes the temporary budgets of the run, and waits until the cluster
// shows that they are gone: a plan made before would still count them. It calls
// removed for each.
func (h *Handover) RemoveBudgets(ctx context.Context, removed func(*tempbudget.Record)) error {
	s, budgets := h.session, h.Marked.State.Budgets
	for _, b := range budgets {
		ref := request.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}
		if err := removeBudget(ctx, s.Writer(), ref); err != nil {
			return &Error{Text: fmt.Sprintf("cannot remove the temporary budget %s/%s; nothing else was changed",
				b.Namespace, b.Name), Err: err}
		}
		removed(b)
	}
	return s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		return !slices.ContainsFunc(budgets, func(b *tempbudget.Record) bool {
			live := snapshot.BudgetNamed(b.Namespace, b.Name)
			return live != nil && live.UID == b.UID
		}), time.Time{}
	})
}

// Surges are what the run left raised, as its rollback would take it back.
func (h *Handover) Surges() []rollback.Undo {
	var left []rollback.Undo
	for _, u := range rollback.Plan(h.Marked.State, h.session.Snapshot(), h.session.Now()) {
		if len(u.Surge) > 0 && u.Left == "" {
			left = append(left, u)
		}
	}
	return left
}

// MayEndSurges is an *Error where they may not be taken back.
func (h *Handover) MayEndSurges(ctx context.Context) error {
	return h.session.rights().need(ctx, endSurgeRights(h.Surges()))
}

// EndSurges takes them back, and waits until the cluster shows that: the new run would take
// the workloads for those of another. It calls ended for each.
func (h *Handover) EndSurges(ctx context.Context, ended func(rollback.Undo)) error {
	s := h.session
	undo := func(u rollback.Undo, requests []request.Request) error {
		if answer := s.undo(ctx, requests); !answer.OK() {
			return &Error{Text: "cannot " + u.What + "; nothing else was changed",
				Err: errors.New(attempt.AnswerWords(answer))}
		}
		return nil
	}
	all := h.Surges()
	for _, u := range all {
		if err := undo(u, u.Requests()); err != nil {
			return err
		}
		ended(u)
	}
	for _, u := range all {
		if err := undo(u, restOf(ctx, s, h.Marked.State, u)); err != nil {
			return err
		}
	}
	return s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		return len(surge.FromMarks(snapshot, h.Marked.Mark.Run)) == 0, time.Time{}
	})
}

// endSurgeRights are what it takes to end surges.
func endSurgeRights(undos []rollback.Undo) (rights []request.Permission) {
	for _, u := range undos {
		for _, one := range u.Surge {
			right := request.Permission{Verb: "patch", Resource: "pods"}
			if lower, of := one.(request.Lower); of {
				right = request.SurgeResources[lower.Kind]
			}
			rights = append(rights, beyond([]request.Permission{right}, rights)...)
		}
	}
	return rights
}
