package write

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

func TestLeaseRequests(t *testing.T) {
	server := kubetest.NewServer(t, func(w http.ResponseWriter, r *http.Request) {
		kind := "Lease"
		if strings.HasSuffix(r.URL.Path, "/events") {
			kind = "Event"
		}
		kubetest.WriteJSON(w, 200, `{"kind":"`+kind+`","metadata":{"name":"kdrain-node-u-1","uid":"l-1","resourceVersion":"9"}}`)
	})
	c := conntest.To(t, server)
	w := request.WriteLease{Namespace: "kube-system", Node: "a", NodeUID: "u-1", Run: "r1", By: "bob", Reason: "disk", Since: time.Unix(0, 0), Renewed: time.Unix(10, 0)}
	for _, test := range []struct {
		send         func() kube.Answer
		method, path string
		has          []string
	}{
		{func() kube.Answer { return New(c).CreateLease(t.Context(), w) }, "POST", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
			[]string{`"name":"kdrain-node-u-1"`, `"holderIdentity":"r1"`, `"leaseDurationSeconds":30`, `"kind":"Node","name":"a","uid":"u-1"`,
				`"app.kubernetes.io/managed-by":"kdrain-tui"`, `"kdrain-tui.dev/run":"r1"`, `"kdrain-tui.dev/by":"bob"`, `"kdrain-tui.dev/reason":"disk"`}},
		{func() kube.Answer {
			renewed := w
			renewed.UID, renewed.ResourceVersion, renewed.Transitions = "l-1", "8", 2
			return New(c).UpdateLease(t.Context(), renewed)
		}, "PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1",
			[]string{`"uid":"l-1"`, `"resourceVersion":"8"`, `"leaseTransitions":2`, `"renewTime":"1970-01-01T00:00:10.000000Z"`}},
		{func() kube.Answer {
			return New(c).DeleteLease(t.Context(), request.DeleteLease{Namespace: "kube-system", Name: "kdrain-node-u-1", UID: "l-1", ResourceVersion: "9"})
		}, "DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kdrain-node-u-1", []string{`"preconditions":{"uid":"l-1","resourceVersion":"9"}`}},
		{func() kube.Answer {
			return New(c).WriteEvent(t.Context(), request.NodeEvent{Node: "a", UID: "u-1", Reason: kube.ReasonDrainDone, Message: strings.Repeat("ä", 700), At: time.Unix(0, 0)})
		}, "POST", "/api/v1/namespaces/default/events", []string{`"involvedObject":{"kind":"Node","name":"a","uid":"u-1"`, `"reason":"DrainDone"`, `ä..."`, `"generateName":"a."`}},
	} {
		before := len(server.Seen())
		a := test.send()
		seen := server.Seen()[before:]
		if !a.OK() || a.ResourceVersion != "9" || len(seen) != 1 || seen[0].Method != test.method || seen[0].Path != test.path {
			t.Fatalf("%s %s: %+v %+v", test.method, test.path, a, seen)
		}
		for _, part := range test.has {
			if !strings.Contains(seen[0].Body, part) {
				t.Errorf("%s lacks %s:\n%s", test.method, part, seen[0].Body)
			}
		}
		if !json.Valid([]byte(seen[0].Body)) {
			t.Error("no JSON")
		}
	}
}
