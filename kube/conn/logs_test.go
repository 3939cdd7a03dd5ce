package conn

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestRouteLogs(t *testing.T) {
	var out, warned bytes.Buffer
	defer func(count func() int) { countWarnings = count }(countWarnings)
	handlers, crash, old := utilruntime.PanicHandlers, utilruntime.ReallyCrash, kube.OnPanic
	defer func() {
		klog.ClearLogger()
		rest.SetDefaultWarningHandlerWithContext(rest.WarningLogger{})
		utilruntime.PanicHandlers, utilruntime.ReallyCrash, kube.OnPanic = handlers, crash, old
	}()
	var paniced any
	kube.OnPanic = func(_ string, value any, _ []byte) { paniced = value }
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Warning", `299 - "old API"`)
		kubetest.WriteJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{}}`)
	})
	RouteLogs(slog.New(slog.NewTextHandler(&out, nil)), &warned)
	c := ConnectTo(t, server)
	for range 2 {
		if _, err := c.Reads().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	serverWarnings{rest.NewWarningWriter(&warned, rest.WarningWriterOptions{})}.HandleWarningHeaderWithContext(t.Context(), 299, "", "bad\x1b[2J API")
	klog.Background().Info("from client-go")
	var group sync.WaitGroup
	group.Go(func() {
		defer utilruntime.HandleCrash()
		panic("boom")
	})
	group.Wait()
	if got := out.String(); !strings.Contains(got, "from client-go") {
		t.Errorf("%s", got)
	}
	if got := warned.String(); got != "Warning: old API\nWarning: bad API\n" {
		t.Errorf("%q", got)
	}
	for strict, want := range map[bool]string{false: "<nil>", true: "1 warning received (--warnings-as-errors)"} {
		if err := (&Flags{warningsAsErrors: strict}).Warned(); fmt.Sprint(err) != want {
			t.Errorf("warnings as errors %v: %v", strict, err)
		}
	}
	if paniced != "boom" {
		t.Errorf("the panic of a goroutine of client-go: %v", paniced)
	}
}
