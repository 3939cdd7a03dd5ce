package watch

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Options say what a Watcher brings into its store.
type Options struct {
	// Kinds are the kinds to watch; nil is all of them.
	Kinds []kube.Kind
	// PageSize is the length of a page of a list, 500 if zero.
	PageSize int64
	// Nodes are read by name where nodes may not be listed.
	Nodes []string
	// First are nodes that matter before all others: they, the pods on them and the
	// FirstKinds are brought in first, and kept in line by watches of their own
	// (Snapshot.On). Whatever else the kinds ask for follows.
	First      []string
	FirstKinds []kube.Kind
	// LeaseNamespace is where the Leases of nodes are, DefaultLeaseNamespace if "".
	LeaseNamespace string
	// UsageEvery is the time between two polls of the metrics API, 15 s if zero.
	UsageEvery time.Duration
}

// Watcher keeps a store in line with the cluster until it is closed.
type Watcher struct {
	store  *kube.Store
	cancel context.CancelFunc
	group  kube.Group
	// daemonSets reads by name what may not be listed.
	daemonSets *daemonSetReader
}

// Store is where the watcher puts what it sees.
func (w *Watcher) Store() *kube.Store { return w.store }

// Snapshot is the cluster as it is known now.
func (w *Watcher) Snapshot() *kube.Snapshot { return w.store.Snapshot() }

// Changed is the store's signal, until the context ends.
func (w *Watcher) Changed(ctx context.Context) <-chan struct{} { return w.store.Changed(ctx) }

// Close ends the watches and waits for them.
func (w *Watcher) Close() {
	w.cancel()
	w.group.Wait()
}

// Start begins to fill a store and goes on until the watcher is closed or the
// context ends. It returns at once; Snapshot.Sync tells how far it is.
func Start(ctx context.Context, c *conn.Cluster, o Options) *Watcher {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{store: kube.NewStore(time.Now), cancel: cancel}
	kinds := o.Kinds
	if kinds == nil {
		kinds = kube.Kinds
	}
	for _, k := range kinds {
		w.store.SetSync(k, kube.SyncState{Phase: kube.NotSynced, Since: time.Now()})
	}
	first, rest := feedsOf(c, w.store, kinds, o)
	feeds := slices.Concat(first, rest)
	w.group.Go("heartbeat", func() {
		wasLive := true
		c.KeepHealth(ctx, func(h kube.Health) {
			// Once for each outage: a watch that is opened while the server is not
			// ready yet stays open, and must not be called stale for the next reason.
			if !h.Live && wasLive {
				for _, f := range feeds {
					f.lost(h.Reason)
				}
			}
			wasLive = h.Live
			w.store.SetHealth(h)
		})
	})
	w.daemonSets = &daemonSetReader{c: c, store: w.store, asked: map[string]time.Time{}}
	if slices.Contains(kinds, kube.KindDaemonSets) {
		w.group.Go("DaemonSets by name", func() { w.daemonSets.keepUp(ctx) })
	}
	w.start(ctx, first, listPage(o))
	w.group.Go("watches that follow", func() {
		if answered(ctx, w.store, first) {
			w.start(ctx, rest, listPage(o))
		}
	})
	if slices.Contains(kinds, kube.KindUsage) {
		every := o.UsageEvery
		if every == 0 {
			every = 15 * time.Second
		}
		w.group.Go("metrics", func() { (&usagePoller{c: c}).run(ctx, w.store, every) })
	}
	return w
}

// feedsOf are those that start at once and those that follow.
func feedsOf(c *conn.Cluster, store *kube.Store, kinds []kube.Kind, o Options) (first, rest []*feed) {
	for _, k := range kinds {
		if k == kube.KindUsage {
			continue
		}
		f := feedOf(c, store, kube.Scope{Kind: k}, o.LeaseNamespace)
		switch {
		case k != kube.KindNodes && k != kube.KindPods:
		case len(o.First) > 0:
			for _, node := range o.First {
				of := kube.Scope{Kind: k, Node: node}
				store.Open(of)
				first = append(first, feedOf(c, store, of, ""))
			}
			f.pollEvery = pollRest
		case k == kube.KindNodes:
			f.list = nodesByName(c.Reads(), o.Nodes, f.list)
		}
		if len(o.First) == 0 || slices.Contains(o.FirstKinds, k) {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	return first, rest
}

// feedOf brings in a scope. A node is read by name where nodes may not be listed.
func feedOf(c *conn.Cluster, store *kube.Store, of kube.Scope, leaseNamespace string) *feed {
	q := queryOf(c.Reads(), of, leaseNamespace)
	list := q.list
	if of.Kind == kube.KindNodes && of.Node != "" {
		list = nodesByName(c.Reads(), []string{of.Node}, list)
	}
	return newFeed(of, store, c, list, q.watch)
}

func (w *Watcher) start(ctx context.Context, feeds []*feed, pageSize int64) {
	for _, f := range feeds {
		w.group.Go("watch "+string(f.kind)+" "+f.of.Node, func() { f.run(ctx, sources[f.kind].object, pageSize) })
	}
}

func listPage(o Options) int64 {
	if o.PageSize == 0 {
		return 500
	}
	return o.PageSize
}

const (
	firstDelay = 100 * time.Millisecond
	mostDelay  = 5 * time.Second
)

// run is the reflector between a feed's two ends. The loop around it is ours:
// client-go's would tell each failure to handlers that print it and sleep, and
// the sync state says it all. A server that is down is waited for at the gate;
// the delays here are for one that answers with errors.
func (f *feed) run(ctx context.Context, object runtime.Object, pageSize int64) {
	var quiet klog.Logger
	reflector := cache.NewReflectorWithOptions(f, object, f, cache.ReflectorOptions{
		Name: string(f.kind), Logger: &quiet,
		Backoff: &wait.Backoff{Duration: firstDelay, Factor: 2, Jitter: 0.5, Steps: 10, Cap: mostDelay},
	})
	reflector.WatchListPageSize = pageSize
	delay := firstDelay
	for {
		started := time.Now()
		_ = reflector.ListAndWatchWithContext(silent(ctx)) // the feed has seen the error
		if time.Since(started) >= pollEvery {
			delay = firstDelay
		}
		// Up to half as much again, so that ten kinds do not come all at once.
		if ended(ctx, delay+rand.N(delay/2)) {
			return
		}
		delay = min(2*delay, mostDelay)
	}
}

// silent is a context in which client-go's reflectors log nothing: all that they
// would say is in the sync states.
func silent(ctx context.Context) context.Context { return klog.NewContext(ctx, klog.Logger{}) }

// answered waits until each of the feeds has its first list or has met an error on
// the way to it; false says that the context ended before.
func answered(ctx context.Context, s *kube.Store, feeds []*feed) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := s.Changed(ctx)
	for {
		waits := slices.ContainsFunc(feeds, func(f *feed) bool {
			state := s.State(f.of)
			return state.Phase == kube.NotSynced && state.Reason == ""
		})
		if !waits {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// ended waits for a time, and tells whether the context ended before.
func ended(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}
