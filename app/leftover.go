package app

import (
	"context"
	"errors"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/report"
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

// Compare compares what the report of a run says is left to do with the cluster, which must be that of the run. A
// dashboard watches it already.
func (s *Session) Compare(ctx context.Context, told *report.Report, run *drain.State) error {
	if err := sameCluster(s.Identity(), &run.Run); err != nil {
		return err
	}
	var nodes []string
	for _, n := range run.Nodes {
		nodes = append(nodes, n.Name)
	}
	kinds, _ := leftKinds(run)
	kinds = append(kinds, kube.KindPods)
	if s.Source == nil {
		s.Source = s.Watch(ctx, nodes, kinds...)
	}
	snapshot, err := s.Synced(ctx, kinds, nodes...)
	if err != nil {
		return err
	}
	told.Check(run, snapshot, s.Now())
	return nil
}
