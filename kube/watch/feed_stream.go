package watch

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// stream is a watch that begins with a whole list. It makes records of the list
// and keeps it from the reflector, whose own collection, with a name for each
// object, would be a third as large again as the store.
type stream struct {
	source  watch.Interface
	feed    *feed
	results chan watch.Event
	stopped chan struct{}
	once    sync.Once
	group   kube.Group

	// What came so far, in order; complete once the reflector has the bookmark.
	records []kube.Record
	gone    map[kube.UID]int // length of records when it was deleted again
}

func newStream(f *feed, source watch.Interface) *stream {
	s := &stream{source: source, feed: f, results: make(chan watch.Event), stopped: make(chan struct{})}
	s.group.Go("stream "+string(f.kind), s.run)
	return s
}

// Stop ends the watch and waits until nothing can reach the store.
func (s *stream) Stop() {
	s.once.Do(func() {
		close(s.stopped)
		s.source.Stop()
	})
	s.group.Wait()
}

// ResultChan is where the end of the list comes, and what happens from then on.
func (s *stream) ResultChan() <-chan watch.Event { return s.results }

func (s *stream) run() {
	defer close(s.results)
	listing := true
	for event := range s.source.ResultChan() {
		if listing && s.take(event) {
			continue
		}
		listing = listing && !endsList(event)
		select {
		case s.results <- event:
		case <-s.stopped:
			return
		}
	}
}

// take keeps an event of the list, if it is one that says something of an object.
func (s *stream) take(event watch.Event) bool {
	select {
	case <-s.stopped:
		return true
	default:
	}
	if event.Type == watch.Bookmark || event.Type == watch.Error {
		return false
	}
	record, err := s.feed.early(event.Object)
	if err != nil {
		return false // the reflector knows what to do with a kind that is not ours
	}
	if event.Type != watch.Deleted {
		s.records = append(s.records, record)
		return true
	}
	if s.gone == nil {
		s.gone = map[kube.UID]int{}
	}
	s.gone[record.Meta().UID] = len(s.records)
	return true
}

// list is what there is at the end of the list.
func (s *stream) list() []kube.Record {
	records := s.records
	s.records = nil
	if len(s.gone) == 0 {
		return records
	}
	there := records[:0]
	for i, r := range records {
		if i >= s.gone[r.Meta().UID] {
			there = append(there, r)
		}
	}
	return there
}

func endsList(event watch.Event) bool {
	if event.Type != watch.Bookmark {
		return false
	}
	object, err := meta.Accessor(event.Object)
	return err == nil && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
}
