package write

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// SetFields changes fields of an object. A test of null passes where the field is not set.
func (w *Writer) SetFields(ctx context.Context, r request.SetFields) kube.Answer {
	var from, to map[string]any
	for text, values := range map[string]*map[string]any{r.From: &from, r.To: &to} {
		if err := json.Unmarshal([]byte(text), values); err != nil {
			return kube.Answer{Failure: "encoding the request: " + err.Error(), Unsent: true}
		}
	}
	patch := []map[string]any{{"op": "test", "path": "/metadata/uid", "value": r.UID}}
	for _, field := range slices.Sorted(maps.Keys(to)) {
		path := "/" + strings.ReplaceAll(r.Under, ".", "/") + "/" + strings.ReplaceAll(field, "/", "~1")
		change := map[string]any{"op": "add", "path": path, "value": to[field]}
		if to[field] == nil {
			change = map[string]any{"op": "remove", "path": path}
		}
		patch = append(patch, map[string]any{"op": "test", "path": path, "value": from[field]}, change)
	}
	object := target{root: "/apis/" + r.APIVersion, namespace: r.Namespace, resource: r.Resource, name: r.Name,
		kind: r.Kind}
	if r.Right().Group == "" {
		object.root = "/api/" + r.APIVersion
	}
	return w.send(ctx, http.MethodPatch, object, ourQuery(), contentJSONPatch, patch, nil)
}
