package app

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/host"
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
	s.Observe(ctx, checklist.Kinds...)
	snapshot, err := s.Synced(ctx, checklist.Kinds)
	if err != nil {
		return nil, err
	}
	names, err := sel.Nodes(snapshot, s.Target)
	if err != nil {
		return nil, err
	}
	if err := s.readDaemonSets(ctx, names); err != nil {
		return nil, err
	}
	return checklist.OfAll(s.Snapshot(), names, s.Now()), nil
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
	text, err := host.Script(host.Host{
		Node: n.Name, Names: append([]string{n.Labels[corev1.LabelHostname]}, n.Addresses...), MachineID: n.MachineID, Runtime: n.Runtime,
	}, step)
	if err != nil {
		return "", &Error{Err: fmt.Errorf("no script: %w", err), Hint: "see its status: " + s.Target.Line("kubectl get node "+kube.Clean(n.Name)+" -o jsonpath='{.status.nodeInfo}'")}
	}
	return text, nil
}
