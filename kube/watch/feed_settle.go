package watch

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

const (
	// settleTime is how long a watch that goes on after an outage has to be silent at
	// least before its backlog counts as read although it is behind the version that the
	// server named; a server that took longer to name it is given as long for its events.
	// The version is that of all kinds: where nothing of this kind changed last, no event
	// ever has it. It counts from the server's answer, and again from each event. Where
	// the server names no version, it is the time that we give the backlog, from the
	// failure on.
	settleTime = 500 * time.Millisecond
	// targetTime is how long the server may take to name the version.
	targetTime = 5 * time.Second
)

// reopened is a watch that goes on where an earlier one stopped. It begins with
// the backlog, which is what was missed (or with 410 if that is too old, and a new
// list follows); but nothing in it marks the end. So the server is asked at which
// resource version the kind is now: a watch that has come that far has told it all.
type reopened struct {
	watch.Interface
	feed    *feed
	callOff context.CancelFunc // ends the question
	group   kube.Group

	// These are guarded by the feed's mutex.
	read   uint64        // up to this version events are in the store
	quiet  time.Duration // the silence after which the backlog counts as read
	target uint64        // where the backlog ends, 0 while that is not known
	timer  *time.Timer   // nil while the server is asked
}

var _ cache.ResourceVersionUpdater = (*feed)(nil)

// settle lets a watch that was opened again at a version be live once its backlog
// has been read, unless it ends before.
func (f *feed) settle(ctx context.Context, w watch.Interface, version string) watch.Interface {
	ctx, cancel := context.WithTimeout(ctx, targetTime)
	r := &reopened{Interface: w, feed: f, callOff: cancel, read: kube.ParseVersion(version)}
	f.mu.Lock()
	f.unsettleLocked()
	f.settling = r
	f.mu.Unlock()
	r.group.Go("version of "+string(f.kind), func() {
		defer cancel()
		asked := time.Now()
		r.aim(f.versionNow(ctx), time.Since(asked))
	})
	return r
}

// versionNow is the version of a list that would be made now, 0 if the server does
// not say it. Without a version in the request it is not one of a cache that lags.
func (f *feed) versionNow(ctx context.Context) uint64 {
	list, err := f.list(ctx, listOptions{Limit: 1})
	if err != nil {
		return 0
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return 0
	}
	return kube.ParseVersion(accessor.GetResourceVersion())
}

// aim notes where the backlog ends, 0 for not known, and how long the server took to
// say so.
func (r *reopened) aim(target uint64, took time.Duration) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	if r.feed.settling != r {
		return
	}
	r.target, r.quiet = target, max(settleTime, took)
	r.timer = time.AfterFunc(r.quiet, func() {
		r.feed.mu.Lock()
		defer r.feed.mu.Unlock()
		r.settleLocked()
	})
	r.reachedLocked(r.read)
}

// UpdateResourceVersion is called by the reflector after each event, bookmarks
// included, that it has put into the store.
func (f *feed) UpdateResourceVersion(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.settling != nil {
		f.settling.reachedLocked(kube.ParseVersion(version))
	}
}

// reachedLocked notes how far the watch has come.
func (r *reopened) reachedLocked(version uint64) {
	r.read = version
	switch {
	case r.target == 0: // A busy watch is never silent; the time that we wait is fixed.
	case r.read >= r.target:
		r.settleLocked()
	default:
		r.timer.Reset(r.quiet)
	}
}

// settleLocked says that the backlog has been read.
func (r *reopened) settleLocked() {
	if r.feed.settling == r {
		r.feed.unsettleLocked()
		r.feed.live("")
	}
}

// unsettleLocked forgets a watch that was about to be live.
func (f *feed) unsettleLocked() {
	if f.settling != nil && f.settling.timer != nil {
		f.settling.timer.Stop()
	}
	f.settling = nil
}

// Stop ends the watch; what it has not told by then is not known.
func (r *reopened) Stop() {
	r.feed.mu.Lock()
	if r.feed.settling == r {
		r.feed.unsettleLocked()
	}
	r.feed.mu.Unlock()
	r.callOff()
	r.Interface.Stop()
	r.group.Wait()
}
