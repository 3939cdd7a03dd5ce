package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app/retire"
	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/reads"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// What is asked about the machine of a node that was drained.

// Check judges whether the nodes are safe to power off, all of them together, once all
// that this depends on is in. What may not be listed is not known, but for nodes and
// their pods: without these it is an *Error.
func Check(ctx context.Context, s *Session, sel Selection) ([]checklist.NodeVerdict, error) {
	if err := s.rights().need(ctx, readRights); err != nil {
		return nil, err
	}
	needs := needsOf(reads.Drain{Nodes: namesOf(ctx, s, sel), Options: &plan.Options{}}, checklist.Kinds...)
	s.Source = s.Watch(ctx, needs)
	snapshot, err := s.synced(ctx, needs)
	if err != nil {
		return nil, err
	}
	names, err := sel.Nodes(snapshot, s.Target)
	if err != nil {
		return nil, err
	}
	if err := s.ReadDaemonSets(ctx, s.Source, names); err != nil {
		return nil, err
	}
	return checklist.OfAll(s.Snapshot(), names, s.Now()), nil
}

// MayRetire is an *Error where the right to delete Node objects is missing.
func (s *Session) MayRetire(ctx context.Context) error { return s.rights().need(ctx, retireRights()) }

// Retire takes the journal of a run that has ended, and its lock, for the steps by which
// the nodes that it drained leave the cluster. All that a drain watches must be watched.
func (s *Session) Retire(id string) (*retire.Retirement, error) {
	locked, events, err := s.Runs.lock(id)
	if err != nil {
		return nil, err
	}
	r, err := retire.Begin(retire.Config{Source: s.Source, Writer: s.Writer(), Journal: locked, Now: s.Now}, events)
	if err != nil {
		return nil, &Error{Text: "nothing was changed", Err: errors.Join(err, locked.Close())}
	}
	return r, nil
}

// RetireOf is Retire in a process that did not drain the nodes: it reads first what the
// steps are judged by.
func (s *Session) RetireOf(ctx context.Context, run *drain.State) (*retire.Retirement, error) {
	if err := sameCluster(s.Identity(), &run.Run); err != nil {
		return nil, err
	}
	if err := s.rights().need(ctx, append(slices.Clone(readRights), retireRights()...)); err != nil {
		return nil, err
	}
	needs := needsOf(readsOf(run), checklist.Kinds...)
	s.Source = s.Watch(ctx, needs)
	if _, err := s.synced(ctx, needs); err != nil {
		return nil, err
	}
	if err := s.ReadDaemonSets(ctx, s.Source, nodesOf(&run.Run)); err != nil {
		return nil, err
	}
	return s.Retire(run.Run.ID)
}

// CleanupScriptOf is the script of one step for the host of a node as the journal of a
// run has it, which the Node object is not needed for.
func (r *Runs) CleanupScriptOf(id, node string, step host.Step) (string, error) {
	if err := r.Known(id); err != nil {
		return "", err
	}
	record, err := r.Record(id)
	if err != nil {
		return "", err
	}
	n := record.State.Node(strings.TrimPrefix(node, "node/"))
	if n == nil || n.Retire.Host == nil {
		return "", &Error{Text: fmt.Sprintf("run %s knows no machine of node %s", id, kube.Clean(node)),
			Hint: "it knows those of nodes of which the first step was taken: see " + r.Program + " report " + id}
	}
	text, err := host.Script(*n.Retire.Host, step, id)
	if err != nil {
		return "", &Error{Err: fmt.Errorf("no script: %w", err)}
	}
	return text, nil
}

// CleanupScript is the script of one step for the host of a node, by what the kubelet
// told of it.
func CleanupScript(ctx context.Context, s *Session, node string, step host.Step) (string, error) {
	if err := s.rights().need(ctx, []request.Permission{{Verb: "get", Resource: "nodes"}}); err != nil {
		return "", err
	}
	s.Observe(ctx, kube.KindNodes)
	snapshot, err := s.Synced(ctx, []kube.Kind{kube.KindNodes})
	if err != nil {
		return "", err
	}
	names, err := Selection{Args: []string{node}}.Nodes(snapshot, s.Target)
	if err != nil {
		return "", err
	}
	n := snapshot.Node(names[0])
	text, err := host.Script(host.Of(n), step, "")
	if err != nil {
		return "", &Error{Err: fmt.Errorf("no script: %w", err), Hint: "see its status: " +
			s.Target.Line("kubectl get node "+kube.Clean(n.Name)+" -o jsonpath='{.status.nodeInfo}'")}
	}
	return text, nil
}

// Leaving reports whether a run has ended and nodes that it drained are on their way out of
// the cluster: steps are left to take.
func Leaving(s *drain.State) bool {
	return s.Outcome != "" && slices.ContainsFunc(s.Nodes, func(n *drain.NodeRun) bool {
		return n.State == drain.NodeDrained && n.Retire.Next() != "" && (s.Run.Retire != nil || n.Retire.Begun())
	})
}
