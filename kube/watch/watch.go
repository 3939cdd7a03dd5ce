package watch

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// Needs are the scopes that are needed, as far as a snapshot tells; final says that no other will tell more.
type Needs func(*kube.Snapshot) (scopes []kube.Scope, final bool)

// turns are the kinds that Whole needs before all others, in their order: on a slow link a screen shows the nodes at
// once, and a plan begins with the pods and their budgets.
var turns = [][]kube.Kind{{kube.KindNodes}, {kube.KindPods, kube.KindBudgets}}

// Whole needs all objects of the kinds: nodes, then pods and budgets, then the rest. A list that fails holds back no
// other.
func Whole(kinds ...kube.Kind) Needs {
	return func(s *kube.Snapshot) (scopes []kube.Scope, final bool) {
		for _, turn := range turns {
			coming := false
			for _, k := range kinds {
				if slices.Contains(turn, k) {
					state := s.Sync(k)
					scopes = append(scopes, kube.Scope{Kind: k})
					coming = coming || state.Phase == kube.NotSynced && state.Reason == ""
				}
			}
			if coming {
				return scopes, false
			}
		}
		for _, k := range kinds {
			if !slices.Contains(scopes, kube.Scope{Kind: k}) {
				scopes = append(scopes, kube.Scope{Kind: k})
			}
		}
		return scopes, true
	}
}

// Options say what a Watcher brings into its store.
type Options struct {
	// Needs are the scopes to watch. It is asked again at each change, until that is final.
	Needs Needs
	// PageSize is the length of a page of a list, 500 if zero.
	PageSize int64
	// Nodes are read by name where nodes may not be listed.
	Nodes []string
	// LeaseNamespace is where the Leases of nodes are, DefaultLeaseNamespace if "".
	LeaseNamespace string
	// UsageEvery is the time between two polls of the metrics API, 15 s if zero.
	UsageEvery time.Duration
}

// Watcher keeps a store in line with the cluster until it is closed.
type Watcher struct {
	c       *conn.Cluster
	o       Options
	store   *kube.Store
	watches context.Context // ends with the watcher
	cancel  context.CancelFunc
	group   kube.Group
	// daemonSets reads by name what may not be listed.
	daemonSets *daemonSetReader

	mu    sync.Mutex
	feeds map[kube.Scope]*feed // nil of metrics, which are polled
}

// Store is where the watcher puts what it sees.
func (w *Watcher) Store() *kube.Store { return w.store }

// Snapshot is the cluster as it is known now.
func (w *Watcher) Snapshot() *kube.Snapshot { return w.store.Snapshot() }

// Changed is the store's signal, until the context ends.
func (w *Watcher) Changed(ctx context.Context) <-chan struct{} { return w.store.Changed(ctx) }

// Close ends the watches and waits for them.
func (w *Watcher) Close() {
	w.mu.Lock() // nothing is begun any longer
	w.cancel()
	w.mu.Unlock()
	w.group.Wait()
}

// Start begins to fill a store and goes on until the watcher is closed or the
// context ends. It returns at once; Snapshot.Sync tells how far it is.
func Start(ctx context.Context, c *conn.Cluster, o Options) *Watcher {
	w := &Watcher{c: c, o: o, store: kube.NewStore(time.Now), feeds: map[kube.Scope]*feed{}}
	w.watches, w.cancel = context.WithCancel(ctx)
	w.daemonSets = &daemonSetReader{c: c, store: w.store, asked: map[string]time.Time{}}
	if !w.bringNeeds() {
		w.group.Go("what is needed", w.followNeeds)
	}
	w.group.Go("heartbeat", w.keepHealth)
	w.group.Go("DaemonSets by name", func() { w.daemonSets.keepUp(w.watches) })
	return w
}

// Bring brings scopes in that are not brought in yet, and keeps them in line from then on. What is watched in
// whole is not watched in part as well.
func (w *Watcher) Bring(scopes ...kube.Scope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range scopes {
		_, whole := w.feeds[kube.Scope{Kind: of.Kind}]
		_, has := w.feeds[of]
		if whole || has || w.watches.Err() != nil {
			continue
		}
		w.store.Open(of)
		if of.Kind == kube.KindUsage {
			w.feeds[of] = nil
			w.group.Go("metrics", w.pollUsage)
			continue
		}
		f := w.feedOf(of)
		w.feeds[of] = f
		w.group.Go("watch "+string(of.Kind)+" "+of.Node+of.Namespace, func() {
			f.run(w.watches, sources[f.kind].object, listPage(w.o))
		})
	}
}

// bringNeeds brings in what is known by now to be needed.
func (w *Watcher) bringNeeds() (final bool) {
	scopes, final := w.o.Needs(w.Snapshot())
	w.Bring(scopes...)
	return final
}

// needsShare is how many times as long as a look at the needs takes the pause after it is: while a large cluster comes
// in, a snapshot is made for each page.
const needsShare = 4

// followNeeds brings in what is needed as it becomes known.
func (w *Watcher) followNeeds() {
	changed := w.Changed(w.watches)
	for {
		select {
		case <-changed:
			began := time.Now()
			if w.bringNeeds() || ended(w.watches, needsShare*time.Since(began)) {
				return
			}
		case <-w.watches.Done():
			return
		}
	}
}

func (w *Watcher) keepHealth() {
	wasLive := true
	w.c.KeepHealth(w.watches, func(h kube.Health) {
		// Once for each outage: a watch that is opened while the server is not
		// ready yet stays open, and must not be called stale for the next reason.
		if !h.Live && wasLive {
			w.mu.Lock()
			feeds := maps.Clone(w.feeds)
			w.mu.Unlock()
			for _, f := range feeds {
				if f != nil {
					f.lost(h.Reason)
				}
			}
		}
		wasLive = h.Live
		w.store.SetHealth(h)
	})
}

func (w *Watcher) pollUsage() {
	every := w.o.UsageEvery
	if every == 0 {
		every = 15 * time.Second
	}
	(&usagePoller{c: w.c}).run(w.watches, w.store, every)
}

// feedOf brings in a scope. Nodes are read by name where they may not be listed.
func (w *Watcher) feedOf(of kube.Scope) *feed {
	q := queryOf(w.c.Reads(), of, w.o.LeaseNamespace)
	list := q.list
	switch {
	case of.Kind != kube.KindNodes:
	case of.Node != "":
		list = nodesByName(w.c.Reads(), []string{of.Node}, list)
	default:
		list = nodesByName(w.c.Reads(), w.o.Nodes, list)
	}
	return newFeed(of, w.store, w.c, list, q.watch)
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
