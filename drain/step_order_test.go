package drain

import (
	"slices"
	"testing"
)

// One comparator says who is asked for first, each of its rules before those after it.
func TestTheOrderOfCandidates(t *testing.T) {
	want := []candidate{
		{place: 9, volumes: true, priority: 7},
		{place: 8, volumes: true, priority: 1, chain: 6},
		{place: 7, chain: 5},
		{place: 3, chain: 2},
		{place: 4, chain: 2},
		{place: 1},
		{place: 2},
		{place: 0, last: true, chain: 9},
		{place: 5, tier: tierCritical, volumes: true, priority: 9},
		{place: 6, tier: tierSupport, chain: 9},
	}
	for from := range want {
		got := slices.Concat(want[from:], want[:from])
		slices.Reverse(got)
		slices.SortFunc(got, before)
		if !slices.Equal(got, want) {
			t.Fatalf("got %+v", got)
		}
	}
}
