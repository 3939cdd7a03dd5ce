package forecast

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestStarts(t *testing.T) {
	objects := []runtime.Object{}
	for i, o := range []kubetest.PodOption{kubetest.Came(2 * time.Second), kubetest.Came(4 * time.Second), kubetest.Came(9 * time.Second), kubetest.Came(50 * time.Minute), kubetest.NotReady(time.Minute)} {
		objects = append(objects, kubetest.Pod(fmt.Sprintf("shop/a-%d", i), kubetest.OwnedBy("apps/v1", "ReplicaSet", "a"), o))
	}
	s := kubetest.SnapshotOf(kubetest.Now, objects...)
	if got := starts(s, "ReplicaSet/shop/a"); got != 4*time.Second {
		t.Errorf("%s: the median of 2, 4 and 9; later than a start can take does not count", got)
	}
	if got := starts(s, "unknown"); got != ordinaryStart {
		t.Errorf("%s", got)
	}
}
