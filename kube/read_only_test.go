package kube

import (
	"net/http"
	"strings"
	"testing"
)

func TestReadOnlyCluster(t *testing.T) {
	server := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 201, `{"kind":"Status","status":"Success"}`)
	})
	flags := serverFlags(t, server.URL)
	flags.ReadOnly = true
	c, err := Connect(t.Context(), flags, "1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	request := EvictRequest{Namespace: "n", Name: "x", UID: "u"}
	a := NewWriter(c).Evict(t.Context(), request)
	if !a.Unsent || a.OK() || !strings.Contains(a.Failure, "read-only: refused to send POST /api/v1/namespaces/n/pods/x/eviction") {
		t.Errorf("evict: %+v", a)
	}
	if a := NewWriter(c).Cordon(t.Context(), CordonRequest{Node: "n"}); !a.Unsent {
		t.Errorf("cordon: %+v", a)
	}
	request.DryRun = true
	if a := NewWriter(c).Evict(t.Context(), request); !a.OK() {
		t.Errorf("dry run: %+v", a)
	}
	if n := len(server.seen()); n != 1 {
		t.Errorf("%d requests reached the server", n)
	}
}
