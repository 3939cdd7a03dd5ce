package watch

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// TestWatchDenied runs a whole watcher where nothing may be listed.
func TestWatchDenied(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "not you", ""))
	})
	w := Start(t.Context(), conntest.To(t, server), Options{Needs: Whole(kube.KindPods, kube.KindBudgets)})
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := kubetest.WaitSynced(ctx, w, kube.KindPods, kube.KindBudgets); err != nil {
		t.Fatal(err)
	}
	if s := w.Snapshot().Sync(kube.KindPods); s.Phase != kube.Denied || s.Reason != "not you" {
		t.Errorf("%+v", s)
	}
}

// What is needed is asked for as it becomes known, with field selectors and in its namespace, each once; of what else
// there is nothing is read, until somebody waits for it.
func TestOnlyWhatIsNeededIsRead(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("watch") != "" {
			<-r.Context().Done()
			return
		}
		mu.Lock()
		asked[strings.TrimSuffix(r.URL.Path+" "+query.Get("fieldSelector"), " ")]++
		mu.Unlock()
		items := "[]"
		if strings.HasPrefix(query.Get("fieldSelector"), "spec.nodeName=n") {
			items = `[{"metadata":{"namespace":"a","name":"p","uid":"1","resourceVersion":"7"},"spec":{"nodeName":"n"}}]`
		}
		kubetest.WriteJSON(w, 200, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":`+items+`}`)
	})
	t.Cleanup(f.CloseClientConnections)
	pods := kube.Scope{Kind: kube.KindPods, Node: "n"}
	w := Start(t.Context(), conntest.To(t, f), Options{Needs: func(s *kube.Snapshot) ([]kube.Scope, bool) {
		scopes := []kube.Scope{pods, {Kind: kube.KindPods, Unbound: true}}
		for _, p := range s.PodsOn("n") {
			scopes = append(scopes, kube.Scope{Kind: kube.KindPods, Namespace: p.Namespace})
		}
		return scopes, false
	}})
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	shows(ctx, t, w, func(s *kube.Snapshot) bool {
		return s.In("a").Trusted(kube.KindPods) && s.On("", "n").Trusted(kube.KindPods)
	})
	if s := w.Snapshot(); s.Trusted(kube.KindPods) || s.On("m").Trusted(kube.KindPods) || s.In("b").Settled(kube.KindPods) {
		t.Error("what was not read is trusted")
	}
	w.Bring(pods, kube.Scope{Kind: kube.KindPods})
	shows(ctx, t, w, func(s *kube.Snapshot) bool { return s.Trusted(kube.KindPods) })
	w.Bring(kube.Scope{Kind: kube.KindPods, Namespace: "b"}) // with all others already
	if s := w.Snapshot(); !s.In("b").Trusted(kube.KindPods) {
		t.Errorf("%+v", s.In("b").Sync(kube.KindPods))
	}
	w.Close()
	mu.Lock()
	defer mu.Unlock()
	want := map[string]int{"/api/v1/pods": 1, "/api/v1/pods spec.nodeName=": 1, "/api/v1/pods spec.nodeName=n": 1,
		"/api/v1/namespaces/a/pods": 1}
	if maps.DeleteFunc(asked, func(path string, _ int) bool { return !strings.Contains(path, "pods") }); !maps.Equal(asked, want) {
		t.Errorf("asked for %v", asked)
	}
	w.Bring(kube.Scope{Kind: kube.KindNodes}) // of a closed watcher begins nothing
}

func shows(ctx context.Context, t *testing.T, w *Watcher, holds func(*kube.Snapshot) bool) {
	t.Helper()
	changed := w.Changed(ctx)
	for !holds(w.Snapshot()) {
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("it does not come true")
		}
	}
}

// Nodes come first, then pods and budgets, then the rest; what cannot be read holds back nothing.
func TestWholeComesInTurn(t *testing.T) {
	const nodes, pods, budgets, claims = kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindClaims
	needs, store := Whole(claims, budgets, pods, nodes), kube.NewStore(time.Now)
	for _, step := range []struct {
		kind  kube.Kind
		state kube.SyncState
		want  []kube.Kind
		final bool
	}{
		{nodes, kube.SyncState{}, []kube.Kind{nodes}, false},
		{nodes, kube.SyncState{Phase: kube.Synced}, []kube.Kind{nodes, budgets, pods}, false},
		{pods, kube.SyncState{Phase: kube.Denied}, []kube.Kind{nodes, budgets, pods}, false},
		{budgets, kube.SyncState{Reason: "listing budgets: 500"}, []kube.Kind{nodes, budgets, pods, claims}, true},
		{nodes, kube.SyncState{Phase: kube.Stale}, []kube.Kind{nodes, budgets, pods, claims}, true},
	} {
		store.SetSync(step.kind, step.state)
		scopes, final := needs(store.Snapshot())
		var kinds []kube.Kind
		for _, of := range scopes {
			kinds = append(kinds, of.Kind)
		}
		if !slices.Equal(kinds, step.want) || final != step.final {
			t.Errorf("%s %+v: %v, final %v", step.kind, step.state, kinds, final)
		}
	}
	if _, final := Whole(claims)(kube.NewStore(time.Now).Snapshot()); !final {
		t.Error("claims alone wait for something")
	}
}
