package write

import (
	"context"
	"net/http"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Scale changes the number of replicas through the scale subresource.
func (w *Writer) Scale(ctx context.Context, r request.Scale) kube.Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", kube.FieldManager)
	scale := workload(r.Kind, r.Namespace, r.Name).under("scale", "Scale")
	return w.send(ctx, http.MethodPatch, scale, query, contentJSONPatch,
		[]map[string]any{
			{"op": "test", "path": "/metadata/uid", "value": r.UID},
			{"op": "test", "path": "/spec/replicas", "value": r.From},
			{"op": "replace", "path": "/spec/replicas", "value": r.To},
		}, nil)
}

// Restart changes the pod template's annotation that kubectl uses for it
// (k8s.io/kubectl pkg/polymorphichelpers/objectrestarter.go).
func (w *Writer) Restart(ctx context.Context, r request.Restart) kube.Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", kube.FieldManager)
	metadata := map[string]any{"uid": r.UID}
	if r.ResourceVersion != "" {
		metadata["resourceVersion"] = r.ResourceVersion
	}
	annotations := map[string]any{kube.RestartedAtAnnotation: r.At.UTC().Format(time.RFC3339)}
	return w.send(ctx, http.MethodPatch, workload("Deployment", r.Namespace, r.Name), query, contentMergePatch,
		map[string]any{
			"metadata": metadata,
			"spec":     map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": annotations}}},
		}, nil)
}

const contentJSONPatch = "application/json-patch+json"
