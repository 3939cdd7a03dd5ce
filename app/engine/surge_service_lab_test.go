//go:build lab

package engine

import (
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// readyEndpoints are those of a Service, counted from outside of the program at every change.
type readyEndpoints struct {
	mu     sync.Mutex
	slices map[string]int // Ready endpoints by EndpointSlice
	least  int            // since the first was Ready
	seen   chan struct{}  // closed when the first is Ready
}

func (r *readyEndpoints) take(slice *discoveryv1.EndpointSlice, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range slice.Endpoints {
		if there && e.Conditions.Ready != nil && *e.Conditions.Ready {
			n++
		}
	}
	r.slices[slice.Name] = n
	all := 0
	for _, n := range r.slices {
		all += n
	}
	switch {
	case r.least >= 0:
		r.least = min(r.least, all)
	case all > 0:
		r.least = all
		close(r.seen)
	}
}

// serve puts a Service before the pods, and waits until it has a Ready endpoint.
func (s *surgeScene) serve() *readyEndpoints {
	s.Helper()
	_, err := s.client.CoreV1().Services(s.namespace).Create(s.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	s.must(err)
	endpoints := s.client.DiscoveryV1().EndpointSlices(s.namespace)
	list, err := endpoints.List(s.Context(), metav1.ListOptions{})
	s.must(err)
	r := &readyEndpoints{slices: map[string]int{}, least: -1, seen: make(chan struct{})}
	for i := range list.Items {
		r.take(&list.Items[i], true)
	}
	watched, err := endpoints.Watch(s.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	s.must(err)
	s.Cleanup(watched.Stop)
	go func() {
		for e := range watched.ResultChan() {
			if slice, is := e.Object.(*discoveryv1.EndpointSlice); is {
				r.take(slice, e.Type != "DELETED")
			}
		}
	}()
	select {
	case <-r.seen:
	case <-s.Context().Done():
		s.Fatal("the Service has no Ready endpoint")
	}
	return r
}

// A single replica behind a Service is never without a Ready endpoint.
func TestLabSurgeOfASingleReplicaThatServes(t *testing.T) {
	t.Parallel()
	s := newSurgeScene(t, 1)
	served := s.serve()
	s.surge(surgeOptions()).ends(drain.OutcomeDone)
	s.neverFewer()
	s.asBefore()
	on := s.w.Snapshot().PodsIn(s.namespace)
	served.mu.Lock()
	defer served.mu.Unlock()
	if served.least < 1 {
		t.Errorf("%d endpoints were Ready at some time", served.least)
	}
	if slices.ContainsFunc(on, func(p *kube.Pod) bool { return p.Node == s.node && !p.Terminating() }) {
		t.Error("its pod is still on the node")
	}
}
