package watch

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A watch whose connection died without a word is noticed by the bookmarks that stay away,
// and opened again; a server that sends none is left alone.
func TestSilentWatch(t *testing.T) {
	for name, bookmarks := range map[string]bool{"with bookmarks": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			playFeed(t, func(api *fakeAPI) {
				api.list = func(context.Context, listOptions) (runtime.Object, error) { return podList("a", "b"), nil }
			}, func(t *testing.T, api *fakeAPI) {
				bookmark := func() {
					if bookmarks {
						api.current().Action(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "10"}})
					}
				}
				for range 5 { // five minutes with all that is usual
					bookmark()
					api.pass(time.Minute)
					api.expect(t, kube.Synced, "", "a", "b")
				}
				opened := len(api.watches)
				api.pass(longestSilence - time.Minute)
				if !bookmarks {
					api.pass(10 * time.Minute)
					api.expect(t, kube.Synced, "", "a", "b")
					return
				}
				api.expect(t, kube.Stale, "watching pods: nothing came for 2m30s", "a", "b")
				api.pass(time.Second)
				if len(api.watches) != opened+1 {
					t.Fatalf("%d watches were opened, want one more than %d", len(api.watches), opened)
				}
				bookmark()
				api.pass(settleTime + time.Second)
				api.expect(t, kube.Synced, "", "a", "b")
			})
		})
	}
}
