package kube

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestLeaseRequests(t *testing.T) {
	server := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 200, `{"kind":"Lease","metadata":{"uid":"l-1","resourceVersion":"9"}}`)
	})
	c := connectTo(t, server)
	w := LeaseWrite{Namespace: "kube-system", Node: "a", NodeUID: "u-1", Run: "r1", By: "bob", Reason: "disk", Since: time.Unix(0, 0), Renewed: time.Unix(10, 0)}
	for _, test := range []struct {
		send         func() Answer
		method, path string
		has          []string
	}{
		{func() Answer { return NewWriter(c).CreateLease(t.Context(), w) }, "POST", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
			[]string{`"name":"kdrain-node-u-1"`, `"holderIdentity":"r1"`, `"leaseDurationSeconds":30`, `"kind":"Node","name":"a","uid":"u-1"`,
				`"app.kubernetes.io/managed-by":"kdrain-tui"`, `"kdrain-tui.dev/run":"r1"`, `"kdrain-tui.dev/by":"bob"`, `"kdrain-tui.dev/reason":"disk"`}},
		{func() Answer {
			renewed := w
			renewed.UID, renewed.ResourceVersion, renewed.Transitions = "l-1", "8", 2
			return NewWriter(c).UpdateLease(t.Context(), renewed)
		}, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1",
			[]string{`"uid":"l-1"`, `"resourceVersion":"8"`, `"leaseTransitions":2`, `"renewTime":"1970-01-01T00:00:10.000000Z"`}},
		{func() Answer {
			return NewWriter(c).DeleteLease(t.Context(), LeaseRef{Namespace: "kube-system", Name: "kdrain-node-u-1", UID: "l-1", ResourceVersion: "9"})
		}, "DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1", []string{`"preconditions":{"uid":"l-1","resourceVersion":"9"}`}},
		{func() Answer {
			return NewWriter(c).WriteEvent(t.Context(), NodeEvent{Node: "a", UID: "u-1", Reason: ReasonDrainDone, Message: strings.Repeat("ä", 700), At: time.Unix(0, 0)})
		}, "POST", "/api/v1/namespaces/default/events", []string{`"involvedObject":{"kind":"Node","name":"a","uid":"u-1"`, `"reason":"DrainDone"`, `ä..."`, `"generateName":"a."`}},
	} {
		before := len(server.seen())
		a := test.send()
		seen := server.seen()[before:]
		if !a.OK() || a.ResourceVersion != "9" || len(seen) != 1 || seen[0].method != test.method || seen[0].path != test.path {
			t.Fatalf("%s %s: %+v %+v", test.method, test.path, a, seen)
		}
		for _, part := range test.has {
			if !strings.Contains(seen[0].body, part) {
				t.Errorf("%s lacks %s:\n%s", test.method, part, seen[0].body)
			}
		}
		if !json.Valid([]byte(seen[0].body)) {
			t.Error("no JSON")
		}
	}
}
