package conn_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
	"github.com/kdrain-tui/kdrain-tui/kube/write"
)

func TestReadOnlyCluster(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 201, `{"kind":"Status","status":"Success"}`)
	})
	flags := conn.ServerFlags(t, server.URL)
	flags.ReadOnly = true
	c, err := conn.Connect(t.Context(), flags, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	req := request.Evict{Namespace: "n", Name: "x", UID: "u"}
	a := write.New(c).Evict(t.Context(), req)
	if !a.Unsent || a.OK() || !strings.Contains(a.Failure, "read-only: refused to send POST /api/v1/namespaces/n/pods/x/eviction") {
		t.Errorf("evict: %+v", a)
	}
	if a := write.New(c).Cordon(t.Context(), request.Cordon{Node: "n"}); !a.Unsent {
		t.Errorf("cordon: %+v", a)
	}
	req.DryRun = true
	if a := write.New(c).Evict(t.Context(), req); !a.OK() {
		t.Errorf("dry run: %+v", a)
	}
	if n := len(server.Seen()); n != 1 {
		t.Errorf("%d requests reached the server", n)
	}
}
