package app

import (
	"context"
	"errors"

	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

var errLiveAgain = errors.New("its run is live again")

// removeBudget removes exactly one budget; one that is gone already is removed.
func removeBudget(ctx context.Context, writer request.Writer, ref request.BudgetRef) error {
	// A request that is out is waited for: a signal stops those after it.
	answer := writer.DeleteBudget(context.WithoutCancel(ctx), ref)
	if answer.OK() || answer.Class() == kube.AnswerGone {
		return nil
	}
	return errors.New(attempt.AnswerWords(answer))
}
