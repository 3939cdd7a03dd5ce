package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	watched
	frames map[string][]nodeFrame
}

// filmNodes starts with those that are there.
func (b builder) filmNodes(ctx context.Context) (*nodeFilm, error) {
	nodes := b.client.CoreV1().Nodes()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	f := &nodeFilm{watched: watched{of: "nodes"}, frames: map[string][]nodeFrame{}}
	for i := range list.Items {
		f.take(watch.Event{Type: watch.Added, Object: &list.Items[i]})
	}
	return f, f.follow(ctx, func(ctx context.Context) (watch.Interface, error) {
		return nodes.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	}, f.take)
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
	if err := f.over(); err != nil {
		return nil, err
	}
	return f.frames, nil
}
