package kube

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// JSON of a large cluster would take four times as long.
func TestEveryKindIsAskedForInProtobuf(t *testing.T) {
	groups := map[string][]Kind{
		"/api/v1":                               {KindNodes, KindPods, KindReplicationControllers, KindClaims, KindVolumes, KindNamespaces, KindServices, KindQuotas},
		"/apis/policy/v1":                       {KindBudgets},
		"/apis/apps/v1":                         {KindReplicaSets, KindDeployments, KindStatefulSets, KindDaemonSets},
		"/apis/batch/v1":                        {KindJobs},
		"/apis/storage.k8s.io/v1":               {KindStorageClasses, KindCSINodes, KindCSIDrivers, KindAttachments},
		"/apis/admissionregistration.k8s.io/v1": {KindValidatingWebhooks, KindMutatingWebhooks},
		"/apis/autoscaling/v2":                  {KindAutoscalers},
		"/apis/coordination.k8s.io/v1/namespaces/kube-system": {KindLeases},
	}
	var accept string
	f := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		accept = r.Header.Get("Accept")
		writeJSON(w, 200, `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}`)
	})
	c := connectTo(t, f)
	left := maps.Clone(sources)
	for group, kinds := range groups {
		for _, k := range kinds {
			delete(left, k)
			if _, err := queryOf(c.Reads(), scope{kind: k}, "").list(t.Context(), listOptions{}); err != nil {
				t.Errorf("%s: %v", k, err)
			}
			seen := f.seen()
			if path := seen[len(seen)-1].path; path != group+"/"+string(k) || !strings.HasPrefix(accept, "application/vnd.kubernetes.protobuf") {
				t.Errorf("%s: asked %s for %s", k, path, accept)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("not in this test: %v", slices.Collect(maps.Keys(left)))
	}
}

// Only Leases of ours are asked for, in the one namespace.
func TestOnlyOurLeasesAreListed(t *testing.T) {
	server := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, `{"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[]}`)
	})
	c := connectTo(t, server)
	q := queryOf(c.Reads(), scope{kind: KindLeases}, "maintenance")
	before := len(server.seen())
	if _, err := q.list(t.Context(), listOptions{}); err != nil {
		t.Fatal(err)
	}
	request := server.seen()[before]
	if request.path != "/apis/coordination.k8s.io/v1/namespaces/maintenance/leases" || !strings.Contains(request.query, "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dkdrain-tui") {
		t.Errorf("%+v", request)
	}
}
