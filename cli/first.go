package cli

import (
	"context"
	"slices"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// On a large cluster a drain does not wait until all of it is read: what concerns
// its nodes comes first.

// firstMost is the number of nodes up to which each has watches of its own. From
// there on they would be a burden, and the drain takes long anyway.
const firstMost = 50

// firstKinds come first beside the nodes and their pods: who may be evicted, and
// who else is at work.
var firstKinds = []kube.Kind{kube.KindBudgets, kube.KindDaemonSets, kube.KindLeases}

// firstNodes are the nodes that a drain begins with, nil where it begins with the
// whole cluster.
func firstNodes(ctx context.Context, c *Cluster, args []string, f *flags, o drain.Options) []string {
	if f.selector == "" {
		return firstOf(namesIn(args), o)
	}
	if c.NodesOf == nil {
		return nil
	}
	names, err := c.NodesOf(ctx, f.selector)
	if err != nil {
		return nil // the list of all nodes meets the same, and says it
	}
	return firstOf(names, o)
}

// firstOf are the nodes to begin with out of those of a run. A guard counts the pods
// of its workloads all over the cluster.
func firstOf(nodes []string, o drain.Options) []string {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return name == "" })
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if len(nodes) > firstMost || o.Guard != "" {
		return nil
	}
	return nodes
}

// watchFirst watches the kinds and begins with the nodes, if there are any.
func (c *Cluster) watchFirst(ctx context.Context, nodes []string, kinds ...kube.Kind) drain.Source {
	if len(nodes) == 0 || c.WatchFirst == nil {
		return c.Watch(ctx, kinds...)
	}
	return c.WatchFirst(ctx, nodes, kinds...)
}

// choose are the nodes that the command line means. By a selector they are those
// that were found first: the others are not all known.
func (from planned) choose(s *kube.Snapshot, args []string, f *flags) ([]string, error) {
	nodes, err := chooseNodes(s, args, f)
	if err == nil && len(from.nodes) > 0 {
		nodes = slices.DeleteFunc(nodes, func(name string) bool { return !slices.Contains(from.nodes, name) })
	}
	return nodes, err
}
