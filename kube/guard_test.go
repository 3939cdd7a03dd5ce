package kube

import (
	"strings"
	"testing"
)

func TestGroupHandsOverPanics(t *testing.T) {
	old := OnPanic
	defer func() { OnPanic = old }()
	var name, stack string
	var value any
	OnPanic = func(n string, v any, s []byte) { name, value, stack = n, v, string(s) }
	var g Group
	g.Go("worker", func() { panic("boom") })
	g.Wait()
	if name != "worker" || value != "boom" || !strings.Contains(stack, "guard_test.go") {
		t.Errorf("%q, %v, %s", name, value, stack)
	}
}
