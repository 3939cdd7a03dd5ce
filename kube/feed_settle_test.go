package kube

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
			api.expect(t, Stale, "refused", "b")
			api.pass(settleTime)
			api.expect(t, Synced, "", "b")
		}},
		{"that it is too old", func(api *fakeAPI) {
			api.current().Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
		}, func(t *testing.T, api *fakeAPI) {
			lists := api.lists
			api.expect(t, Stale, "refused", "a", "b")
			api.pass(time.Minute)
			api.expect(t, Synced, "", "a", "b")
			if api.lists <= lists {
				t.Error("no new list")
			}
		}},
		{"that the server is away again", func(api *fakeAPI) {
			api.health.turn(false, time.Now(), "no answer")
			api.current().Stop()
		}, func(t *testing.T, api *fakeAPI) {
			api.pass(time.Minute)
			api.expect(t, Stale, "no answer", "a", "b")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			playFeed(t, func(api *fakeAPI) {
				api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a", "b"), nil }
			}, func(t *testing.T, api *fakeAPI) {
				api.expect(t, Synced, "", "a", "b")
				api.pass(time.Minute)
				api.health.turn(false, time.Now(), "refused")
				api.current().Stop()
				api.expect(t, Stale, "refused", "a", "b")
				api.health.turn(true, time.Now(), "")
				api.pass(settleTime / 2)
				api.expect(t, Stale, "refused", "a", "b")
				c.tells(api)
				api.pass(0)
				c.then(t, api)
			})
		})
	}
}
