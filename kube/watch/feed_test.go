package watch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// fakeAPI is what a feed lists and watches, in a bubble of its own time.
type fakeAPI struct {
	mu      sync.Mutex // the play holds it but while it lets time pass
	store   *kube.Store
	server  *fakeConnection
	feed    *feed
	list    listFunc
	watch   watchFunc
	now     listFunc // the list of one object that tells the present version
	lists   int
	opened  []listOptions
	watches []*watch.FakeWatcher
}

func podResource() schema.GroupResource { return schema.GroupResource{Resource: "pods"} }

func forbidden() error { return apierrors.NewForbidden(podResource(), "", fmt.Errorf("not you")) }

func testPod(name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID("uid-" + name), ResourceVersion: version}}
}

func podList(names ...string) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
	for _, n := range names {
		list.Items = append(list.Items, *testPod(n, "5"))
	}
	return list
}

// playFeed runs a reflector on the fake until the play is over.
func playFeed(t *testing.T, setUp func(*fakeAPI), play func(t *testing.T, api *fakeAPI)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		api := &fakeAPI{store: kube.NewStore(time.Now), server: newFakeConnection()}
		api.store.SetHealth(kube.Health{Live: true})
		api.store.SetSync(kube.KindPods, kube.SyncState{})
		api.watch = func(context.Context, listOptions) (watch.Interface, error) { return api.open(), nil }
		// Versions of lists run ahead of the pods.
		api.now = func(context.Context, listOptions) (runtime.Object, error) {
			return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1000"}}, nil
		}
		setUp(api)
		f := newFeed(kube.Scope{Kind: kube.KindPods}, api.store, api.server,
			func(ctx context.Context, o listOptions) (runtime.Object, error) {
				if o.Limit == 1 {
					return api.now(ctx, o)
				}
				api.mu.Lock()
				defer api.mu.Unlock()
				api.lists++
				return api.list(ctx, o)
			},
			func(ctx context.Context, o listOptions) (watch.Interface, error) {
				api.mu.Lock()
				defer api.mu.Unlock()
				api.opened = append(api.opened, o)
				return api.watch(ctx, o)
			})
		api.feed = f
		ctx, cancel := context.WithCancel(t.Context())
		var group kube.Group
		group.Go("feed", func() { f.run(ctx, &corev1.Pod{}, 500) })
		api.mu.Lock()
		api.pass(0)
		play(t, api)
		api.mu.Unlock()
		cancel()
		for _, w := range api.watches {
			w.Stop()
		}
		group.Wait()
	})
}

// pass lets time pass and everybody come to rest.
func (api *fakeAPI) pass(d time.Duration) {
	api.mu.Unlock()
	time.Sleep(d)
	synctest.Wait()
	api.mu.Lock()
}

func (api *fakeAPI) open() *watch.FakeWatcher {
	w := watch.NewFakeWithChanSize(100, false)
	api.watches = append(api.watches, w)
	return w
}

func (api *fakeAPI) current() *watch.FakeWatcher { return api.watches[len(api.watches)-1] }

func (api *fakeAPI) expect(t *testing.T, phase kube.SyncPhase, reason string, names ...string) {
	t.Helper()
	api.pass(0)
	s := api.store.Snapshot()
	state := s.Sync(kube.KindPods)
	if state.Phase != phase || state.Reason != reason || state.Count != len(names) {
		t.Errorf("state %v %q with %d, want %v %q with %d", state.Phase, state.Reason, state.Count, phase, reason, len(names))
	}
	for _, n := range names {
		if s.Pod(kube.UID("uid-"+n)) == nil {
			t.Errorf("no pod %s", n)
		}
	}
}

