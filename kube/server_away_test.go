package kube

import (
	"context"
	"net/http"
	"testing"
)

// TestServerGoesAway closes a real server under a watcher: the news comes from
// the watches that break, not from the next heartbeat, which here finds all well.
func TestServerGoesAway(t *testing.T) {
	opened := make(chan struct{}, 10)
	server := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/readyz":
		case r.URL.Query().Get("sendInitialEvents") != "":
			writeJSON(w, 422, status(422, "Invalid", "no streaming", ""))
		case r.URL.Query().Get("watch") != "":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			opened <- struct{}{}
			<-r.Context().Done()
		default:
			writeJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"n","uid":"u"}}]}`)
		}
	})
	c := connectTo(t, server)
	c.OnlyProbeInDoubt()
	w := Start(t.Context(), c, WatchOptions{Kinds: []Kind{KindNodes}})
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	if err := w.WaitSynced(ctx, KindNodes); err != nil {
		t.Fatal(err)
	}
	<-opened
	if s := w.Snapshot(); !s.Trusted(KindNodes) || s.NodeCount() != 1 {
		t.Fatalf("not in sync: %+v", s.Sync(KindNodes))
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
	if s := w.Snapshot(); s.Trusted(KindNodes) || s.Sync(KindNodes).Phase != Stale || s.NodeCount() != 1 {
		t.Errorf("while down: %+v", s.Sync(KindNodes))
	}
}
