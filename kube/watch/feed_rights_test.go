package watch

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// An API server that just started forbids for a moment what it allowed before:
// neither the watch nor what we hold is given up for that.
func TestFeedDoubtsRightsThatAreSuddenlyGone(t *testing.T) {
	unknown := false
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			if unknown {
				return nil, forbidden()
			}
			return podList("a"), nil
		}
		serve := api.watch
		api.watch = func(ctx context.Context, o listOptions) (watch.Interface, error) {
			if unknown {
				return nil, forbidden()
			}
			return serve(ctx, o)
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a")
		unknown = true
		api.current().Stop()
		api.pass(2 * time.Second)
		api.expect(t, kube.Stale, api.store.Snapshot().Sync(kube.KindPods).Reason, "a")
		unknown = false
		api.pass(10 * time.Second)
		api.expect(t, kube.Synced, "", "a")
		unknown = true // for good, this time
		api.current().Stop()
		api.pass(2 * time.Minute)
		if phase := api.store.Snapshot().Sync(kube.KindPods).Phase; phase != kube.Denied {
			t.Errorf("rights that are gone for good: %v", phase)
		}
	})
}

// What we hold is not live because the server is: the watch must be open again.
func TestFeedIsLiveOnlyWithItsWatch(t *testing.T) {
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a"), nil }
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a")
		api.feed.lost("refused")
		api.store.SetHealth(kube.Health{Live: true})
		api.expect(t, kube.Stale, "refused", "a")
		api.current().Stop()
		api.pass(10 * time.Second)
		api.expect(t, kube.Synced, "", "a")
	})
}

// rights is a fake API whose rights come and go.
type rights struct{ noList, noWatch bool }

func playRights(t *testing.T, play func(t *testing.T, api *fakeAPI, r *rights)) {
	t.Helper()
	r := &rights{}
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			if r.noList {
				return nil, forbidden()
			}
			return podList("a"), nil
		}
		serve := api.watch
		api.watch = func(ctx context.Context, o listOptions) (watch.Interface, error) {
			if r.noWatch && o.SendInitialEvents == nil {
				return nil, forbidden()
			}
			return serve(ctx, o)
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.expect(t, kube.Synced, "", "a")
		api.pass(10 * time.Second)
		play(t, api, r)
	})
}

// A watch that is refused for a moment goes on where it stopped, without a list.
func TestFeedDoubtsALostWatch(t *testing.T) {
	playRights(t, func(t *testing.T, api *fakeAPI, r *rights) {
		r.noWatch = true
		api.current().Stop()
		api.pass(8 * time.Second)
		if state := api.store.Snapshot().Sync(kube.KindPods); state.Phase != kube.Stale || state.Reason == "" || state.Count != 1 {
			t.Errorf("while the watch is refused: %+v", state)
		}
		r.noWatch = false
		api.pass(8 * time.Second)
		api.expect(t, kube.Synced, "", "a")
		if o := api.opened[len(api.opened)-1]; api.lists != 1 || o.ResourceVersion != "10" {
			t.Errorf("%d lists, watched again with %+v", api.lists, o)
		}
	})
}

// A right to watch that is gone makes us poll, and one that comes back ends it.
func TestFeedPollsUntilItMayWatch(t *testing.T) {
	playRights(t, func(t *testing.T, api *fakeAPI, r *rights) {
		r.noWatch = true
		api.current().Stop()
		api.pass(conn.RightsDoubt + 10*time.Second)
		api.expect(t, kube.Synced, polled, "a")
		lists, opened := api.lists, len(api.opened)
		api.pass(5 * time.Minute)
		api.expect(t, kube.Synced, polled, "a")
		if n := len(api.opened) - opened; n < 4 || n > 7 {
			t.Errorf("asked %d times in 5 minutes for a watch that is denied", n)
		}
		if n := api.lists - lists; n < 40 || n > 65 {
			t.Errorf("%d lists in 5 minutes", n)
		}
		r.noWatch = false
		api.pass(deniedRetry + 2*pollEvery)
		api.expect(t, kube.Synced, "", "a")
		lists = api.lists
		api.pass(time.Minute)
		if api.lists != lists {
			t.Errorf("%d lists while it watches", api.lists-lists)
		}
	})
}

// A kind that was in sync and may no longer be listed is stale until that is
// certain; what we hold of it stays.
func TestFeedDoubtsALostList(t *testing.T) {
	playRights(t, func(t *testing.T, api *fakeAPI, r *rights) {
		r.noList = true
		api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		for range 12 {
			api.pass(time.Second)
			if state := api.store.Snapshot().Sync(kube.KindPods); state.Phase != kube.Stale || state.Reason == "" || state.Count != 1 {
				t.Fatalf("while the list is refused: %+v", state)
			}
		}
		r.noList = false
		api.pass(mostDelay + mostDelay/2)
		api.expect(t, kube.Synced, "", "a")
		r.noList = true
		api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		api.pass(conn.RightsDoubt + 4*mostDelay)
		api.expect(t, kube.Denied, "pods is forbidden: not you", "a")
		r.noList = false
		api.pass(30 * time.Second)
		api.expect(t, kube.Synced, "", "a")
	})
}

// A server that was away between two refusals does not confirm the first.
func TestFeedDoubtStartsAgainWithTheServer(t *testing.T) {
	playRights(t, func(t *testing.T, api *fakeAPI, r *rights) {
		r.noList = true
		api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		for range 20 {
			api.pass(3 * time.Second)
			api.feed.lost("refused")
			if state := api.store.Snapshot().Sync(kube.KindPods); state.Phase != kube.Stale {
				t.Fatalf("%+v", state)
			}
		}
	})
}

// However long a list took, the next one comes soon, and at once after an outage.
func TestFeedPollsSoonAfterASlowList(t *testing.T) {
	slow := 20 * time.Second
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) {
			api.mu.Unlock()
			defer api.mu.Lock()
			time.Sleep(slow)
			return podList("a"), nil
		}
		api.watch = func(context.Context, listOptions) (watch.Interface, error) { return nil, forbidden() }
	}, func(t *testing.T, api *fakeAPI) {
		api.pass(slow)
		api.expect(t, kube.Synced, polled, "a")
		slow = 0
		api.pass(pollSlow + time.Second)
		if api.lists != 2 {
			t.Errorf("%d lists", api.lists)
		}
		slow = 20 * time.Second
		api.pass(pollEvery + slow + time.Second) // the pause is long again
		if api.lists != 3 {
			t.Fatalf("%d lists", api.lists)
		}
		slow = 0
		api.server.turn(false, time.Now(), "refused")
		api.feed.lost("refused")
		api.expect(t, kube.Stale, "refused", "a")
		api.pass(time.Second)
		api.server.turn(true, time.Now(), "")
		api.expect(t, kube.Synced, polled, "a")
	})
}

// A feed that waits for the server has no watch, also one that had opened it
// during the outage.
func TestFeedThatWaitsIsNotLive(t *testing.T) {
	playRights(t, func(t *testing.T, api *fakeAPI, r *rights) {
		api.server.turn(false, time.Now(), "no answer")
		api.current().Stop()
		api.expect(t, kube.Stale, "no answer", "a")
		api.server.turn(true, time.Now(), "")
		api.expect(t, kube.Stale, "no answer", "a")
		api.pass(settleTime)
		api.expect(t, kube.Synced, "", "a")
	})
}
