package write

import (
	"context"
	"net/http"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// Taint sets the taints of a node.
func (w *Writer) Taint(ctx context.Context, r request.SetTaints) kube.Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", kube.FieldManager)
	return w.send(ctx, http.MethodPatch, node(r.Node), query, contentMergePatch,
		map[string]any{
			"metadata": map[string]any{
				"uid": r.UID, "resourceVersion": r.ResourceVersion,
				"annotations": map[string]any{kube.OutOfServiceAnnotation: orNull(r.Mark, r.Mark != "")},
			},
			"spec": map[string]any{"taints": orNull(r.Taints, len(r.Taints) > 0)},
		}, nil)
}
