package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// nodeFrame is a node from one change to the next.
type nodeFrame struct {
	At       time.Time // when it was seen
	Name     string
	Cordoned bool
	Run      string // of the annotation by which a run knows its cordon, "" without one
	Gone     bool
}

// nodeFilm records nodes.
type nodeFilm struct {
	mu     sync.Mutex
	frames map[string][]nodeFrame
	stop   func()
	closed chan struct{}
	failed bool // the watch broke: it proves nothing
}

// filmNodes starts with those that are there.
func (b builder) filmNodes(ctx context.Context) (*nodeFilm, error) {
	list, err := b.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	w, err := b.client.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	f := &nodeFilm{frames: map[string][]nodeFrame{}, closed: make(chan struct{}), stop: func() {
		cancel()
		w.Stop()
	}}
	for i := range list.Items {
		f.take(watch.Event{Type: watch.Added, Object: &list.Items[i]})
	}
	go func() {
		defer close(f.closed)
		for e := range w.ResultChan() {
			f.take(e)
		}
		f.failed = ctx.Err() == nil
	}()
	return f, nil
}

func (f *nodeFilm) take(e watch.Event) {
	n, ok := e.Object.(*corev1.Node)
	if !ok {
		return
	}
	frame := nodeFrame{At: time.Now(), Name: n.Name, Cordoned: n.Spec.Unschedulable, Run: markedBy(n),
		Gone: e.Type == watch.Deleted}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames[n.Name] = append(f.frames[n.Name], frame)
}

// markedBy is the run whose annotation a node carries.
func markedBy(n *corev1.Node) string {
	var mark struct{ Run string }
	if json.Unmarshal([]byte(n.Annotations[cordonMark]), &mark) != nil {
		return ""
	}
	return mark.Run
}

// end is everything that was recorded, by node.
func (f *nodeFilm) end() (map[string][]nodeFrame, error) {
	f.stop()
	<-f.closed
	if f.failed {
		return nil, errors.New("the watch of nodes broke")
	}
	return f.frames, nil
}
