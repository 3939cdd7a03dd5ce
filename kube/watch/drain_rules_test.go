package watch

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/clusterapi"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

const (
	drainRulePage1 = `{"kind":"List","metadata":{"continue":"more"},"items":[
		{"metadata":{"namespace":"fleet","name":"b"},"spec":{"drain":{"behavior":"Drain","order":7},
			"machines":[{"selector":{"matchLabels":{"os":"linux"}},"clusterSelector":{"matchLabels":{"stage":"prod"}}}],
			"pods":[{"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["a","b"]}]}},{"namespaceSelector":{}}]}}]}`
	drainRulePage2 = `{"kind":"List","metadata":{},"items":[
		{"metadata":{"namespace":"fleet","name":"a"},"spec":{"drain":{"behavior":"Skip"}}},
		{"metadata":{"namespace":"fleet","name":"c"},"spec":{"drain":{"behavior":"Skip"},"pods":[{"selector":{"matchExpressions":[{"key":"app","operator":"Near"}]}}]}}]}`
	drainMachines = `{"kind":"List","items":[{"metadata":{"namespace":"fleet","name":"m1","labels":{"os":"linux"}},"spec":{"clusterName":"prod","providerID":"cloud://1"},
		"status":{"nodeRef":{"name":"w1","uid":"u1"}}},{"metadata":{"namespace":"fleet","name":"m2"}}]}`
	drainClusters = `{"kind":"List","items":[{"metadata":{"namespace":"fleet","name":"prod","labels":{"stage":"prod"}}}]}`
)

func groupOf(versions ...string) string {
	text := `{"kind":"APIGroup","apiVersion":"v1","name":"cluster.x-k8s.io","versions":[`
	for i, v := range versions {
		if i > 0 {
			text += ","
		}
		text += `{"groupVersion":"cluster.x-k8s.io/` + v + `","version":"` + v + `"}`
	}
	return text + `]}`
}

