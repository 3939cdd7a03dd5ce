package watch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A watch that is opened again after an outage counts as live only when it had
// time to tell what was missed, or that it cannot: a pod that was gone when the
// server came back must not be shown as one that is there.
func TestFeedIsNotLiveBeforeItHasCaughtUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		tells func(*fakeAPI)
		then  func(*testing.T, *fakeAPI)
	}{
		{"what was missed", func(api *fakeAPI) { api.current().Delete(testPod("a", "21")) }, func(t *testing.T, api *fakeAPI) {
			api.expect(t, kube.Stale, "refused", "b")
			api.pass(settleTime)
			api.expect(t, kube.Synced, "", "b")
		}},
		{"that it is too old", func(api *fakeAPI) {
			api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		}, func(t *testing.T, api *fakeAPI) {
			lists := api.lists
			api.expect(t, kube.Stale, "refused", "a", "b")
			api.pass(time.Minute)
			api.expect(t, kube.Synced, "", "a", "b")
			if api.lists <= lists {
				t.Error("no new list")
			}
		}},
		{"that the server is lost again", func(api *fakeAPI) {
			api.server.turn(false, time.Now(), "no answer")
			api.current().Stop()
		}, func(t *testing.T, api *fakeAPI) {
			api.pass(time.Minute)
			api.expect(t, kube.Stale, "no answer", "a", "b")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			playFeed(t, func(api *fakeAPI) {
				api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a", "b"), nil }
			}, func(t *testing.T, api *fakeAPI) {
				api.expect(t, kube.Synced, "", "a", "b")
				api.pass(time.Minute)
				api.server.turn(false, time.Now(), "refused")
				api.current().Stop()
				api.expect(t, kube.Stale, "refused", "a", "b")
				api.server.turn(true, time.Now(), "")
				api.pass(settleTime / 2)
				api.expect(t, kube.Stale, "refused", "a", "b")
				c.tells(api)
				api.pass(0)
				c.then(t, api)
			})
		})
	}
}

// A watch that is opened again after an outage counts as live only when its backlog
// has been read, however late that begins and however slowly it comes.
func TestFeedReadsItsBacklog(t *testing.T) {
	const ms = time.Millisecond
	event := func(version int) func(*fakeAPI) {
		return func(api *fakeAPI) { api.current().Add(testPod(fmt.Sprint("p", version), fmt.Sprint(version))) }
	}
	bookmark := func(api *fakeAPI) {
		api.current().Action(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "40"}})
	}
	type step struct {
		after time.Duration
		does  func(*fakeAPI) // nil: nothing
		pods  int
		phase kube.SyncPhase
	}
	for _, c := range []struct {
		name    string
		asks    time.Duration // how long the server takes to say the version
		version string        // "": it fails
		steps   []step
	}{
		{"begins late and comes slowly", 2000 * ms, "40", []step{
			{1999 * ms, nil, 1, kube.Stale},
			{400 * ms, event(21), 2, kube.Stale}, {400 * ms, event(25), 3, kube.Stale}, {499 * ms, event(39), 4, kube.Stale},
			{499 * ms, nil, 4, kube.Stale}, {0, event(40), 5, kube.Synced},
		}},
		{"begins before the version is known", 2000 * ms, "40", []step{
			{900 * ms, event(21), 2, kube.Stale}, {900 * ms, event(25), 3, kube.Stale}, {699 * ms, nil, 3, kube.Stale}, {0, event(41), 4, kube.Synced},
		}},
		{"is read before the version is known", 2000 * ms, "40", []step{
			{900 * ms, event(40), 2, kube.Stale}, {1099 * ms, nil, 2, kube.Stale}, {1 * ms, nil, 2, kube.Synced},
		}},
		{"ends with a bookmark", 0, "40", []step{{100 * ms, event(21), 2, kube.Stale}, {100 * ms, bookmark, 2, kube.Synced}}},
		{"is empty", 0, "10", []step{{0, nil, 1, kube.Synced}}},
		{"does not reach the version, which is that of all kinds", 1000 * ms, "40", []step{
			{1400 * ms, event(21), 2, kube.Stale}, {999 * ms, nil, 2, kube.Stale}, {1 * ms, nil, 2, kube.Synced},
		}},
		{"and the version comes at once", 0, "40", []step{
			{400 * ms, event(21), 2, kube.Stale}, {499 * ms, nil, 2, kube.Stale}, {1 * ms, nil, 2, kube.Synced},
		}},
		{"and the version is refused", 1000 * ms, "", []step{
			{1400 * ms, event(21), 2, kube.Stale}, {599 * ms, nil, 2, kube.Stale}, {1 * ms, nil, 2, kube.Synced},
		}},
		{"and the version does not come", time.Hour, "40", []step{
			{5400 * ms, event(21), 2, kube.Stale}, {4599 * ms, nil, 2, kube.Stale}, {1 * ms, nil, 2, kube.Synced},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			playFeed(t, func(api *fakeAPI) {
				api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a"), nil }
				api.now = func(ctx context.Context, o listOptions) (runtime.Object, error) {
					if o.ResourceVersion != "" {
						t.Errorf("a version that may be old: %+v", o)
					}
					if ended(ctx, c.asks) {
						return nil, ctx.Err()
					}
					if c.version == "" {
						return nil, errors.New("refused")
					}
					return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: c.version}}, nil
				}
			}, func(t *testing.T, api *fakeAPI) {
				api.pass(time.Minute)
				api.server.turn(false, time.Now(), "refused")
				api.current().Stop()
				api.pass(time.Second)
				api.server.turn(true, time.Now(), "")
				for i, s := range c.steps {
					api.pass(s.after)
					if s.does != nil {
						s.does(api)
						api.pass(0)
					}
					if state := api.store.Snapshot().Sync(kube.KindPods); state.Phase != s.phase || state.Count != s.pods {
						t.Errorf("step %d: %v with %d pods, want %v with %d", i, state.Phase, state.Count, s.phase, s.pods)
					}
				}
				if len(api.opened) != 2 || api.lists != 1 {
					t.Errorf("%d watches and %d lists", len(api.opened), api.lists)
				}
			})
		})
	}
}

// A watch that ends before the server has said the version ends the question.
func TestFeedAsksForTheVersionOfAWatch(t *testing.T) {
	asked := 0
	playFeed(t, func(api *fakeAPI) {
		api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a"), nil }
		api.now = func(ctx context.Context, _ listOptions) (runtime.Object, error) {
			if asked++; asked > 1 {
				return podList(), nil // at the version of the watch
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}, func(t *testing.T, api *fakeAPI) {
		api.pass(time.Minute)
		api.server.turn(false, time.Now(), "refused")
		api.current().Stop()
		api.pass(0)
		api.server.turn(true, time.Now(), "")
		api.pass(2 * time.Second)
		api.current().Stop()
		api.expect(t, kube.Synced, "", "a")
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}
