package conn_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
)

// TestServerGoesAway closes a real server under a watcher: the news comes from
// the watches that break, not from the next heartbeat, which here finds all well.
func TestServerGoesAway(t *testing.T) {
	opened := make(chan struct{}, 10)
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/readyz":
		case r.URL.Query().Get("sendInitialEvents") != "":
			kubetest.WriteJSON(w, 422, kubetest.Status(422, "Invalid", "no streaming", ""))
		case r.URL.Query().Get("watch") != "":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			opened <- struct{}{}
			<-r.Context().Done()
		default:
			kubetest.WriteJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"n","uid":"u"}}]}`)
		}
	})
	c := conn.ConnectTo(t, server)
	c.OnlyProbeInDoubt()
	w := watch.Start(t.Context(), c, watch.Options{Needs: watch.Whole(kube.KindNodes)})
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), conn.Patient)
	defer cancel()
	if err := kubetest.WaitSynced(ctx, w, kube.KindNodes); err != nil {
		t.Fatal(err)
	}
	<-opened
	if s := w.Snapshot(); !s.Trusted(kube.KindNodes) || s.Sync(kube.KindNodes).Count != 1 {
		t.Fatalf("not in sync: %+v", s.Sync(kube.KindNodes))
	}
	server.Listener.Close() // first: who comes back in between finds a server that is there
	server.CloseClientConnections()
	changed := w.Changed(ctx)
	for w.Snapshot().Health().Live {
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("never down")
		}
	}
	if s := w.Snapshot(); s.Trusted(kube.KindNodes) || s.Sync(kube.KindNodes).Phase != kube.Stale || s.Sync(kube.KindNodes).Count != 1 {
		t.Errorf("while down: %+v", s.Sync(kube.KindNodes))
	}
}
