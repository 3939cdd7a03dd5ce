package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/rollback"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// A run whose journal is on another machine is known by its annotations alone.

// markKinds are where they are.
var markKinds = []kube.Kind{kube.KindNodes, kube.KindBudgets, kube.KindLeases}

// ReadMarked reads the run that the nodes carry the annotation of, and refuses one
// that is live here. It waits until nodes, budgets and Leases are in.
func (s *Session) ReadMarked(ctx context.Context, nodes []string) (rollback.Marked, error) {
	snapshot, err := s.Synced(ctx, markKinds)
	if err != nil {
		return rollback.Marked{}, err
	}
	if nodes, err = (Selection{Args: nodes}).Nodes(snapshot); err != nil {
		return rollback.Marked{}, err
	}
	m, err := rollback.ReadMarks(snapshot, nodes)
	var none *annotation.NoMarkError
	switch {
	case errors.As(err, &none):
		return m, &Error{Text: "nothing was changed", Err: err,
			Hint: "a run is identified by its annotation on a node that it cordoned; " +
				s.Target.Line("kdrain-tui uncordon "+none.Node) + " removes any cordon"}
	case err != nil:
		return m, &Error{Text: "nothing was changed", Err: err}
	}
	if s.Runs.Lives()(m.Mark.Run) == tempbudget.RunLive {
		return m, s.Runs.livesOn(m.Mark.Run)
	}
	return m, nil
}

// MarkedOver waits until the Leases tell that the run of the annotations is over, and
// that no other drains its nodes: a Lease that is renewed is somebody's; one
// that is not expires, by our own clock.
func (s *Session) MarkedOver(ctx context.Context, m rollback.Marked) error {
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
				Text: fmt.Sprintf("run %s is live: it renews its Lease of node %s; nothing was changed", lease.Holder, node),
				Hint: "abort it first, where it runs",
			}
			return true, time.Time{}
		case !said:
			s.report(fmt.Sprintf("run %s holds the Lease of node %s: waiting up to %s to see whether it is still running", lease.Holder, node, lease.Duration))
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

// MayRemoveBudgets is an *Error where temporary budgets may not be removed.
func (s *Session) MayRemoveBudgets(ctx context.Context) error {
	return s.may(ctx, []request.Permission{deleteBudgets})
}

// RemoveBudgets removes the temporary budgets of a run, and waits until the cluster
// shows that they are gone: a plan made before would still count them. It calls
// removed for each.
func (s *Session) RemoveBudgets(ctx context.Context, budgets []*tempbudget.Record, removed func(*tempbudget.Record)) error {
	for _, b := range budgets {
		if err := s.removeBudget(ctx, request.BudgetRef{Namespace: b.Namespace, Name: b.Name, UID: b.UID}); err != nil {
			return &Error{Text: fmt.Sprintf("cannot remove the temporary budget %s/%s; nothing else was changed", b.Namespace, b.Name), Err: err}
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
