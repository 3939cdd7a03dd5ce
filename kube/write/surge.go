package write

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Raise writes the replicas and our annotation together: no crash leaves one without the
// other.
func (w *Writer) Raise(ctx context.Context, r request.Raise) kube.Answer {
	return w.send(ctx, http.MethodPatch, workload(r.Kind, r.Namespace, r.Name), ourQuery(),
		contentMergePatch, map[string]any{
			"metadata": map[string]any{"uid": r.UID, "resourceVersion": r.ResourceVersion,
				"annotations": map[string]any{kube.SurgeAnnotation: r.Mark}},
			"spec": map[string]any{"replicas": r.To},
		}, nil)
}

// Lower takes replicas and annotation back together, or gives the number back to its owners.
func (w *Writer) Lower(ctx context.Context, r request.Lower) kube.Answer {
	if r.Owners != "" {
		return w.giveBack(ctx, r)
	}
	mark := annotationPath(kube.SurgeAnnotation)
	patch := []map[string]any{{"op": "test", "path": "/metadata/uid", "value": r.UID}}
	if r.Mark != "" {
		change := map[string]any{"op": "replace", "path": mark, "value": r.Then}
		if r.Then == "" {
			change = map[string]any{"op": "remove", "path": mark}
		}
		patch = append(patch, map[string]any{"op": "test", "path": mark, "value": r.Mark}, change)
	}
	if r.Scales() {
		patch = append(patch, map[string]any{"op": "test", "path": "/spec/replicas", "value": r.From},
			map[string]any{"op": "replace", "path": "/spec/replicas", "value": r.To})
	}
	return w.send(ctx, http.MethodPatch, workload(r.Kind, r.Namespace, r.Name), ourQuery(), contentJSONPatch, patch,
		nil)
}

// SetCost changes the deletion cost of a pod.
func (w *Writer) SetCost(ctx context.Context, r request.SetCost) kube.Answer {
	if r.From == "" {
		return w.send(ctx, http.MethodPatch, pod(r.Namespace, r.Name), ourQuery(),
			contentMergePatch, map[string]any{
				"metadata": map[string]any{"uid": r.UID, "annotations": map[string]any{kube.DeletionCostAnnotation: orNull(r.To, r.To != "")}},
			}, nil)
	}
	cost := annotationPath(kube.DeletionCostAnnotation)
	change := map[string]any{"op": "replace", "path": cost, "value": r.To}
	if r.To == "" {
		change = map[string]any{"op": "remove", "path": cost}
	}
	return w.send(ctx, http.MethodPatch, pod(r.Namespace, r.Name), ourQuery(), contentJSONPatch, []map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": r.UID}, {"op": "test", "path": cost, "value": r.From}, change,
	}, nil)
}

func ourQuery() url.Values { return url.Values{"fieldManager": {kube.FieldManager}} }

// annotationPath is the JSON pointer to an annotation.
func annotationPath(name string) string {
	return "/metadata/annotations/" + strings.ReplaceAll(name, "/", "~1")
}
