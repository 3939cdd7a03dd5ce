package watch

import (
	"context"
	"net/http"
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
	w := Start(t.Context(), conntest.To(t, server), Options{Kinds: []kube.Kind{kube.KindPods, kube.KindBudgets}})
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

// What concerns the nodes is asked for first, with field selectors and without a
// stream, and is trusted while the list of all pods is held back.
func TestFirstNodesComeFirst(t *testing.T) {
	held := make(chan struct{})
	asked := make(chan string, 100)
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("watch") != "" && query.Get("sendInitialEvents") == "" {
			<-r.Context().Done()
			return
		}
		version := `"metadata":{"resourceVersion":"100"}`
		switch field := query.Get("fieldSelector"); {
		case query.Get("watch") != "":
			kubetest.WriteJSON(w, 422, kubetest.Status(422, "Invalid", "no stream", ""))
		case r.URL.Path == "/api/v1/pods" && field == "":
			asked <- "all pods"
			select {
			case <-held:
			case <-r.Context().Done():
			}
			kubetest.WriteJSON(w, 200, `{"kind":"PodList","apiVersion":"v1",`+version+`,"items":[]}`)
		case r.URL.Path == "/api/v1/pods":
			asked <- field
			kubetest.WriteJSON(w, 200, `{"kind":"PodList","apiVersion":"v1",`+version+`,"items":[
				{"metadata":{"namespace":"a","name":"p","uid":"1","resourceVersion":"7"},"spec":{"nodeName":"n"}}]}`)
		case field != "":
			asked <- field
			kubetest.WriteJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1",`+version+`,"items":[{"metadata":{"name":"n","uid":"2","resourceVersion":"8"}}]}`)
		default:
			kubetest.WriteJSON(w, 200, `{"kind":"List","apiVersion":"v1",`+version+`,"items":[]}`)
		}
	})
	t.Cleanup(f.CloseClientConnections)
	c := conntest.To(t, f)
	w := Start(t.Context(), c, Options{Kinds: []kube.Kind{kube.KindNodes, kube.KindPods}, First: []string{"n"}})
	defer w.Close()
	got := map[string]bool{<-asked: true, <-asked: true}
	if last := <-asked; !got["spec.nodeName=n"] || !got["metadata.name=n"] || last != "all pods" {
		t.Errorf("first %v, then %s", got, last)
	}
	s := w.Snapshot()
	if !s.On("n").Trusted(kube.KindNodes, kube.KindPods) || s.Trusted(kube.KindPods) || len(s.PodsOn("n")) != 1 {
		t.Errorf("%+v %v", s.On("n").Sync(kube.KindPods), s.PodsOn("n"))
	}
	close(held)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := kubetest.WaitSynced(ctx, w, kube.KindPods, kube.KindNodes); err != nil {
		t.Fatal(err)
	}
}
