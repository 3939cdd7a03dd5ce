package write

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/request"
)

// target is the object that a request is about: where it is, and what an answer must say
// to be about it.
type target struct {
	root      string // path of the API group and version
	namespace string
	resource  string
	name      string // "" where the server makes it
	sub       string // subresource, "" for the object itself
	kind      string // of what is answered
}

func node(name string) target {
	return target{root: "/api/v1", resource: "nodes", name: name, kind: "Node"}
}

func pod(namespace, name string) target {
	return target{root: "/api/v1", namespace: namespace, resource: "pods", name: name, kind: "Pod"}
}

func budget(namespace, name string) target {
	return target{root: "/apis/policy/v1", namespace: namespace, resource: "poddisruptionbudgets", name: name,
		kind: "PodDisruptionBudget"}
}

func lease(namespace, name string) target {
	return target{root: "/apis/coordination.k8s.io/v1", namespace: namespace, resource: "leases", name: name,
		kind: "Lease"}
}

// workload is one of the kinds in request.ScaleResources.
func workload(kind, namespace, name string) target {
	of := request.ScaleResources[kind]
	root := "/api/v1"
	if of.Group != "" {
		root = "/apis/" + of.Group + "/v1"
	}
	return target{root: root, namespace: namespace, resource: of.Resource, name: name, kind: kind}
}

// under is a subresource, which answers with objects of a kind of its own.
func (t target) under(sub, kind string) target {
	t.sub, t.kind = sub, kind
	return t
}

// creates reports whether a request of that method makes the object.
func (t target) creates(method string) bool { return method == http.MethodPost && t.sub == "" }

// path is where a request of that method goes.
func (t target) path(method string) string {
	path := t.root
	if t.namespace != "" {
		path += "/namespaces/" + url.PathEscape(t.namespace)
	}
	path += "/" + t.resource
	if !t.creates(method) {
		path += "/" + url.PathEscape(t.name)
	}
	if t.sub != "" {
		path += "/" + t.sub
	}
	return path
}

// missing reports whether the message of a 404 is that of an API server that does not find
// the object, or the namespace in which it is to be made: `pods "x" not found`
// (apimachinery pkg/api/errors NewNotFound). The group and a subresource may follow the
// resource.
func (t target) missing(method, message string) bool {
	resource, name := t.resource, t.name
	if t.creates(method) {
		resource, name = "namespaces", t.namespace
	}
	what, rest, _ := strings.Cut(message, " ")
	return (what == resource || strings.HasPrefix(what, resource+".") || strings.HasPrefix(what, resource+"/")) &&
		rest == fmt.Sprintf("%q not found", name)
}

// result is what every object that a server answers with says of itself.
type result struct {
	Kind     string `json:"kind"`
	Status   any    `json:"status"` // a word in a Status, else what the kind makes of it
	Metadata struct {
		Name            string   `json:"name"`
		UID             kube.UID `json:"uid"`
		ResourceVersion string   `json:"resourceVersion"`
	} `json:"metadata"`
	Message string `json:"message"`
	Details struct {
		UID kube.UID `json:"uid"`
	} `json:"details"`
}

// statusKind is the kind of an answer that is no object.
const statusKind = "Status"

// check is why an answer is none to a request of that method, nil where it is one: the
// object itself, or for an eviction and a deletion a Status that says Success
// (apiserver pkg/endpoints/handlers create.go and delete.go).
func (t target) check(method string, r *result) error {
	switch {
	case r.Kind == statusKind && (t.kind == statusKind || method == http.MethodDelete):
		if r.Status != metav1.StatusSuccess {
			return fmt.Errorf("it is a Status %q", r.Status)
		}
	case r.Kind != t.kind:
		return fmt.Errorf("its kind is %q", r.Kind)
	case t.name != "" && r.Metadata.Name != t.name:
		return fmt.Errorf("its name is %q, not %q", r.Metadata.Name, t.name)
	case r.Metadata.UID == "":
		return fmt.Errorf("it has no UID")
	}
	return nil
}
