package watch

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// longestSilence is how long a watch may bring nothing: an API server sends each watch a
// bookmark about once a minute (apiserver pkg/storage/cacher defaultBookmarkFrequency).
const longestSilence = 150 * time.Second

// attended is a watch that ends when it falls silent. Over HTTP/1.1 each watch has a
// connection of its own, and one that dies without a word does not show in the health of
// the others. A server that never sent a bookmark is not held to it.
type attended struct {
	source  watch.Interface
	feed    *feed
	results chan watch.Event
	stopped chan struct{}
	once    sync.Once
	group   kube.Group
}

func attend(f *feed, source watch.Interface) *attended {
	a := &attended{source: source, feed: f, results: make(chan watch.Event), stopped: make(chan struct{})}
	a.group.Go("attend "+string(f.kind), a.run)
	return a
}

// Stop ends the watch and waits for its end.
func (a *attended) Stop() {
	a.once.Do(func() {
		close(a.stopped)
		a.source.Stop()
	})
	a.group.Wait()
}

// ResultChan is where the events come.
func (a *attended) ResultChan() <-chan watch.Event { return a.results }

func (a *attended) run() {
	defer close(a.results)
	silence := time.NewTimer(longestSilence)
	defer silence.Stop()
	for {
		select {
		case event, open := <-a.source.ResultChan():
			if !open {
				return
			}
			silence.Reset(longestSilence)
			a.feed.heard(event)
			select {
			case a.results <- event:
			case <-a.stopped:
				return
			}
		case <-silence.C:
			if a.feed.silent() {
				a.source.Stop()
				return // it is opened again
			}
			silence.Reset(longestSilence)
		case <-a.stopped:
			return
		}
	}
}

// heard notes that the server sends bookmarks.
func (f *feed) heard(event watch.Event) {
	if event.Type != watch.Bookmark {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bookmarks = true
}

// silent calls the kind stale, if a silent watch is one that is dead.
func (f *feed) silent() bool {
	f.mu.Lock()
	bookmarks := f.bookmarks
	f.mu.Unlock()
	if bookmarks {
		f.stale(fmt.Sprintf("watching %s: nothing came for %v", f.kind, longestSilence))
	}
	return bookmarks
}