// Rules are read page by page in the newest version that has them, with Machines and Clusters only
// where they matter. What may not be read says so; a failure is one.
func TestDrainRules(t *testing.T) {
	const served = `{"kind":"APIResourceList","apiVersion":"v1","resources":[{"name":"machinedrainrules","kind":"MachineDrainRule"}]}`
	const older = "cluster.x-k8s.io/v1beta1"
	for _, c := range []struct {
		name    string
		answers map[string]string // by path below /apis, "403" and "500" for those; else 404
		asked   []string
		read    func(*clusterapi.Rules) bool
		fails   bool
	}{
		{"not served", nil, []string{"cluster.x-k8s.io"}, func(r *clusterapi.Rules) bool { return r.Hidden == "" && len(r.Rules) == 0 }, false},
		{"a version that is too old", map[string]string{"cluster.x-k8s.io": groupOf("v1alpha4")}, []string{"cluster.x-k8s.io"},
			func(r *clusterapi.Rules) bool { return r.Hidden == "" && len(r.Rules) == 0 }, false},
		{"the newest version has none", map[string]string{"cluster.x-k8s.io": groupOf("v1beta1", "v1beta2"), "cluster.x-k8s.io/v1beta2": `{"kind":"APIResourceList","resources":[]}`,
			older: served, older + "/machinedrainrules": `{"kind":"List","items":[]}`},
			[]string{"cluster.x-k8s.io", older, older + "/machinedrainrules", "cluster.x-k8s.io/v1beta2"},
			func(r *clusterapi.Rules) bool { return len(r.Rules) == 0 && r.MachinesHidden == "" }, false},
		{"all", map[string]string{"cluster.x-k8s.io": groupOf("v1beta1"), older: served, older + "/machinedrainrules": drainRulePage1,
			older + "/machinedrainrules more": drainRulePage2, older + "/machines": drainMachines, older + "/clusters": drainClusters},
			[]string{"cluster.x-k8s.io", older, older + "/clusters", older + "/machinedrainrules", older + "/machinedrainrules more", older + "/machines"},
			func(r *clusterapi.Rules) bool {
				b, m := r.Rules[0], r.Machines[0]
				return len(r.Rules) == 3 && b.Order == 7 && b.Behavior == "Drain" && b.Machines[0].Own.String() == "os=linux" &&
					b.Machines[0].Of.String() == "stage=prod" && b.Pods[0].Own.String() == "app in (a,b)" && b.Pods[0].Of.Empty() && b.Pods[1].Own.Empty() &&
					b.Invalid == "" && r.Rules[1].Name == "a" && strings.HasPrefix(r.Rules[2].Invalid, "spec.pods: ") &&
					m.Node == "w1" && m.NodeUID == "u1" && m.ProviderID == "cloud://1" && m.Cluster == "prod" && m.Labels["os"] == "linux" &&
					r.Clusters["fleet/prod"]["stage"] == "prod"
			}, false},
		{"no right to list the rules", map[string]string{"cluster.x-k8s.io": groupOf("v1beta1"), older: served, older + "/machinedrainrules": "403"},
			[]string{"cluster.x-k8s.io", older, older + "/machinedrainrules"},
			func(r *clusterapi.Rules) bool {
				return r.Hidden == "no right to list machinedrainrules.cluster.x-k8s.io"
			}, false},
		{"no right to list the machines", map[string]string{"cluster.x-k8s.io": groupOf("v1beta1"), older: served,
			older + "/machinedrainrules": drainRulePage2, older + "/machines": "403"},
			[]string{"cluster.x-k8s.io", older, older + "/machinedrainrules", older + "/machines"},
			func(r *clusterapi.Rules) bool {
				return r.Hidden == "" && r.MachinesHidden == "no right to list machines.cluster.x-k8s.io"
			}, false},
		{"no right to ask what is served", map[string]string{"cluster.x-k8s.io": "403"}, []string{"cluster.x-k8s.io"},
			func(r *clusterapi.Rules) bool { return r.Hidden != "" }, false},
		{"a failure", map[string]string{"cluster.x-k8s.io": groupOf("v1beta1"), older: served, older + "/machinedrainrules": "500"},
			[]string{"cluster.x-k8s.io", older, older + "/machinedrainrules"}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
				path := strings.TrimPrefix(r.URL.Path, "/apis/")
				if next := r.URL.Query().Get("continue"); next != "" {
					path += " " + next
				}
				if strings.HasPrefix(path, "cluster.x-k8s.io") {
					mu.Lock()
					asked = append(asked, path)
					mu.Unlock()
				}
				switch text := c.answers[path]; text {
				case "":
					kubetest.WriteJSON(w, 404, kubetest.Status(404, "NotFound", "no such thing", ""))
				case "403":
					kubetest.WriteJSON(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
				case "500":
					kubetest.WriteJSON(w, 500, kubetest.Status(500, "InternalError", "no", ""))
				default:
					kubetest.WriteJSON(w, 200, text)
				}
			})
			store := kube.NewStore(time.Now)
			rules := NewDrainRules(conntest.To(t, f))
			clock := time.Unix(0, 0).Add(time.Hour)
			rules.now = func() time.Time { return clock }
			err := rules.Read(t.Context(), store)
			read := store.Snapshot().DrainRules
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(asked); !slices.Equal(asked, c.asked) {
				t.Errorf("asked for %q, want %q", asked, c.asked)
			}
			if (err != nil) != c.fails || (read == nil) != c.fails {
				t.Fatalf("%v, %+v", err, read)
			}
			if !c.fails && !c.read(read) {
				t.Errorf("read %+v", read)
			}
			mu.Unlock()
			_ = rules.Read(t.Context(), store)
			mu.Lock()
			if again := len(asked) > len(c.asked); again != c.fails {
				t.Errorf("asked again at once: %q", asked)
			}
		})
	}
}
