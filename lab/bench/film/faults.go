package film

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// lookAgain is how often a film asks for a server that is away.
const lookAgain = 100 * time.Millisecond

// followThroughFaults is follow for a server that may be killed: a new one does
// not know the versions of before, so what is there is listed again.
func (f *Film) followThroughFaults(ctx context.Context, r reel, version string) error {
	f.ended.Go(func() {
		for ctx.Err() == nil {
			if version != "" {
				f.takeFrom(ctx, r, version)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(lookAgain):
			}
			objects, next, err := r.list(ctx)
			if version = next; err != nil {
				version = ""
				continue
			}
			f.takeAll(objects)
			f.takeLost(r.kind, objects)
		}
	})
	return nil
}

// takeFrom takes what comes until the watch ends.
func (f *Film) takeFrom(ctx context.Context, r reel, version string) {
	stream, err := r.watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return
	}
	defer stream.Stop()
	for {
		select {
		case event, more := <-stream.ResultChan():
			if !more || event.Type == watch.Error {
				return
			}
			f.take(event)
		case <-ctx.Done():
			return
		}
	}
}

// takeLost ends the frames of what is no longer there.
func (f *Film) takeLost(kind string, objects []runtime.Object) {
	there := map[types.UID]bool{}
	for _, object := range objects {
		there[object.(metav1.Object).GetUID()] = true
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if kind == "pods" {
		for uid, frames := range f.pods {
			if last := frames[len(frames)-1]; !last.Gone && !there[uid] {
				last.At, last.Gone = now, true
				f.pods[uid] = append(frames, last)
			}
		}
		return
	}
	for uid, frames := range f.budgets {
		if last := frames[len(frames)-1]; !last.Gone && !there[uid] {
			last.At, last.Gone = now, true
			f.budgets[uid] = append(frames, last)
		}
	}
}
