package app

import (
	"context"
	"io"
	"math"
	"os"

	"github.com/kdrain-tui/kdrain-tui/app/engine"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

// Cluster is an open connection, as a session uses it.
type Cluster interface {
	Identity() conn.Identity
	Writer() request.Writer
	// Watch fills a store with what is needed, until the context ends.
	Watch(ctx context.Context, needs watch.Needs) engine.Source
	// Bring brings more into the source, for which somebody waits.
	Bring(source engine.Source, scopes []kube.Scope)
	// NodeNames are the names of the nodes that a label selector selects.
	NodeNames(ctx context.Context, selector string) ([]string, error)
	// CheckAccess asks the server for each permission.
	CheckAccess(ctx context.Context, permissions []request.Permission) ([]request.AccessResult, error)
	// EvictionSupport tells which evictions the server takes.
	EvictionSupport(ctx context.Context) (conn.EvictionVersion, error)
	// ReadDaemonSets reads the DaemonSets of the nodes' pods by name into the source,
	// where they may not be listed.
	ReadDaemonSets(ctx context.Context, source engine.Source, nodes []string) error
	// ReadScales reads the scales of the owners of the nodes' pods into the source,
	// as far as it does not watch them.
	ReadScales(ctx context.Context, source engine.Source, nodes []string)
	// ReadStatuses reads the status of the custom resources that own the budgets of the nodes' pods into the source.
	ReadStatuses(ctx context.Context, source engine.Source, nodes []string)
	// ReadDrainRules reads Cluster API's MachineDrainRules into the source, if the server has any.
	ReadDrainRules(ctx context.Context, source engine.Source) error
	// ServerAddresses are those of the API server.
	ServerAddresses(ctx context.Context) []string
	// PodDetails reads what the API server knows about one pod, live, and chooses the container whose log is of
	// interest, "" for the one that tells most.
	PodDetails(ctx context.Context, namespace, name string, uid kube.UID, container string) (watch.PodDetails, error)
	// PodLogs adds the log of that container, which the kubelet has.
	PodLogs(ctx context.Context, namespace, name string, d watch.PodDetails) watch.PodDetails
	// NodeDetails reads what there is to know about one node, live.
	NodeDetails(ctx context.Context, name string, uid kube.UID) (watch.NodeDetails, error)
	// PodUsage reads what pods use, by namespace and name: those of one namespace, or all.
	PodUsage(ctx context.Context, namespace string) (map[string]kube.Usage, error)
	// OnPluginOutput sends what credential plugins say elsewhere than to standard
	// error.
	OnPluginOutput(tell func(line string))
	Close()
}

// ConnectOptions say what a connection is for.
type ConnectOptions struct {
	Quiet     bool  // credential plugins must not prompt
	ReadOnly  bool  // every write is refused before it is sent
	ChunkSize int64 // page size of large lists, 0 for all at once
	// Nodes are the nodes that were named: they are read one by one where nodes
	// may not be listed.
	Nodes []string
	// LeaseNamespace is where the Leases of nodes are.
	LeaseNamespace string
	Version        string // of the program, for the user agent
	// RequestLog gets a line for each request where the flags ask for them.
	RequestLog io.Writer
}

// Connect connects to the cluster of the flags and logs in.
func Connect(ctx context.Context, flags *conn.Flags, o ConnectOptions) (Cluster, error) {
	flags.ReadOnly, flags.RequestLog = o.ReadOnly, o.RequestLog
	if o.Quiet {
		// A credential plugin prompts only if standard input is a terminal.
		if null, err := os.Open(os.DevNull); err == nil {
			os.Stdin = null
		}
	}
	c, err := conn.Connect(ctx, flags, o.Version)
	if err != nil {
		return nil, err
	}
	return &connection{Cluster: c, owners: watch.NewOwners(c), rules: watch.NewDrainRules(c), options: o}, nil
}

// connection is the real thing. It closes what was opened on it, in the right order.
type connection struct {
	*conn.Cluster
	options  ConnectOptions
	watchers []*watch.Watcher
	owners   *watch.Owners
	rules    *watch.DrainRules
}

func (c *connection) Writer() request.Writer { return write.New(c.Cluster) }

func (c *connection) PodDetails(ctx context.Context, namespace, name string, uid kube.UID,
	container string) (watch.PodDetails, error) {
	return watch.ReadPod(ctx, c.Cluster, namespace, name, uid, container)
}

func (c *connection) PodLogs(ctx context.Context, namespace, name string, d watch.PodDetails) watch.PodDetails {
	return watch.ReadLogs(ctx, c.Cluster, namespace, name, d)
}

func (c *connection) NodeDetails(ctx context.Context, name string, uid kube.UID) (watch.NodeDetails, error) {
	return watch.ReadNode(ctx, c.Cluster, name, uid)
}

func (c *connection) PodUsage(ctx context.Context, namespace string) (map[string]kube.Usage, error) {
	return watch.ReadPodUsage(ctx, c.Cluster, namespace)
}

func (c *connection) NodeNames(ctx context.Context, selector string) ([]string, error) {
	return watch.NodeNames(ctx, c.Cluster, selector)
}

// pageSize is --chunk-size as kube has it: its zero is a default, ours is one
// page for everything.
func pageSize(chunkSize int64) int64 {
	if chunkSize <= 0 {
		return math.MaxInt32
	}
	return chunkSize
}

func (c *connection) Watch(ctx context.Context, needs watch.Needs) engine.Source {
	watcher := watch.Start(ctx, c.Cluster, watch.Options{
		Needs: needs, PageSize: pageSize(c.options.ChunkSize), Nodes: c.options.Nodes,
		LeaseNamespace: c.options.LeaseNamespace,
	})
	c.watchers = append(c.watchers, watcher)
	return watcher
}

func (c *connection) Bring(source engine.Source, scopes []kube.Scope) {
	if watcher, ok := source.(*watch.Watcher); ok {
		watcher.Bring(scopes...)
	}
}

func (c *connection) ReadDaemonSets(ctx context.Context, source engine.Source, nodes []string) error {
	if watcher, ok := source.(*watch.Watcher); ok {
		return watch.ReadDaemonSets(ctx, c.Cluster, watcher, nodes)
	}
	return nil
}

func (c *connection) ReadScales(ctx context.Context, source engine.Source, nodes []string) {
	if watcher, ok := source.(*watch.Watcher); ok {
		c.owners.ReadScales(ctx, watcher.Store(), nodes)
	}
}

func (c *connection) ReadStatuses(ctx context.Context, source engine.Source, nodes []string) {
	if watcher, ok := source.(*watch.Watcher); ok {
		c.owners.ReadStatuses(ctx, watcher.Store(), nodes)
	}
}

func (c *connection) ReadDrainRules(ctx context.Context, source engine.Source) error {
	if watcher, ok := source.(*watch.Watcher); ok {
		return c.rules.Read(ctx, watcher.Store())
	}
	return nil
}

func (c *connection) Close() {
	for _, watcher := range c.watchers {
		watcher.Close()
	}
	c.Cluster.Close()
}
