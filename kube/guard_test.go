package kube

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
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

func TestRouteLogs(t *testing.T) {
	var out bytes.Buffer
	defer func() {
		klog.ClearLogger()
		rest.SetDefaultWarningHandlerWithContext(rest.WarningLogger{})
	}()
	RouteLogs(slog.New(slog.NewTextHandler(&out, nil)))
	klog.Background().Info("from client-go")
	serverWarnings{slog.New(slog.NewTextHandler(&out, nil))}.HandleWarningHeaderWithContext(context.Background(), 299, "", "old\x1b[2J API")
	if got := out.String(); !strings.Contains(got, "from client-go") || !strings.Contains(got, `text="old API"`) {
		t.Errorf("%s", got)
	}
}
