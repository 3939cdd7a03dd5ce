package convert

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

func TestEqualSpecsAreOne(t *testing.T) {
	a, b := Pod(replica(0)), Pod(replica(1))
	if a.Spec != b.Spec || a.Owner != b.Owner || a.Shared != b.Shared {
		t.Error("two pods of one ReplicaSet share nothing")
	}
	other := replica(2)
	other.Spec.HostNetwork = true
	if Pod(other).Spec == a.Spec {
		t.Error("different specs are one")
	}
}

func TestInternedValuesAreFreed(t *testing.T) {
	var table weakTable[kube.Owner]
	for i := range 10_000 {
		table.get(digestOf(fmt.Append(nil, i)), func() *kube.Owner { return &kube.Owner{Name: "gone"} })
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	if n := table.size(); n > 5000 {
		t.Errorf("%d entries are left of values that are not held", n)
	}
}

func TestStringTableIsBounded(t *testing.T) {
	table := stringTable{capacity: 100}
	for i := range 1000 {
		table.get(fmt.Sprint(i))
		if table.get("often") != "often" {
			t.Fatal("another string")
		}
	}
	if n := len(table.young) + len(table.old); n > 200 {
		t.Errorf("%d strings", n)
	}
}

// replica is one of the pods of a ReplicaSet.
func replica(i int) *corev1.Pod {
	yes := true
	p := &corev1.Pod{}
	p.Name, p.UID, p.Labels = fmt.Sprint("web-", i), types.UID(fmt.Sprint("u-", i)), map[string]string{"app": "web"}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "rs", Controller: &yes}}
	return p
}

func (t *weakTable[T]) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.values)
}
