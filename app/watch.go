package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/drain/checklist"
	"github.com/kdrain-tui/kdrain-tui/drain/plan"
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
	nodes, err := plan.SelectNodes(s, sel.Args, sel.Selector)
	if err != nil {
		return nil, &Error{Err: err, Hint: "nothing was changed; " + target.Line("kubectl get nodes") + " lists them"}
	}
	return nodes, nil
}

// scope is what a command on nodes is about, and what must be known before its plan.
type scope struct {
	selection Selection
	needs     []kube.Kind
	nodes     []string // that it begins with, nil where it begins with the whole cluster
	read      bool     // somebody reads the plan
}

// Observe watches the kinds, of all nodes.
func (s *Session) Observe(ctx context.Context, kinds ...kube.Kind) {
	s.Source = s.Watch(ctx, nil, kinds...)
}

// ObservePlan watches all that a plan for the nodes tells.
func (s *Session) ObservePlan(ctx context.Context, sel Selection) {
	s.scope = scope{selection: sel, needs: planKinds, read: true}
	s.Observe(ctx, planKinds...)
}

// ObserveDrain watches what a drain of the nodes needs. Where somebody reads its plan
// first, or its options make it depend on all of the plan, that is all of a plan;
// any other drain begins with less: what only explains more of it comes in meanwhile.
func (s *Session) ObserveDrain(ctx context.Context, sel Selection, o plan.Options, read bool) {
	first := s.firstNodes(ctx, sel, o)
	if read || o.FailOnBlockers || o.Guard != "" || o.BlockSingleReplica || o.AllowScale {
		s.scope = scope{selection: sel, needs: planKinds, read: true}
		s.Source = s.Watch(ctx, first, planKinds...)
		return
	}
	s.scope = scope{selection: sel, needs: startKinds, nodes: first}
	s.Source = s.Watch(ctx, first, slices.DeleteFunc(slices.Clone(planKinds), func(k kube.Kind) bool {
		return slices.Contains(servingKinds, k) && !slices.Contains(checklist.Kinds, k)
	})...)
}

// ObserveRun watches what a run needs that goes on: all that the dashboard shows, or
// what is about its nodes first.
func (s *Session) ObserveRun(ctx context.Context, run *drain.RunFacts, everything bool) {
	s.scope = scope{needs: startKinds}
	if everything {
		s.Observe(ctx, kube.Kinds...)
		return
	}
	s.scope.nodes = firstOf(nodesOf(run), run.Options)
	s.Source = s.Watch(ctx, s.scope.nodes, planKinds...)
}

// firstNodes are the nodes that a drain begins with, nil where it begins with the
// whole cluster.
func (s *Session) firstNodes(ctx context.Context, sel Selection, o plan.Options) []string {
	if sel.Selector == "" {
		return firstOf(sel.Names(), o)
	}
	names, err := s.NodeNames(ctx, sel.Selector)
	if err != nil {
		return nil // the list of all nodes meets the same, and says it
	}
	return firstOf(names, o)
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

// patience is how long the wait for the first lists stays silent.
const patience = 3 * time.Second

// Synced returns the first snapshot in which every kind is in. Where nodes are named,
// only these are needed, and of the pods those on them. A kind without which nothing
// works is an *Error where it may not be listed.
func (s *Session) Synced(ctx context.Context, kinds []kube.Kind, nodes ...string) (*kube.Snapshot, error) {
	return s.awaitKinds(ctx, func(snapshot *kube.Snapshot) ([]string, error) { return missingKinds(snapshot, kinds, nodes) })
}

// Read is Synced for what only explains more: it may as well be denied.
func (s *Session) Read(ctx context.Context, kinds []kube.Kind) (*kube.Snapshot, error) {
	return s.awaitKinds(ctx, func(snapshot *kube.Snapshot) ([]string, error) {
		missing, _ := missingKinds(snapshot, kinds, nil) // an error tells that a kind is denied
		return missing, nil
	})
}

func (s *Session) awaitKinds(ctx context.Context, look func(*kube.Snapshot) (missing []string, err error)) (*kube.Snapshot, error) {
	changed := s.Changed(ctx)
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		snapshot := s.Snapshot()
		missing, err := look(snapshot)
		if err != nil || len(missing) == 0 {
			return snapshot, err
		}
		select {
		case <-changed:
		case <-silent.C:
			silent.Reset(10 * patience)
			line := "reading the cluster: " + strings.Join(missing, ", ") + " not complete yet"
			if h := snapshot.Health(); !h.Live && h.Reason != "" {
				line += "; the API server does not answer: " + h.Reason
			}
			s.report(line)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// await returns once the snapshot is as it should be, or the context ends, with its
// cause. until is when it is to look again without a change, zero for not.
func (s *Session) await(ctx context.Context, done func(*kube.Snapshot) (ok bool, until time.Time)) error {
	changed := s.Changed(ctx)
	for {
		ok, until := done(s.Snapshot())
		if ok {
			return nil
		}
		timer := time.NewTimer(until.Sub(s.Now()))
		if until.IsZero() {
			timer.Stop()
		}
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func missingKinds(s *kube.Snapshot, kinds []kube.Kind, nodes []string) (missing []string, err error) {
	for _, k := range kinds {
		state := syncOf(s, k, nodes)
		switch {
		case state.Phase == kube.Denied && slices.Contains(essentialKinds, k):
			return nil, &Error{
				Reason: ReasonForbidden, Text: fmt.Sprintf("cannot list %s: %s", k, state.Reason),
				Hint: "the user needs the rule: list " + string(k),
			}
		case state.Phase == kube.NotSynced:
			missing = append(missing, fmt.Sprintf("%s (%d)", k, state.Count))
		}
	}
	return missing, nil
}

// syncOf is the sync state of a kind; of nodes and pods, where nodes are named, that
// of the first of them that is not known yet.
func syncOf(s *kube.Snapshot, k kube.Kind, nodes []string) kube.SyncState {
	if len(nodes) == 0 || !slices.Contains(essentialKinds, k) {
		return s.Sync(k)
	}
	var state kube.SyncState
	for _, node := range nodes {
		state = s.SyncOn(k, node)
		if state.Phase == kube.NotSynced || state.Phase == kube.Denied {
			break
		}
	}
	return state
}
