package app

import (
	"context"
	"slices"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/drain/reads"
	"github.com/kdrain-tui/kdrain-tui/drain/selection"
	"github.com/kdrain-tui/kdrain-tui/kube"
	"github.com/kdrain-tui/kdrain-tui/kube/watch"
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
// recreated. Only a plan that somebody reads, or that decides, needs them.
var servingKinds = []kube.Kind{
	kube.KindServices, kube.KindValidatingWebhooks, kube.KindMutatingWebhooks, kube.KindAutoscalers, kube.KindQuotas,
}

// startKinds are those of them that decide what a drain does.
var startKinds = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets}

var essentialKinds = []kube.Kind{kube.KindNodes, kube.KindPods}

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

// namesOf are the nodes that are meant, as far as that can be told before any is read; nil where it cannot.
func namesOf(ctx context.Context, c Cluster, sel Selection) []string {
	if sel.Selector == "" {
		return sel.Names()
	}
	names, err := c.NodeNames(ctx, sel.Selector)
	if err != nil {
		return nil // the list of all nodes meets the same, and says it
	}
	return names
}

// narrow reports whether a drain under the options is judged from its own nodes and the namespaces of their pods. A
// guard counts pods all over the cluster, a surge and the remedy scale look for room, rules of Cluster API select by
// labels of namespaces, and what a dead run left may be anywhere.
func narrow(o *plan.Options) bool {
	return !o.FailOnBlockers && len(o.TakeOver) == 0 && o.Guard == "" && !o.BlockSingleReplica && !o.AllowScale &&
		o.Surge == "" && !o.Honors(plan.HonorClusterAPI) && o.DrainRules == nil
}

// readsOf is what a run is judged from that is gone on with.
func readsOf(s *drain.State) reads.Drain {
	d := reads.Drain{Nodes: nodesOf(&s.Run), Options: &s.Run.Options}
	for _, p := range s.Pods {
		d.Namespaces = append(d.Namespaces, p.Namespace)
		for i := range p.Volumes {
			d.Claims = append(d.Claims, reads.Claim{Namespace: p.Namespace, Name: p.Volumes[i].Claim})
		}
	}
	return d
}

// needsOf are those scopes of a drain that are of the kinds; none means all kinds.
func needsOf(d reads.Drain, kinds ...kube.Kind) watch.Needs {
	return func(s *kube.Snapshot) ([]kube.Scope, bool) {
		return slices.DeleteFunc(reads.Of(s, d), func(of kube.Scope) bool {
			return len(kinds) > 0 && !slices.Contains(kinds, of.Kind)
		}), false
	}
}
