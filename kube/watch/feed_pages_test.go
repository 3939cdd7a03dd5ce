package watch

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Where a page takes long, the next one is larger; where none does, all are as they were asked for. What the server
// says of the rest is the total of the first list.
func TestPagesOfASlowLink(t *testing.T) {
	for name, test := range map[string]struct {
		takes time.Duration
		want  []int64
	}{
		"slow": {150 * time.Millisecond, []int64{500, 1000, 2000, 2000, 500}},
		"fast": {50 * time.Millisecond, []int64{500, 500, 500, 500, 500}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var limits []int64
				scope, store := kube.Scope{Kind: kube.KindPods}, kube.NewStore(time.Now)
				store.Open(scope)
				f := newFeed(scope, store, newFakeConnection(), func(_ context.Context, o listOptions) (runtime.Object, error) {
					time.Sleep(test.takes)
					limits = append(limits, o.Limit)
					page := podList("a" + o.Continue)
					rest := int64(7)
					page.RemainingItemCount = &rest
					return page, nil
				}, nil)
				for _, token := range []string{"", "b", "c", "d", ""} {
					o := metav1.ListOptions{Limit: 500, Continue: token}
					if _, err := f.ListWithContext(t.Context(), o); err != nil {
						t.Fatal(err)
					}
					if token == "d" && store.Snapshot().Sync(kube.KindPods).Total != 11 {
						t.Errorf("%+v", store.Snapshot().Sync(kube.KindPods))
					}
				}
				if !slices.Equal(limits, test.want) {
					t.Errorf("limits %v", limits)
				}
			})
		})
	}
}
