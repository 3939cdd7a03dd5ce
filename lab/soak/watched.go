package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// watched records what a watch shows, until it is ended.
type watched struct {
	mu     sync.Mutex // of what is recorded
	of     string     // what it shows: "nodes"
	stop   func()
	closed chan struct{}
	failed bool // the watch broke: it proves nothing
}

// follow has each event of the watch recorded from now on.
func (f *watched) follow(ctx context.Context, begin func(context.Context) (watch.Interface, error),
	take func(watch.Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	w, err := begin(ctx)
	if err != nil {
		cancel()
		return fmt.Errorf("watch %s: %w", f.of, err)
	}
	f.closed, f.stop = make(chan struct{}), func() {
		cancel()
		w.Stop()
	}
	go func() {
		defer close(f.closed)
		for e := range w.ResultChan() {
			take(e)
		}
		f.failed = ctx.Err() == nil
	}()
	return nil
}

// over ends the watch; the error tells that it proves nothing.
func (f *watched) over() error {
	f.stop()
	if <-f.closed; f.failed {
		return errors.New("the watch of " + f.of + " broke")
	}
	return nil
}
