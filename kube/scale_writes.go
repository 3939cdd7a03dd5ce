package kube

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ScaleRequest changes the number of replicas of one workload from what it was
// believed to be. It fails with 422 if the number is another by now and with 409
// if the name is another UID's: the patch tests both. A resourceVersion would be the
// stricter condition, and a useless one: every change of the status makes it old.
type ScaleRequest struct {
	Kind            string // Deployment, StatefulSet, ReplicaSet or ReplicationController
	Namespace, Name string
	UID             UID
	From, To        int32 // From is at least 1: the API leaves a zero out
	DryRun          DryRun
}

// RestartRequest rolls a Deployment out anew, as `kubectl rollout restart` does. It
// fails with 409 if the Deployment changed since ResourceVersion.
type RestartRequest struct {
	Namespace, Name string
	UID             UID
	ResourceVersion string
	At              time.Time
	DryRun          DryRun
}

// Scale changes the number of replicas through the scale subresource.
func (c *Cluster) Scale(ctx context.Context, r ScaleRequest) Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", FieldManager)
	return c.send(ctx, http.MethodPatch, workloadPath(r.Kind, r.Namespace, r.Name)+"/scale", query, contentJSONPatch, []map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": r.UID},
		{"op": "test", "path": "/spec/replicas", "value": r.From},
		{"op": "replace", "path": "/spec/replicas", "value": r.To},
	}, nil)
}

// Restart changes the pod template's annotation that kubectl uses for it
// (k8s.io/kubectl pkg/polymorphichelpers/objectrestarter.go).
func (c *Cluster) Restart(ctx context.Context, r RestartRequest) Answer {
	query := dryRunQuery(r.DryRun)
	query.Set("fieldManager", FieldManager)
	metadata := map[string]any{"uid": r.UID}
	if r.ResourceVersion != "" {
		metadata["resourceVersion"] = r.ResourceVersion
	}
	annotations := map[string]any{RestartedAtAnnotation: r.At.UTC().Format(time.RFC3339)}
	return c.send(ctx, http.MethodPatch, workloadPath("Deployment", r.Namespace, r.Name), query, contentMergePatch, map[string]any{
		"metadata": metadata,
		"spec":     map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": annotations}}},
	}, nil)
}

const contentJSONPatch = "application/json-patch+json"

// ScaleResources are the resources with a scale that a run may change, by kind.
var ScaleResources = map[string]Permission{
	"Deployment":            {Verb: "patch", Group: "apps", Resource: "deployments", Subresource: "scale"},
	"StatefulSet":           {Verb: "patch", Group: "apps", Resource: "statefulsets", Subresource: "scale"},
	"ReplicaSet":            {Verb: "patch", Group: "apps", Resource: "replicasets", Subresource: "scale"},
	"ReplicationController": {Verb: "patch", Resource: "replicationcontrollers", Subresource: "scale"},
}

func workloadPath(kind, namespace, name string) string {
	of := ScaleResources[kind]
	root := "/api/v1"
	if of.Group != "" {
		root = "/apis/" + of.Group + "/v1"
	}
	return root + "/namespaces/" + url.PathEscape(namespace) + "/" + of.Resource + "/" + url.PathEscape(name)
}
