// Package film records what a cluster looked like at every moment: each change
// of each pod and budget, in the order of the server.
package film

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// Film is a recording in progress. It never forgets.
type Film struct {
	client kubernetes.Interface
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every frame
	pods    map[types.UID][]PodFrame
	budgets map[types.UID][]BudgetFrame
	rvs     map[string]uint64 // the newest seen, by kind
	err     error
}

// markers is the namespace of the two objects by which a film knows how far it
// has come. No pod runs in it.
const markers = "film"

// Record starts a film. It holds what is there at its start and all that
// follows. A gap in the record would make each of its proofs worthless, so a
// watch that cannot go on is an error.
func Record(ctx context.Context, client kubernetes.Interface) (*Film, error) {
	return record(ctx, client, (*Film).follow)
}

// RecordThroughFaults starts a film that survives the end of the API server: it
// looks again when the server is back. Of what happened since then and the look
// it has only the outcome, which is enough to tell what is there and what is not.
func RecordThroughFaults(ctx context.Context, client kubernetes.Interface) (*Film, error) {
	return record(ctx, client, (*Film).followThroughFaults)
}

func record(ctx context.Context, client kubernetes.Interface,
	follow func(*Film, context.Context, reel, string) error) (*Film, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &Film{
		client: client, cancel: cancel, changed: make(chan struct{}),
		pods: map[types.UID][]PodFrame{}, budgets: map[types.UID][]BudgetFrame{}, rvs: map[string]uint64{},
	}
	err := f.makeMarkers(ctx)
	for _, r := range f.reels() {
		var objects []runtime.Object
		var version string
		if err == nil {
			objects, version, err = r.list(ctx)
		}
		if err == nil {
			f.takeAll(objects)
			err = follow(f, ctx, r, version)
		}
	}
	if err != nil {
		f.Stop()
		return nil, err
	}
	return f, nil
}

// Stop ends the recording.
func (f *Film) Stop() {
	f.cancel()
	f.ended.Wait()
}

type openWatch = func(context.Context, metav1.ListOptions) (watch.Interface, error)

// reel is what a film takes of one kind of objects.
type reel struct {
	kind  string
	list  func(context.Context) (objects []runtime.Object, version string, err error)
	watch openWatch
}

func (f *Film) reels() []reel {
	pods, budgets := f.client.CoreV1().Pods(""), f.client.PolicyV1().PodDisruptionBudgets("")
	return []reel{
		{"pods", func(ctx context.Context) ([]runtime.Object, string, error) {
			list, err := pods.List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, "", fmt.Errorf("list pods for the film: %w", err)
			}
			objects := make([]runtime.Object, len(list.Items))
			for i := range list.Items {
				objects[i] = &list.Items[i]
			}
			return objects, list.ResourceVersion, nil
		}, pods.Watch},
		{"budgets", func(ctx context.Context) ([]runtime.Object, string, error) {
			list, err := budgets.List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, "", fmt.Errorf("list budgets for the film: %w", err)
			}
			objects := make([]runtime.Object, len(list.Items))
			for i := range list.Items {
				objects[i] = &list.Items[i]
			}
			return objects, list.ResourceVersion, nil
		}, budgets.Watch},
	}
}

func (f *Film) takeAll(objects []runtime.Object) {
	for _, object := range objects {
		f.take(watch.Event{Type: watch.Added, Object: object})
	}
}

// follow takes every change from that version on.
func (f *Film) follow(ctx context.Context, r reel, version string) error {
	source := &cache.ListWatch{WatchFuncWithContext: r.watch}
	stream, err := watchtools.NewRetryWatcherWithContext(ctx, version, source)
	if err != nil {
		return fmt.Errorf("watch %s for the film: %w", r.kind, err)
	}
	f.ended.Go(func() {
		for event := range stream.ResultChan() {
			if event.Type == watch.Error {
				f.fail(fmt.Errorf("the film of %s has a gap: %w", r.kind, watchError(event.Object)))
				return
			}
			f.take(event)
		}
		if ctx.Err() == nil {
			f.fail(fmt.Errorf("the film of %s ended early", r.kind))
		}
	})
	return nil
}

func watchError(object runtime.Object) error {
	if status, ok := object.(*metav1.Status); ok {
		return fmt.Errorf("%s: %s", status.Reason, status.Message)
	}
	return fmt.Errorf("%T", object)
}

func (f *Film) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *Film) take(event watch.Event) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	gone := event.Type == watch.Deleted
	switch object := event.Object.(type) {
	case *corev1.Pod:
		f.pods[object.UID] = append(f.pods[object.UID], podFrame(object, gone, now))
		f.advance("pods", object.ResourceVersion)
	case *policyv1.PodDisruptionBudget:
		f.budgets[object.UID] = append(f.budgets[object.UID], budgetFrame(object, gone, now))
		f.advance("budgets", object.ResourceVersion)
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *Film) advance(kind, version string) {
	if rv := number(version); rv > f.rvs[kind] {
		f.rvs[kind] = rv
	}
}

// number is a resource version as a number, which it is on this server.
func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic("a resource version that is no number: " + version)
	}
	return n
}
