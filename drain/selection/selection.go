package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Usage errors of a selection of nodes, in kubectl's words (pkg/cmd/drain/
// drain.go Complete).
var (
	ErrNoNodes          = errors.New("USAGE: NODE... or --selector is needed")
	ErrNodesAndSelector = errors.New("cannot specify both a node name and a --selector option")
)

// SelectorError is a label selector of nodes that cannot be read: a usage error.
type SelectorError struct {
	Selector string
	Err      error
}

func (e *SelectorError) Error() string {
	return fmt.Sprintf("Unable to find \"/v1, Resource=nodes\" that match label selector %q, field selector \"\": %v", e.Selector, e.Err)
}

func (e *SelectorError) Unwrap() error { return e.Err }

// ArgumentError is an argument that does not name a node: a usage error.
type ArgumentError struct {
	Argument string
	Message  string
}

func (e *ArgumentError) Error() string { return e.Message }

// UnknownNodesError names nodes that do not exist.
type UnknownNodesError struct {
	Names []string
}

// Error is what the API server answers to kubectl's GET of a node.
func (e *UnknownNodesError) Error() string {
	lines := make([]string, len(e.Names))
	for i, name := range e.Names {
		lines[i] = fmt.Sprintf("nodes %q not found", name)
	}
	return strings.Join(lines, ", ")
}

// Nodes names the nodes that arguments or a label selector mean, each
// once: arguments in the order given, selected ones by name. A selector that no
// node matches selects nothing, which is no error, as in kubectl.
func Nodes(s *kube.Snapshot, args []string, selector string) ([]string, error) {
	switch {
	case len(args) == 0 && selector == "":
		return nil, ErrNoNodes
	case len(args) > 0 && selector != "":
		return nil, ErrNodesAndSelector
	case selector != "":
		return nodesMatching(s, selector)
	}
	names := make([]string, 0, len(args))
	for _, arg := range args {
		name, err := nodeArgument(arg)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return Known(s, names)
}

func nodesMatching(s *kube.Snapshot, text string) ([]string, error) {
	selector, err := labels.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, &SelectorError{Selector: text, Err: err}
	}
	names := []string{}
	for _, n := range s.Nodes() {
		if selector.Matches(n.Labels) {
			names = append(names, n.Name)
		}
	}
	return names, nil
}

// Known drops repetitions and fails if any of the nodes does not exist.
func Known(s *kube.Snapshot, names []string) ([]string, error) {
	known := make([]string, 0, len(names))
	unknown := &UnknownNodesError{}
	for _, name := range names {
		switch {
		case slices.Contains(known, name) || slices.Contains(unknown.Names, name):
		case s.Node(name) == nil:
			unknown.Names = append(unknown.Names, name)
		default:
			known = append(known, name)
		}
	}
	if len(unknown.Names) > 0 {
		return nil, unknown
	}
	return known, nil
}

// nodeArgument reads NAME or TYPE/NAME, with the rules and errors of kubectl's
// resource builder (k8s.io/cli-runtime pkg/resource/builder.go ResourceNames,
// splitResourceTypeName) and of drain.go Complete for another type.
func nodeArgument(arg string) (string, error) {
	kind, name, found := strings.Cut(arg, "/")
	switch {
	case !found && arg == "":
		return "", &ArgumentError{arg, "resource name may not be empty"}
	case !found:
		return arg, nil
	case strings.Contains(name, "/"):
		return "", &ArgumentError{arg, "arguments in resource/name form may not have more than one slash"}
	case kind == "" || name == "" || strings.Contains(kind, ","):
		return "", &ArgumentError{arg, "arguments in resource/name form must have a single resource and name"}
	}
	switch strings.ToLower(kind) {
	case "node", "nodes", "no", "nodes.v1.", "node.v1.", "no.v1.":
		return name, nil
	}
	return "", &ArgumentError{arg, fmt.Sprintf("expected resource of type node, got %q", kind)}
}
