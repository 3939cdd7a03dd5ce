package kube

import (
	"fmt"
	"runtime"
	"testing"
)

func TestEqualSpecsAreOne(t *testing.T) {
	a, b := PodRecord(largePod(0)), PodRecord(largePod(1))
	if a.Spec != b.Spec || a.Owner != b.Owner || a.sharedLabels != b.sharedLabels {
		t.Error("two pods of one ReplicaSet share nothing")
	}
	other := largePod(2)
	other.Spec.HostNetwork = true
	if PodRecord(other).Spec == a.Spec {
		t.Error("different specs are one")
	}
}

func TestInternedValuesAreFreed(t *testing.T) {
	var table weakTable[Owner]
	for i := range 10_000 {
		table.get(digestOf(fmt.Append(nil, i)), func() *Owner { return &Owner{Name: "gone"} })
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	if n := table.size(); n > 5000 {
		t.Errorf("%d entries are left of values that nobody holds", n)
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
