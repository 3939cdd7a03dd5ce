package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/attempt"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/tempbudget"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const (
	// cordonTries is how often a write is sent that meets a node as it no longer is.
	cordonTries = 5
	// nodeShown is how long the watch may take to show a node or another object that has changed.
	nodeShown = 15 * time.Second
)

// Cordon makes a node unschedulable, with our annotation that says who did it and why.
// It reports whether there was anything to do.
func (s *Session) Cordon(ctx context.Context, node, reason string, dry plan.DryRun) (changed bool, err error) {
	return s.setCordon(ctx, node, dry, true, func(snapshot *kube.Snapshot, r *request.Cordon, n *kube.Node) {
		r.Mark = annotation.Mark{
			By: s.Identity().User, Reason: reason, Was: "schedulable",
			At: snapshot.ServerTime(s.Now()).UTC().Truncate(time.Second), ExcludedFromLB: annotation.Excluded(n),
		}.String()
	})
}

// Uncordon makes a node schedulable again, and removes our annotation unless its run has not released its Lease. It
// reports whether there was anything to do.
func (s *Session) Uncordon(ctx context.Context, node string, dry plan.DryRun) (changed bool, err error) {
	if n := s.Snapshot().Node(node); n != nil {
		if err := s.Runs.CheckCommands(func(node kube.UID) bool { return node == n.UID }); err != nil {
			return false, err
		}
	}
	return s.setCordon(ctx, node, dry, false, func(snapshot *kube.Snapshot, r *request.Cordon, n *kube.Node) {
		if mark, stays := annotation.Unreleased(n, snapshot.LeaseOf(n.UID)); stays {
			r.Mark = mark.String()
		}
		if annotation.Excluded(n) {
			back := false
			r.ExcludeFromLB = &back
		}
	})
}

// Unreleased says of which runs without a journal here the annotation stays on the nodes, and what undoes their rest.
func (s *Session) Unreleased(nodes []string) (said []string) {
	snapshot, life := s.Snapshot(), s.Runs.Lives()
	for _, name := range nodes {
		n := snapshot.Node(name)
		if n == nil {
			continue
		}
		mark, stays := annotation.Unreleased(n, snapshot.LeaseOf(n.UID))
		if stays && life(mark.Run) == tempbudget.RunUnknown {
			undo := s.Target.Line("kdrain-tui rollback --node " + name)
			said = append(said, fmt.Sprintf("run %s of %s has not released its Lease of node %s: it runs elsewhere, "+
				"or has changed more than the cordon; once it is over, %s undoes that",
				mark.Run, mark.Maker(), name, undo))
		}
	}
	return said
}

// setCordon changes the node as it is known, and nothing else: where it has changed
// since (a heartbeat is enough), it is judged again once the watch shows that. So the
// annotation never says of somebody else's cordon that the node was schedulable before.
// A write without an answer may be done: what the watch shows then decides.
func (s *Session) setCordon(ctx context.Context, node string, dry plan.DryRun, unschedulable bool,
	complete func(*kube.Snapshot, *request.Cordon, *kube.Node)) (changed bool, err error) {
	doubted := func(*kube.Node) bool { return false } // whether the node shows a write that was not answered
	for try := 0; ; try++ {
		snapshot := s.Snapshot()
		n := snapshot.Node(node)
		switch {
		case n == nil:
			return false, errors.New("it no longer exists")
		case n.Unschedulable == unschedulable && (unschedulable || !annotation.Excluded(n)):
			return doubted(n), nil
		case dry == plan.DryRunClient:
			return true, nil
		case try == cordonTries:
			return false, err
		}
		r := request.Cordon{
			Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Unschedulable: unschedulable,
			DryRun: dry == plan.DryRunServer,
		}
		complete(snapshot, &r, n)
		answer := s.Writer().Cordon(ctx, r)
		err = errors.New(attempt.AnswerWords(answer))
		switch {
		case answer.OK():
			return true, nil
		case dry == plan.DryRunNone && attempt.MayBeDone(answer):
			doubted = func(n *kube.Node) bool { return !unschedulable || n.Cordon != nil && n.Cordon.Mark == r.Mark }
		case answer.Class() != kube.AnswerConflict:
			return false, err
		}
		if !nodeChanges(ctx, &s.View, n) {
			return false, err
		}
	}
}

// nodeChanges waits until the watch shows the node in another state than this one.
func nodeChanges(ctx context.Context, view *View, old *kube.Node) bool {
	ctx, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	return view.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		n := snapshot.Node(old.Name)
		return n == nil || n.ResourceVersion != old.ResourceVersion, time.Time{}
	}) == nil
}
