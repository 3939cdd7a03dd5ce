package order

import (
	"slices"
	"testing"
)

// One comparator says who is asked for first, each of its rules before those after it.
func TestTheOrderOfCandidates(t *testing.T) {
	want := []Candidate{
		{Place: 9, Volumes: true, Priority: 7},
		{Place: 8, Volumes: true, Priority: 1, Chain: 6},
		{Place: 7, Chain: 5},
		{Place: 3, Chain: 2},
		{Place: 4, Chain: 2},
		{Place: 1},
		{Place: 2},
		{Place: 0, Last: true, Chain: 9},
		{Place: 5, Tier: Critical, Volumes: true, Priority: 9},
		{Place: 6, Tier: Support, Chain: 9},
	}
	for from := range want {
		got := slices.Concat(want[from:], want[:from])
		slices.Reverse(got)
		slices.SortFunc(got, Before)
		if !slices.Equal(got, want) {
			t.Fatalf("got %+v", got)
		}
	}
}
