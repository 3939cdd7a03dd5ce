package app

import (
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/selection"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// planKinds are the kinds that must be in before anything is said of a drain.
// Those that are not essential may be denied: what depends on them is then
// called unknown.
var planKinds = append([]kube.Kind{
	kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets, kube.KindReplicaSets,
	kube.KindStatefulSets, kube.KindJobs, kube.KindReplicationControllers, kube.KindDeployments,
	// Where the pods could go:
	kube.KindClaims, kube.KindVolumes, kube.KindStorageClasses, kube.KindCSINodes, kube.KindCSIDrivers,
	kube.KindAttachments, kube.KindNamespaces,
	kube.KindLeases, // who else is at work
}, servingKinds...)

// servingKinds tell what goes out of service with the pods, and whether they are
// recreated. Only a plan that somebody reads, or that decides, needs them: a drain
// without one does not even watch them, but for what the checklist at its end asks of.
var servingKinds = []kube.Kind{
	kube.KindServices, kube.KindValidatingWebhooks, kube.KindMutatingWebhooks, kube.KindAutoscalers, kube.KindQuotas,
}

// startKinds are those of them that decide what a drain does; of nodes and pods it
// needs those that it is about.
var startKinds = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets}

var essentialKinds = []kube.Kind{kube.KindNodes, kube.KindPods}

// On a large cluster a drain does not wait until all of it is read: what concerns
// its nodes comes first.

// firstMost is the number of nodes up to which each has watches of its own. From
// there on they would be a burden, and the drain takes long in any case.
const firstMost = 50

// firstKinds come first beside the nodes and their pods: who may be evicted, and
// who else is at work.
var firstKinds = []kube.Kind{kube.KindBudgets, kube.KindDaemonSets, kube.KindLeases}

// Selection says which nodes are meant: by name, as NAME or node/NAME, or by a label
// selector.
type Selection struct {
	Args     []string
	Selector string
}

// Names are the names in the arguments, as far as they can be told without asking.
func (sel Selection) Names() []string {
	names := make([]string, len(sel.Args))
	for i, arg := range sel.Args {
		names[i] = arg[strings.LastIndexByte(arg, '/')+1:]
	}
	return names
}

// Nodes are the nodes that are meant, in the order given and each once. The error is
// an *Error, whose hint is for the target.
func (sel Selection) Nodes(s *kube.Snapshot, target plan.Target) ([]string, error) {
	nodes, err := selection.Nodes(s, sel.Args, sel.Selector)
	if err != nil {
		return nil, &Error{Err: err, Hint: "nothing was changed; " + target.Line("kubectl get nodes") + " lists them"}
	}
	return nodes, nil
}

// firstOf are the nodes to begin with out of those of a run. A guard counts the pods
// of its workloads all over the cluster.
func firstOf(nodes []string, o plan.Options) []string {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return name == "" })
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if len(nodes) > firstMost || o.Guard != "" {
		return nil
	}
	return nodes
}
