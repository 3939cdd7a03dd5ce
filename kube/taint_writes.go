package kube

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// TaintRequest sets the taints of a node and our mark about them in one patch. The
// API replaces the list as a whole, so the patch fails with 409 if the node changed
// since ResourceVersion, and with 422 if the name belongs to another UID now.
type TaintRequest struct {
	Node            string
	UID             UID
	ResourceVersion string
	Taints          []corev1.Taint // all of them, as they are to be
	Mark            string         // content of OutOfServiceAnnotation; "" removes it
	DryRun          DryRun
}

// OutOfService is the taint that tells the cluster that a machine is off (KEP-2268):
// pods that terminate there are forgotten and their volumes detached.
var OutOfService = corev1.Taint{Key: OutOfServiceTaint, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Taint sets the taints of a node.
func (c *Cluster) Taint(ctx context.Context, r TaintRequest) Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", FieldManager)
	return c.send(ctx, http.MethodPatch, "/api/v1/nodes/"+url.PathEscape(r.Node), query, contentMergePatch, map[string]any{
		"metadata": map[string]any{
			"uid": r.UID, "resourceVersion": r.ResourceVersion,
			"annotations": map[string]any{OutOfServiceAnnotation: orNull(r.Mark, r.Mark != "")},
		},
		"spec": map[string]any{"taints": orNull(r.Taints, len(r.Taints) > 0)},
	}, nil)
}

// OutOfService tells whether the node has the taint of a machine that is off.
func (n *Node) OutOfService() bool { return slices.ContainsFunc(n.Taints, isOutOfService) }

// TaintsWith and TaintsWithout are the node's taints with and without the one that
// says that the machine is off.
func (n *Node) TaintsWith() []corev1.Taint {
	return append(n.TaintsWithout(), OutOfService)
}

// TaintsWithout are the taints of the node but for that one.
func (n *Node) TaintsWithout() []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Taints), isOutOfService)
}

func isOutOfService(t corev1.Taint) bool { return t.Key == OutOfServiceTaint }
