package kube

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		versions string
		phase    SyncPhase
		reason   string
	}{
		"v1":      {`[{"version":"v1beta1"},{"version":"v1"}]`, Synced, ""},
		"v1beta1": {`[{"version":"v1beta1"}]`, Synced, ""},
		"alien":   {`[{"version":"v9"}]`, Denied, "[v9] only"},
		"absent":  {"", Denied, "does not serve metrics.k8s.io"},
		"denied":  {`[{"version":"v1"}]`, Denied, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
				version := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/metrics.k8s.io/"), "/")[0]
				switch {
				case r.URL.Path == "/apis/metrics.k8s.io" && c.versions == "":
					writeJSON(w, 404, status(404, "NotFound", "the server could not find the requested resource", ""))
				case r.URL.Path == "/apis/metrics.k8s.io":
					writeJSON(w, 200, `{"kind":"APIGroup","apiVersion":"v1","name":"metrics.k8s.io","versions":`+c.versions+`}`)
				case name == "denied":
					writeJSON(w, 403, status(403, "Forbidden", "nodes.metrics.k8s.io is forbidden", ""))
				case version != name:
					writeJSON(w, 500, status(500, "", "asked for "+version, ""))
				case strings.HasSuffix(r.URL.Path, "/nodes"):
					writeJSON(w, 200, `{"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/`+version+`","items":[
						{"metadata":{"name":"n"},"timestamp":"2026-11-01T00:00:00Z","window":"10s","usage":{"cpu":"1500m","memory":"1Gi"}}]}`)
				default:
					t.Errorf("asked for %s, which no screen shows", r.URL.Path)
				}
			})
			w := Start(t.Context(), connectTo(t, server), WatchOptions{Kinds: []Kind{KindUsage}})
			defer w.Close()
			if err := w.WaitSynced(t.Context(), KindUsage); err != nil {
				t.Fatal(err)
			}
			s := w.Snapshot()
			if state := s.Sync(KindUsage); state.Phase != c.phase || !strings.Contains(state.Reason, c.reason) {
				t.Fatalf("%+v", state)
			}
			if c.phase == Denied {
				return
			}
			at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
			node, _ := s.NodeUsage("n")
			if node.CPUMilli != 1500 || node.MemoryBytes != 1<<30 || !node.At.Equal(at) {
				t.Errorf("node %+v", node)
			}
		})
	}
}
