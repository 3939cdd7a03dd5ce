package watch

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		versions string
		phase    kube.SyncPhase
		reason   string
	}{
		"v1":      {`[{"version":"v1beta1"},{"version":"v1"}]`, kube.Synced, ""},
		"v1beta1": {`[{"version":"v1beta1"}]`, kube.Synced, ""},
		"alien":   {`[{"version":"v9"}]`, kube.Denied, "[v9] only"},
		"absent":  {"", kube.Denied, "does not serve metrics.k8s.io"},
		"denied":  {`[{"version":"v1"}]`, kube.Denied, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
				version := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/metrics.k8s.io/"), "/")[0]
				switch {
				case r.URL.Path == "/apis/metrics.k8s.io" && c.versions == "":
					kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "the server could not find the requested resource", ""))
				case r.URL.Path == "/apis/metrics.k8s.io":
					kubetest.WriteJSON(w, 200, `{"kind":"APIGroup","apiVersion":"v1","name":"metrics.k8s.io","versions":`+c.versions+`}`)
				case name == "denied":
					kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "nodes.metrics.k8s.io is forbidden", ""))
				case version != name:
					kubetest.WriteJSON(w, 500, kubetest.Status(500, "", "asked for "+version, ""))
				case strings.HasSuffix(r.URL.Path, "/nodes"):
					kubetest.WriteJSON(w, 200, `{"kind":"NodeMetricsList","apiVersion":"metrics.k8s.io/`+version+`","items":[
						{"metadata":{"name":"n"},"timestamp":"2026-11-01T00:00:00Z","window":"10s","usage":{"cpu":"1500m","memory":"1Gi"}}]}`)
				case strings.HasSuffix(r.URL.Path, "/namespaces/shop/pods"):
					kubetest.WriteJSON(w, 200, `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/`+version+`","items":[
						{"metadata":{"name":"p","namespace":"shop"},"timestamp":"2026-11-01T00:00:00Z","window":"10s","containers":[
							{"name":"a","usage":{"cpu":"500m","memory":"1Gi"}},{"name":"b","usage":{"cpu":"1","memory":"1Gi"}}]}]}`)
				default:
					t.Errorf("asked for %s, which no screen shows", r.URL.Path)
				}
			})
			cluster := conntest.To(t, server)
			pods, err := ReadPodUsage(t.Context(), cluster, "shop")
			if denied := c.phase == kube.Denied; (err != nil) != denied || denied && name != "denied" && !strings.Contains(err.Error(), c.reason) {
				t.Errorf("usage of pods: %v", err)
			} else if p := pods["shop/p"]; !denied && (p.CPUMilli != 1500 || p.MemoryBytes != 2<<30) {
				t.Errorf("usage of pods: %v", pods)
			}
			w := Start(t.Context(), cluster, Options{Needs: Whole(kube.KindUsage)})
			defer w.Close()
			if err := kubetest.WaitSynced(t.Context(), w, kube.KindUsage); err != nil {
				t.Fatal(err)
			}
			s := w.Snapshot()
			if state := s.Sync(kube.KindUsage); state.Phase != c.phase || !strings.Contains(state.Reason, c.reason) {
				t.Fatalf("%+v", state)
			}
			if c.phase == kube.Denied {
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
