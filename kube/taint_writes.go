package kube

import (
	"context"
	"net/http"
	"net/url"
)

// Taint sets the taints of a node.
func (w *clusterWriter) Taint(ctx context.Context, r TaintRequest) Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", FieldManager)
	return w.send(ctx, http.MethodPatch, "/api/v1/nodes/"+url.PathEscape(r.Node), query, contentMergePatch, map[string]any{
		"metadata": map[string]any{
			"uid": r.UID, "resourceVersion": r.ResourceVersion,
			"annotations": map[string]any{OutOfServiceAnnotation: orNull(r.Mark, r.Mark != "")},
		},
		"spec": map[string]any{"taints": orNull(r.Taints, len(r.Taints) > 0)},
	}, nil)
}
