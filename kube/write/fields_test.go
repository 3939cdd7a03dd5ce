package write

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube/conn/conntest"
	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Each field is tested before it is changed, and a field that was not set is removed again.
func TestSetFields(t *testing.T) {
	kind := ""
	server := kubetest.NewServer(t, func(w http.ResponseWriter, _ *http.Request) {
		kubetest.WriteJSON(w, 200, `{"kind":"`+kind+`","metadata":{"name":"n1","uid":"u"}}`)
	})
	w := New(conntest.To(t, server))
	r := request.SetFields{Kind: "Node", Namespace: "longhorn-system", Name: "n1", UID: "u", Fields: request.Fields{APIVersion: "longhorn.io/v1beta2",
		Resource: "nodes", Under: "spec", From: `{"allowScheduling":true,"evictionRequested":null}`, To: `{"allowScheduling":false,"evictionRequested":true}`}}
	annotation := request.SetFields{Kind: "Pod", Namespace: "kafka", Name: "n1", UID: "u", Fields: request.Fields{APIVersion: "v1",
		Resource: "pods", Under: "metadata.annotations", From: `{"strimzi.io/manual-rolling-update":null}`, To: `{"strimzi.io/manual-rolling-update":"true"}`}}
	back := r
	back.Fields = r.Back()
	for _, c := range []struct {
		r           request.SetFields
		path, patch string
	}{
		{r, "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/nodes/n1", `[{"op":"test","path":"/metadata/uid","value":"u"},
			{"op":"test","path":"/spec/allowScheduling","value":true},{"op":"add","path":"/spec/allowScheduling","value":false},
			{"op":"test","path":"/spec/evictionRequested","value":null},{"op":"add","path":"/spec/evictionRequested","value":true}]`},
		{back, "/apis/longhorn.io/v1beta2/namespaces/longhorn-system/nodes/n1", `[{"op":"test","path":"/metadata/uid","value":"u"},
			{"op":"test","path":"/spec/allowScheduling","value":false},{"op":"add","path":"/spec/allowScheduling","value":true},
			{"op":"test","path":"/spec/evictionRequested","value":true},{"op":"remove","path":"/spec/evictionRequested"}]`},
		{annotation, "/api/v1/namespaces/kafka/pods/n1", `[{"op":"test","path":"/metadata/uid","value":"u"},
			{"op":"test","path":"/metadata/annotations/strimzi.io~1manual-rolling-update","value":null},
			{"op":"add","path":"/metadata/annotations/strimzi.io~1manual-rolling-update","value":"true"}]`},
	} {
		kind = c.r.Kind
		if a := w.SetFields(t.Context(), c.r); !a.OK() {
			t.Errorf("%+v", a)
		}
		seen := server.Seen()
		path, patch := seen[len(seen)-1].Path, seen[len(seen)-1].Body
		var got, want any
		_, _ = json.Unmarshal([]byte(patch), &got), json.Unmarshal([]byte(c.patch), &want)
		if path != c.path || path != c.r.Path() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s\nwant %s %s", path, patch, c.path, c.patch)
		}
	}
	r.To = "no JSON"
	if a := w.SetFields(t.Context(), r); !a.Unsent {
		t.Errorf("%+v", a)
	}
}
