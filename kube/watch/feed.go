package watch

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

const (
	deniedRetry = time.Minute     // between two tries of what is denied for good
	pollEvery   = 5 * time.Second // between two lists where we may not watch
	pollSlow    = 2 * time.Minute // the same where a list takes long
)

// pollShare is how many times as long as a list takes the pause after it is: lists
// for want of a watch are a tenth of the time at work, whatever the size of the
// cluster.
const pollShare = 10

// polled is the reason of a kind that is in sync by lists alone.
const polled = "polled: no permission to watch"

// server is what a feed asks about the connection.
type server interface {
	Health() kube.Health
	WaitLive(ctx context.Context) error
}

// feed stands between a reflector and the store, on both sides: it is where the
// reflector lists and watches, and where it puts what comes. So it sees every
// request and its outcome, and keeps the sync state of the kind, which the
// reflector would not tell.
type feed struct {
	kind   kube.Kind
	of     kube.Scope
	store  *kube.Store
	server server
	list   listFunc
	watch  watchFunc
	// pollEvery is the shortest pause between two lists where we may not watch.
	pollEvery time.Duration

	mu        sync.Mutex
	first     bool          // the first list is complete
	noWatch   bool          // we may list and not watch
	denied    bool          // we may not list
	listBegan time.Time     // the last list, at its first page
	lastList  time.Duration // all pages of it
	listed    int           // objects in its pages so far
	larger    int64         // times the page size that the next page has
	listing   conn.Right
	watching  conn.Right
	listNext  conn.Retries // of lists that are denied
	watchNext conn.Retries // of watches, where lists do their work
	pause     *silence     // the last one between two lists
	settling  *reopened    // the watch whose backlog is being read; nil for none
	bookmarks bool         // the server sends them
}

func newFeed(of kube.Scope, store *kube.Store, s server, list listFunc, watch watchFunc) *feed {
	return &feed{kind: of.Kind, of: of, store: store, server: s, list: list, watch: watch, pollEvery: pollEvery,
		listNext: deniedRetries(), watchNext: conn.WatchRetries()}
}

var (
	_ cache.ListerWatcherWithContext = (*feed)(nil)
	_ cache.ReflectorStore           = (*feed)(nil)
)

// IsWatchListSemanticsUnSupported lets the reflector read lists in pages. A watch that begins with the list is not
// compressed: 15 times the bytes, for the same work of the server (docs/performance.md). And for one node the server
// goes through all objects of the kind, where it has an index for a list (registry/core/pod/strategy.go Indexers).
func (f *feed) IsWatchListSemanticsUnSupported() bool { return true }

// List and Watch without a context are what the older interface asks for.
func (f *feed) List(o metav1.ListOptions) (runtime.Object, error) {
	return f.ListWithContext(context.Background(), o)
}

// Watch is not called by a reflector that can pass a context.
func (f *feed) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return f.WatchWithContext(context.Background(), o)
}

// ListWithContext gets one page and makes records of it at once, so that pages
// of whole objects never add up.
func (f *feed) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	if o.Limit > 0 && o.Continue == "" {
		// With "0" the server would send everything in one answer, from its watch
		// cache; a page of any other version is the state of exactly that version,
		// however old.
		o.ResourceVersion = ""
	}
	if o.Continue == "" {
		f.listBegins()
	}
	began := time.Now()
	f.mu.Lock()
	o.Limit *= f.larger
	f.mu.Unlock()
	list, err := f.list(ctx, o)
	if err != nil {
		f.listFailed(err)
		return nil, err
	}
	f.mu.Lock()
	f.listing.Grant()
	f.lastList = time.Since(f.listBegan)
	if time.Since(began) > slowPage {
		f.larger = min(2*f.larger, mostLarger)
	}
	f.mu.Unlock()
	return f.records(list)
}

// On a slow link each page costs the time of the way besides its own: 60 pages of 500 pods and 100 ms are 6 s. The
// first page is the usual one, so that something is shown soon.
const (
	slowPage   = 100 * time.Millisecond
	mostLarger = 4
)

// listBegins notes that what we hold is not live until the list is complete, unless lists do the work of the watch.
func (f *feed) listBegins() {
	f.mu.Lock()
	f.listBegan, f.listed, f.larger = time.Now(), 0, 1
	watched := f.first && !f.noWatch && !f.denied
	f.mu.Unlock()
	if watched {
		f.stale("resyncing")
	}
}

