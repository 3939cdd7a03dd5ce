package app

import (
	"context"
	"errors"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Leftovers are the temporary budgets of runs that do not work on them: see
// drain.Leftovers.
func (s *Session) Leftovers(snapshot *kube.Snapshot, now time.Time) []tempbudget.Leftover {
	return tempbudget.Leftovers(snapshot, s.Runs.Lives(), now)
}

// RemoveLeftover removes exactly one budget that was left behind. One whose run was
// resumed here meanwhile is in use again.
func (s *Session) RemoveLeftover(ctx context.Context, l tempbudget.Leftover) error {
	if s.Runs.Lives()(l.Run) == tempbudget.RunLive {
		return errors.New("its run is live again")
	}
	return s.removeBudget(ctx, l.BudgetRef)
}

// removeBudget removes exactly one budget; one that is gone already is removed.
func (s *Session) removeBudget(ctx context.Context, ref request.BudgetRef) error {
	// A request that is out is waited for: a signal stops those after it.
	answer := s.Writer().DeleteBudget(context.WithoutCancel(ctx), ref)
	if answer.OK() || answer.Class() == kube.AnswerGone {
		return nil
	}
	return errors.New(AnswerText(answer))
}
