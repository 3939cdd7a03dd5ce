package app

import (
	"context"
	"errors"
	"slices"

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

// Compare compares what the report of a run says is left to do with the cluster.
func (s *Session) Compare(ctx context.Context, told *report.Report, run *drain.State) error {
	var nodes []string
	for _, n := range run.Nodes {
		nodes = append(nodes, n.Name)
	}
	kinds, _ := leftKinds(run)
	snapshot, err := s.Seen(ctx, &run.Run, nodes, append(kinds, kube.KindPods)...)
	if err != nil {
		return err
	}
	told.Check(run, snapshot, s.Now())
	return nil
}

// Seen is a snapshot of these nodes and kinds. It is an error where the session is on another cluster than the run. The
// watches of a dashboard are used where there are any.
func (s *Session) Seen(
	ctx context.Context, run *drain.RunFacts, nodes []string, kinds ...kube.Kind,
) (*kube.Snapshot, error) {
	if err := sameCluster(s.Identity(), run); err != nil {
		return nil, err
	}
	var scopes []kube.Scope
	for _, k := range kinds {
		if len(nodes) == 0 || !slices.Contains(essentialKinds, k) {
			scopes = append(scopes, kube.Scope{Kind: k})
			continue
		}
		for _, node := range nodes {
			scopes = append(scopes, kube.Scope{Kind: k, Node: node})
		}
	}
	needs := func(*kube.Snapshot) ([]kube.Scope, bool) { return scopes, true }
	if s.Source == nil {
		s.Source = s.Watch(ctx, needs)
	}
	return s.synced(ctx, needs)
}
