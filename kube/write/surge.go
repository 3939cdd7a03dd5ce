package write

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// Lower takes replicas and annotation back together, and then gives the number to its owners again.
func (w *Writer) Lower(ctx context.Context, r request.Lower) kube.Answer {
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
	var live metav1.PartialObjectMetadata
	t := workload(r.Kind, r.Namespace, r.Name)
	answer := w.send(ctx, http.MethodPatch, t, ourQuery(), contentJSONPatch, patch, &live)
	if answer.OK() && r.Scales() && r.Owners != "" {
		w.giveBack(ctx, t, &live, r.Owners)
	}
	return answer
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
