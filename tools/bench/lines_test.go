package main

import (
	"slices"
	"testing"
)

func TestResultsOf(t *testing.T) {
	got := resultsOf("ui", "BenchmarkFrame/200x50-2   \t     500\t   2000.5 ns/op\t      16 B/op\t       3 allocs/op")
	want := []string{"ui/Frame/200x50 2000.5 ns/op", "ui/Frame/200x50 16 B/op", "ui/Frame/200x50 3 allocs/op"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, line := range []string{"", "PASS", "BenchmarkFrame", "ok  \tm/ui\t1.2s"} {
		if got := resultsOf("ui", line); got != nil {
			t.Errorf("%q: got %q", line, got)
		}
	}
	if name, found := packageOf("pkg: example.test/m/ui"); !found || name != "ui" {
		t.Errorf("got %q, %v", name, found)
	}
}
