package watch

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// recordList is a page of records in the clothes of an API list, as a
// reflector's pager wants it.
type recordList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

// DeepCopyObject is never called; the list is built and read once.
func (l *recordList) DeepCopyObject() runtime.Object { return l }

// recordObject is a record in the clothes of an API object.
type recordObject struct{ record kube.Record }

// GetObjectKind says that it is of no kind that a client would know.
func (o *recordObject) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject shares the record, which is immutable.
func (o *recordObject) DeepCopyObject() runtime.Object { return &recordObject{o.record} }

// silence is a watch without a server behind it: nothing happens, until it says
// that its resource version expired.
type silence struct {
	results chan watch.Event // capacity 1
	timer   *time.Timer
	stop    context.CancelFunc
	once    sync.Once
}

func newSilence(ctx context.Context, pause time.Duration) *silence {
	ctx, cancel := context.WithCancel(ctx)
	s := &silence{results: make(chan watch.Event, 1), stop: cancel}
	s.timer = time.AfterFunc(pause, s.expire)
	context.AfterFunc(ctx, func() { s.timer.Stop() })
	return s
}

// expire ends it before its time, if it has not ended.
func (s *silence) expire() {
	select {
	case s.results <- watch.Event{Type: watch.Error, Object: &metav1.Status{
		Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired, Message: "time to list again",
	}}:
	default:
	}
}

// Stop ends the watch.
func (s *silence) Stop() { s.once.Do(s.stop) }

// ResultChan is where the one event comes.
func (s *silence) ResultChan() <-chan watch.Event { return s.results }
