package live

import (
	"context"
	"sync"
)

// Watchers are those who are told that something has changed. The zero value has none.
type Watchers struct {
	mu  sync.Mutex
	all map[chan struct{}]struct{}
}

// Changed returns a channel of capacity one that says "something changed since you last
// looked", until the context ends. It says so once at the beginning.
func (w *Watchers) Changed(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[chan struct{}]struct{}{}
	}
	w.all[ch] = struct{}{}
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, ch)
	})
	return ch
}

// Signal tells all of them.
func (w *Watchers) Signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.all {
		Signal(ch)
	}
}

// Signal puts one word into a channel of capacity one, unless it holds one already.
func Signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