// WatchWithContext opens a watch, or says that we may not.
func (f *feed) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	if polls, due := f.polls(); polls && !due {
		return f.pollWatch(ctx), nil
	}
	w, err := f.watch(ctx, o)
	switch {
	case err == nil:
		f.watchGranted()
		w = attend(f, w)
		if f.store.State(f.of).Phase == kube.Stale {
			return f.settle(ctx, w, o.ResourceVersion), nil
		}
		f.live("")
	case ctx.Err() != nil:
	case apierrors.IsForbidden(err), apierrors.IsMethodNotSupported(err):
		return f.watchRefused(ctx, err)
	default:
		f.stale(f.whyNoWatch(err))
	}
	return w, err
}

func (f *feed) whyNoWatch(err error) string {
	return kube.CleanText(fmt.Sprintf("watching %s: %v", f.kind, conn.PlainCause(err)))
}

// enter waits while the server is down, and a while longer where the last list
// was denied: rights rarely change, and each try is a request.
func (f *feed) enter(ctx context.Context) error {
	f.mu.Lock()
	pause := time.Duration(0)
	if f.denied {
		pause = time.Until(f.listNext.Next)
	}
	f.mu.Unlock()
	if pause > 0 && ended(ctx, pause) {
		return ctx.Err()
	}
	if h := f.server.Health(); !h.Live {
		f.notLive(h.Reason) // also what was opened again since the server was lost
	}
	return f.server.WaitLive(ctx)
}

// records turns a page of API objects into a page of records. On the first list
// they go into the store as they come, so that a screen fills page by page.
func (f *feed) records(list runtime.Object) (runtime.Object, error) {
	page := &recordList{}
	if accessor, err := meta.ListAccessor(list); err == nil {
		page.ResourceVersion, page.Continue = accessor.GetResourceVersion(), accessor.GetContinue()
		page.RemainingItemCount = accessor.GetRemainingItemCount()
	}
	err := meta.EachListItem(list, func(o runtime.Object) error {
		record, err := f.early(o)
		if err == nil {
			page.Items = append(page.Items, &recordObject{record: record})
		}
		return err
	})
	f.count(page)
	return page, err
}

// count says how many objects the first list will have.
func (f *feed) count(page *recordList) {
	f.mu.Lock()
	f.listed += len(page.Items)
	total, first := f.listed, f.first
	f.mu.Unlock()
	if page.RemainingItemCount != nil && !first {
		f.store.SetTotal(f.of, total+int(*page.RemainingItemCount))
	}
}

// early makes the record of an object of a list that is still coming in.
func (f *feed) early(object any) (kube.Record, error) {
	record, err := convert.Record(object)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	first := !f.first
	f.mu.Unlock()
	if first {
		f.store.Put(record)
	}
	return record, nil
}

// polls tells whether lists do the work of the watch, and whether it is time to
// try the watch again.
func (f *feed) polls() (polls, due bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.noWatch, f.watchNext.Due(time.Now())
}

func (f *feed) watchGranted() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watching.Grant()
	f.noWatch = false
	f.watchNext.Again()
}

// watchRefused makes lists do the work of a watch that we may not open, once
// that is certain.
func (f *feed) watchRefused(ctx context.Context, err error) (watch.Interface, error) {
	f.mu.Lock()
	now, had := time.Now(), f.watching.Granted
	believed := f.watching.Refuse(now, false)
	if believed {
		f.noWatch = true
		f.watchNext.Later(now)
	}
	f.mu.Unlock()
	switch {
	case !believed:
		f.stale(f.whyNoWatch(err))
		// What a reflector repeats after a while, from where the watch stopped: a
		// list each time would be a burden on a server that just started.
		return nil, apierrors.NewTooManyRequests(err.Error(), 0)
	case had:
		f.stale(f.whyNoWatch(err))
		return nil, err // there was no list for a while
	}
	f.live(polled)
	return f.pollWatch(ctx), nil
}

// pollWatch is a watch in name: it stays silent for a while and then ends as
// one does whose resource version expired, so that the reflector lists again.
// A list that takes long is repeated less often.
func (f *feed) pollWatch(ctx context.Context) watch.Interface {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pause = newSilence(ctx, min(max(f.pollEvery, pollShare*f.lastList), pollSlow))
	return f.pause
}

func deniedRetries() conn.Retries {
	return conn.Retries{Pauses: []time.Duration{5 * time.Second, 15 * time.Second, deniedRetry}}
}
