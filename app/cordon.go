package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/annotation"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

const (
	cordonTries = 5
	// nodeShown is how long the watch may take to show a node that has changed.
	nodeShown = 15 * time.Second
)

// CordonChange is what is to be done to a node, by its name.
type CordonChange struct {
	Node          string
	Unschedulable bool // cordon, else uncordon
	Reason        string
	DryRun        plan.DryRun
}

// Cordon makes a node unschedulable or schedulable, with or without our annotation
// that says who did it. It changes the node as it is known, and nothing else: where it
// has changed since (a heartbeat is enough), it is judged again once the watch shows
// that. So the annotation never says of somebody else's cordon that the node was
// schedulable before. It reports whether there was anything to do.
func (s *Session) Cordon(ctx context.Context, c CordonChange) (changed bool, err error) {
	for try := 1; ; try++ {
		snapshot := s.Snapshot()
		n := snapshot.Node(c.Node)
		switch {
		case n == nil:
			return false, errors.New("it no longer exists")
		case n.Unschedulable == c.Unschedulable:
			return false, nil
		case c.DryRun == plan.DryRunClient:
			return true, nil
		}
		answer := s.Writer().Cordon(ctx, s.cordonRequest(snapshot, n, c))
		switch {
		case answer.OK():
			return true, nil
		case answer.Class() != kube.AnswerConflict || try == cordonTries || !s.nodeChanges(ctx, n):
			return false, errors.New(AnswerText(answer))
		}
	}
}

// nodeChanges waits until the watch shows the node in another state than this one.
func (s *Session) nodeChanges(ctx context.Context, old *kube.Node) bool {
	ctx, cancel := context.WithTimeout(ctx, nodeShown)
	defer cancel()
	return s.await(ctx, func(snapshot *kube.Snapshot) (bool, time.Time) {
		n := snapshot.Node(old.Name)
		return n == nil || n.ResourceVersion != old.ResourceVersion, time.Time{}
	}) == nil
}

func (s *Session) cordonRequest(snapshot *kube.Snapshot, n *kube.Node, c CordonChange) request.Cordon {
	r := request.Cordon{
		Node: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Unschedulable: c.Unschedulable,
		DryRun: c.DryRun == plan.DryRunServer,
	}
	switch {
	case c.Unschedulable: // who, why and when, and what the node was before
		r.Mark = annotation.Mark{
			By: s.User(), Reason: c.Reason, Was: "schedulable",
			At: snapshot.ServerTime(s.Now()).UTC().Truncate(time.Second),
		}.String()
	case excludedByUs(n):
		back := false
		r.ExcludeFromLB = &back
	}
	return r
}

// excludedByUs reports whether the run that cordoned the node took it out of
// external load balancers too: uncordon then puts it back.
func excludedByUs(n *kube.Node) bool {
	if n.Cordon == nil {
		return false
	}
	mark, ours := annotation.Parse(n.Cordon.Mark)
	return ours && mark.ExcludedFromLB
}

// AnswerText is the text of a refusal: the server's, with the first cause,
// which kubectl leaves out, else the network's.
func AnswerText(a kube.Answer) string {
	switch {
	case a.Failure != "":
		return a.Failure
	case a.Message == "":
		return fmt.Sprintf("the server answered %d %s", a.Code, a.Reason)
	case len(a.Causes) > 0 && a.Causes[0].Message != "":
		return a.Message + " " + a.Causes[0].Message
	}
	return a.Message
}
