package cli

import (
	"context"
	"math"
	"os"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Connect opens real connections. Version is the program's, for the user agent.
func Connect(version string) func(context.Context, *kube.Flags, OpenOptions) (*Cluster, error) {
	return func(ctx context.Context, flags *kube.Flags, o OpenOptions) (*Cluster, error) {
		flags.ReadOnly = o.ReadOnly
		if o.Quiet {
			// A credential plugin prompts only if standard input is a terminal.
			if null, err := os.Open(os.DevNull); err == nil {
				os.Stdin = null
			}
		}
		c, err := kube.Connect(ctx, flags, version)
		if err != nil {
			return nil, err
		}
		watching := &watching{
			cluster: c, scales: c.Scales(), pageSize: pageSize(o.ChunkSize), nodes: o.Nodes, leases: o.LeaseNamespace,
		}
		identity := c.Identity()
		return &Cluster{
			Context: identity.Context, Server: identity.Server, UID: identity.ClusterID, UIDWhy: identity.Why,
			User: identity.User, ServerVersion: identity.Version,
			Writer: c, Access: c.CheckAccess, Watch: watching.watch, WatchFirst: watching.watchFirst, NodesOf: c.NodeNames, Close: watching.close, Kube: c,
			Evictions: c.EvictionSupport, DaemonSets: watching.daemonSets,
			Scales: watching.readScales, Addresses: c.ServerAddresses,
		}, nil
	}
}

// pageSize is --chunk-size as kube has it: its zero is a default, ours is one
// page for everything.
func pageSize(chunkSize int64) int64 {
	if chunkSize <= 0 {
		return math.MaxInt32
	}
	return chunkSize
}

// watching closes what was opened on a connection, in the right order.
type watching struct {
	cluster  *kube.Cluster
	pageSize int64
	nodes    []string
	leases   string
	watchers []*kube.Watcher
	scales   *kube.Scales
}

func (w *watching) watch(ctx context.Context, kinds ...kube.Kind) drain.Source {
	return w.watchFirst(ctx, nil, kinds...)
}

func (w *watching) watchFirst(ctx context.Context, first []string, kinds ...kube.Kind) drain.Source {
	watcher := w.cluster.Watch(ctx, kube.WatchOptions{Kinds: kinds, PageSize: w.pageSize, Nodes: w.nodes, LeaseNamespace: w.leases,
		First: first, FirstKinds: firstKinds})
	w.watchers = append(w.watchers, watcher)
	return watcher
}

func (w *watching) daemonSets(ctx context.Context, source drain.Source, nodes []string) error {
	if watcher, ok := source.(*kube.Watcher); ok {
		return w.cluster.ReadDaemonSets(ctx, watcher, nodes)
	}
	return nil
}

func (w *watching) readScales(ctx context.Context, source drain.Source, nodes []string) {
	if watcher, ok := source.(*kube.Watcher); ok {
		w.scales.Read(ctx, watcher.Store(), nodes)
	}
}

func (w *watching) close() {
	for _, watcher := range w.watchers {
		watcher.Close()
	}
	w.cluster.Close()
}
