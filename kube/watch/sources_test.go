package watch

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// JSON of a large cluster would take four times as long.
func TestEveryKindIsAskedForInProtobuf(t *testing.T) {
	groups := map[string][]kube.Kind{
		"/api/v1":                               {kube.KindNodes, kube.KindPods, kube.KindReplicationControllers, kube.KindClaims, kube.KindVolumes, kube.KindNamespaces, kube.KindServices, kube.KindQuotas},
		"/apis/policy/v1":                       {kube.KindBudgets},
		"/apis/apps/v1":                         {kube.KindReplicaSets, kube.KindDeployments, kube.KindStatefulSets, kube.KindDaemonSets},
		"/apis/batch/v1":                        {kube.KindJobs},
		"/apis/storage.k8s.io/v1":               {kube.KindStorageClasses, kube.KindCSINodes, kube.KindCSIDrivers, kube.KindAttachments},
		"/apis/admissionregistration.k8s.io/v1": {kube.KindValidatingWebhooks, kube.KindMutatingWebhooks},
		"/apis/autoscaling/v2":                  {kube.KindAutoscalers},
		"/apis/coordination.k8s.io/v1/namespaces/kube-system": {kube.KindLeases},
	}
	var accept string
	f := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		accept = r.Header.Get("Accept")
		kubetest.WriteJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
	})
	c := conntest.To(t, f)
	left := maps.Clone(sources)
	for group, kinds := range groups {
		for _, k := range kinds {
			delete(left, k)
			if _, err := queryOf(c.Reads(), kube.Scope{Kind: k}, "").list(t.Context(), listOptions{}); err != nil {
				t.Errorf("%s: %v", k, err)
			}
			seen := f.Seen()
			if path := seen[len(seen)-1].Path; path != group+"/"+string(k) || !strings.HasPrefix(accept, "application/vnd.kubernetes.protobuf") {
				t.Errorf("%s: asked %s for %s", k, path, accept)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("not in this test: %v", slices.Collect(maps.Keys(left)))
	}
}

// A list without a version, which a decoder makes of any object, is not "there are none".
func TestListOfAGateway(t *testing.T) {
	for _, body := range []string{`{}`, `{"kind":"PodList","apiVersion":"v1"}`, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`} {
		c := conntest.To(t, kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) { kubetest.WriteJSON(w, 200, body) }))
		if list, err := queryOf(c.Reads(), kube.Scope{Kind: kube.KindPods}, "").list(t.Context(), listOptions{}); err == nil {
			t.Errorf("%s: %v", body, list)
		}
		if names, err := NodeNames(t.Context(), c, "a=b"); err == nil {
			t.Errorf("%s: %v", body, names)
		}
	}
}

// Only Leases of ours are asked for, in the one namespace.
func TestOnlyOurLeasesAreListed(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 200, `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[]}`)
	})
	c := conntest.To(t, server)
	q := queryOf(c.Reads(), kube.Scope{Kind: kube.KindLeases}, "maintenance")
	before := len(server.Seen())
	if _, err := q.list(t.Context(), listOptions{}); err != nil {
		t.Fatal(err)
	}
	request := server.Seen()[before]
	if request.Path != "/apis/coordination.k8s.io/v1/namespaces/maintenance/leases" || !strings.Contains(request.Query, "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkdrain-tui") {
		t.Errorf("%+v", request)
	}
}
