package request

import (
	"strings"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Fields are fields of an object that a request changes, and what they have before and after. Facts of remedies are
// compared, so the values are text.
type Fields struct {
	APIVersion string `json:"apiVersion"` // of the object: "v1", "longhorn.io/v1beta2"
	Resource   string `json:"resource"`   // "pods"
	Under      string `json:"under"`      // their parent: "spec", "metadata.annotations"
	From       string `json:"from"`       // JSON object with the value of each field; null is one that is not set
	To         string `json:"to"`
}

// Back are the fields for the request that takes the change back.
func (f Fields) Back() Fields {
	f.From, f.To = f.To, f.From
	return f
}

// SetFields changes fields of one object, all of them in one patch. It fails with 422 if one of them has another value
// than From says, or if another UID has the name.
type SetFields struct {
	Kind, Namespace, Name string
	UID                   kube.UID
	Fields
}

// Path is the path of the object on the API server.
func (r SetFields) Path() string {
	root := "/apis/"
	if !strings.Contains(r.APIVersion, "/") {
		root = "/api/"
	}
	return root + r.APIVersion + "/namespaces/" + r.Namespace + "/" + r.Resource + "/" + r.Name
}

// Right is what the request needs.
func (r SetFields) Right() Permission {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		group = ""
	}
	return Permission{Verb: "patch", Group: group, Resource: r.Resource, Namespace: r.Namespace}
}