// A list that is made again is not live until it is complete, nothing goes missing meanwhile, and what it repeats is no
// change.
func TestFeedListsAgain(t *testing.T) {
	var during []string // what is shown at the second page of each list
	playFeed(t, func(api *fakeAPI) {
		api.list = func(_ context.Context, o listOptions) (runtime.Object, error) {
			if o.Continue == "" {
				page := podList("a", "b")
				if api.lists > 1 {
					page = podList("b", "d")
				}
				page.Continue = "more"
				return page, nil
			}
			s := api.store.Snapshot()
			during = append(during, fmt.Sprint(s.Sync(kube.KindPods).Phase, s.Sync(kube.KindPods).Count, s.Sync(kube.KindPods).Reason))
			return podList("c"), nil
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a", "b", "c")
		kept := api.store.Snapshot().Pod("uid-b")
		api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		api.pass(time.Second)
		api.expect(t, kube.Synced, "", "b", "c", "d")
		if want := []string{fmt.Sprint(kube.NotSynced, 2, ""), fmt.Sprint(kube.Stale, 3, "resyncing")}; !slices.Equal(during, want) {
			t.Errorf("at the second pages %q, want %q", during, want)
		}
		if api.store.Snapshot().Pod("uid-b") != kept {
			t.Error("a pod that was listed again changed")
		}
	})
}

func TestFeedLists(t *testing.T) {
	playFeed(t, func(api *fakeAPI) {
		api.list = func(_ context.Context, o listOptions) (runtime.Object, error) {
			if o.Limit != 500 || o.ResourceVersion != "" {
				t.Errorf("listed with %+v", o)
			}
			if o.Continue == "" {
				page := podList("a", "b")
				page.Continue = "more"
				return page, nil
			}
			return podList("c"), nil
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a", "b", "c")
		if o := api.opened[len(api.opened)-1]; o.ResourceVersion != "10" || !o.AllowWatchBookmarks {
			t.Errorf("watched with %+v", o)
		}
		changed := testPod("a", "11")
		changed.Spec.NodeName = "n"
		api.current().Modify(changed)
		api.pass(0)
		if len(api.store.Snapshot().PodsOn("n")) != 1 {
			t.Error("the change did not arrive")
		}
		// A watch that ends in time is opened again where it stopped.
		api.pass(time.Minute)
		api.current().Stop()
		api.pass(0)
		if o := api.opened[len(api.opened)-1]; o.ResourceVersion != "11" || api.lists != 2 {
			t.Errorf("watched again with %+v after %d lists", o, api.lists)
		}
		api.expect(t, kube.Synced, "", "a", "b", "c")
	})
}

func TestFeedDenied(t *testing.T) {
	allowed := false
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			if !allowed {
				return nil, forbidden()
			}
			return podList("a"), nil
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Denied, "pods is forbidden: not you")
		api.pass(6 * time.Second) // once soon: the server may have started just now
		api.pass(50 * time.Second)
		if api.lists != 3 {
			t.Errorf("%d lists in 56 s", api.lists)
		}
		api.pass(10 * time.Minute)
		if api.lists < 12 || api.lists > 14 {
			t.Errorf("%d lists in 11 minutes", api.lists)
		}
		allowed = true
		api.pass(deniedRetry + mostDelay)
		api.expect(t, kube.Synced, "", "a")
	})
}

func TestFeedNotServed(t *testing.T) {
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			return nil, apierrors.NewNotFound(podResource(), "")
		}
	}, func(t *testing.T, api *fakeAPI) { api.expect(t, kube.Denied, "the server does not serve pods") })
}

// Without watch we poll.
func TestFeedPolls(t *testing.T) {
	names := []string{"a", "b"}
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList(names...), nil }
		api.watch = func(context.Context, listOptions) (watch.Interface, error) { return nil, forbidden() }
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, polled, "a", "b")
		names = []string{"b"}
		api.pass(20 * time.Second)
		api.expect(t, kube.Synced, polled, "b")
		if api.lists < 3 || api.lists > 5 {
			t.Errorf("%d lists in 20 s", api.lists)
		}
		if n := len(api.opened); n != 1 {
			t.Errorf("asked %d times for a watch that is denied", n)
		}
	})
}

func TestFeedServerError(t *testing.T) {
	var failing error = apierrors.NewInternalError(fmt.Errorf("etcd\x1b[2J is gone"))
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			if failing != nil {
				return nil, failing
			}
			return podList("a"), nil
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.NotSynced, "listing pods: Internal error occurred: etcd is gone")
		failing = nil
		api.pass(10 * time.Second)
		api.expect(t, kube.Synced, "", "a")
	})
}

// While the server is down the watch waits at the gate, and goes on where it
// was the moment the server is back: no back-off, no new list.
func TestFeedWaitsForTheServer(t *testing.T) {
	down := false
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a"), nil }
		serve := api.watch
		api.watch = func(ctx context.Context, o listOptions) (watch.Interface, error) {
			if down {
				return nil, syscall.ECONNREFUSED
			}
			return serve(ctx, o)
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a")
		api.pass(time.Minute)
		down = true
		api.current().Stop()
		api.pass(0)
		api.server.turn(false, time.Now(), "refused")
		api.pass(10 * time.Minute)
		tries := len(api.opened)
		if tries > 5 {
			t.Errorf("%d tries while the server is down", tries)
		}
		down = false
		api.server.turn(true, time.Now(), "")
		api.pass(0)
		if len(api.opened) != tries+1 || api.lists != 1 {
			t.Errorf("%d watches and %d lists after recovery", len(api.opened)-tries, api.lists)
		}
		api.pass(settleTime)
		api.expect(t, kube.Synced, "", "a")
	})
}

// fakeConnection is a connection that a test breaks and mends.
type fakeConnection struct {
	mu    sync.Mutex
	state kube.Health
	live  chan struct{} // closed while live
}

func newFakeConnection() *fakeConnection {
	c := &fakeConnection{live: make(chan struct{})}
	c.turn(true, time.Now(), "")
	return c
}

func (c *fakeConnection) turn(live bool, now time.Time, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case live && !c.state.Live:
		close(c.live)
	case !live && c.state.Live:
		c.live = make(chan struct{})
	}
	c.state = kube.Health{Live: live, LastContact: now, Reason: why}
}

func (c *fakeConnection) Health() kube.Health { c.mu.Lock(); defer c.mu.Unlock(); return c.state }

func (c *fakeConnection) WaitLive(ctx context.Context) error {
	c.mu.Lock()
	live := c.live
	c.mu.Unlock()
	select {
	case <-live:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
