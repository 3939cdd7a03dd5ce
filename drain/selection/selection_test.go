package selection

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kdrain-tui/kdrain-tui/kube/kubetest"
)

// The forms and errors of k8s.io/cli-runtime pkg/resource/builder.go and of
// k8s.io/kubectl pkg/cmd/drain/drain.go Complete.
func TestNodes(t *testing.T) {
	zone := func(name string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Labels["zone"] = name }
	}
	s := kubetest.SnapshotOf(kubetest.Now, kubetest.Node("w1", zone("a")), kubetest.Node("w2", zone("b")), kubetest.Node("w3", zone("a")))
	table := []struct {
		name     string
		args     []string
		selector string
		want     []string
		err      string
	}{
		{"names in their order, each once", []string{"w3", "w1", "w3"}, "", []string{"w3", "w1"}, ""},
		{"all forms of one node", []string{"w1", "node/w1", "nodes/w2", "no/w3", "Node/w2"}, "", []string{"w1", "w2", "w3"}, ""},
		{"selector", nil, "zone=a", []string{"w1", "w3"}, ""},
		{"selector with spaces around", nil, " zone in (a, b) ", []string{"w1", "w2", "w3"}, ""},
		{"selector that no node matches", nil, "zone=c", []string{}, ""},
		{"neither", nil, "", nil, "USAGE: NODE... or --selector is needed"},
		{"both", []string{"w1"}, "zone=a", nil, "cannot specify both a node name and a --selector option"},
		{"unknown nodes", []string{"w1", "x", "node/y"}, "", nil, `nodes "x" not found, nodes "y" not found`},
		{"bad selector", nil, "=a", nil, `Unable to find "/v1, Resource=nodes" that match label selector "=a", field selector "": found '=', expected: !, identifier, or 'end of string'`},
		{"too many slashes", []string{"node/w1/x"}, "", nil, "arguments in resource/name form may not have more than one slash"},
		{"no name", []string{"node/"}, "", nil, "arguments in resource/name form must have a single resource and name"},
		{"no type", []string{"/w1"}, "", nil, "arguments in resource/name form must have a single resource and name"},
		{"two types", []string{"no,po/w1"}, "", nil, "arguments in resource/name form must have a single resource and name"},
		{"another type", []string{"pods/w1"}, "", nil, `expected resource of type node, got "pods"`},
		{"empty name", []string{""}, "", nil, "resource name may not be empty"},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			got, err := Nodes(s, row.args, row.selector)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if !slices.Equal(got, row.want) || message != row.err {
				t.Errorf("%v, %s", got, message)
			}
		})
	}
	_, err := Nodes(s, nil, "=")
	var bad *SelectorError
	if !errors.As(err, &bad) || bad.Unwrap() == nil {
		t.Errorf("%v is no SelectorError", err)
	}
}
