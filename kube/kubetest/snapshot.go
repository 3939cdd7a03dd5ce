package kubetest

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/convert"
)

// SnapshotOf is a snapshot of a cluster that holds just these API objects (or
// lists of them), in sync and live at that moment: for tests of what reads
// snapshots. It panics on an object that the store does not keep.
func SnapshotOf(at time.Time, objects ...runtime.Object) *kube.Snapshot {
	return StoreOf(at, objects...).Snapshot()
}

// StoreOf is the store behind SnapshotOf, for tests that go on to change it.
// Its clock stands at that moment.
func StoreOf(at time.Time, objects ...runtime.Object) *kube.Store {
	s := kube.NewStore(func() time.Time { return at })
	s.SetHealth(kube.Health{Live: true, LastContact: at})
	for _, k := range kube.Kinds {
		s.SetSync(k, kube.SyncState{Phase: kube.Synced, Since: at})
	}
	nodes := map[string]kube.Usage{}
	for _, o := range flatten(objects) {
		if m, ok := o.(*metricsv1.NodeMetrics); ok {
			nodes[m.Name] = convert.NodeUsage(m)
			continue
		}
		s.Put(Convert(o))
	}
	s.SetUsage(nodes)
	return s
}

// Convert is the record of an API object of a kind that the store keeps.
func Convert(o any) kube.Record {
	record, err := convert.Record(o)
	if err != nil {
		panic(fmt.Sprintf("kubetest.Convert: %v", err))
	}
	return record
}

func flatten(objects []runtime.Object) []runtime.Object {
	var flat []runtime.Object
	for _, o := range objects {
		if !meta.IsListType(o) {
			flat = append(flat, o)
			continue
		}
		items, err := meta.ExtractList(o)
		if err != nil {
			panic(fmt.Sprintf("kube.StoreOf: %v", err))
		}
		flat = append(flat, items...)
	}
	return flat
}
