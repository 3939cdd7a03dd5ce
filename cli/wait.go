package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
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
// made anew. Only a plan that somebody reads, or that decides, needs them: a drain
// without one does not even watch them.
var servingKinds = []kube.Kind{
	kube.KindServices, kube.KindValidatingWebhooks, kube.KindMutatingWebhooks, kube.KindAutoscalers, kube.KindQuotas,
}

// startKinds are those of them that decide what a drain does; of nodes and pods it
// needs those that it is about.
var startKinds = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets}

var essentialKinds = []kube.Kind{kube.KindNodes, kube.KindPods}

// patience is how long the wait for the first lists stays silent.
const patience = 3 * time.Second

// waitSynced returns the first snapshot in which every needed kind is in. Where
// nodes are named, only these are needed, and of the pods those on them.
func waitSynced(ctx context.Context, source drain.Source, kinds []kube.Kind, progress io.Writer, nodes ...string) (*kube.Snapshot, error) {
	return waitFor(ctx, source, progress, func(s *kube.Snapshot) ([]string, error) { return missingKinds(s, kinds, nodes) })
}

// waitRead is waitSynced for what only explains more: it may as well be denied.
func waitRead(ctx context.Context, source drain.Source, kinds []kube.Kind, progress io.Writer) (*kube.Snapshot, error) {
	return waitFor(ctx, source, progress, func(s *kube.Snapshot) ([]string, error) {
		missing, _ := missingKinds(s, kinds, nil) // an error tells that a kind is denied
		return missing, nil
	})
}

func waitFor(
	ctx context.Context, source drain.Source, progress io.Writer, look func(*kube.Snapshot) (missing []string, err error),
) (*kube.Snapshot, error) {
	changed := source.Changed(ctx)
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		s := source.Snapshot()
		missing, err := look(s)
		if err != nil || len(missing) == 0 {
			return s, err
		}
		select {
		case <-changed:
		case <-silent.C:
			silent.Reset(10 * patience)
			line := "reading the cluster: " + strings.Join(missing, ", ") + " not complete yet"
			if h := s.Health(); !h.Live && h.Reason != "" {
				line += "; the API server does not answer: " + h.Reason
			}
			fmt.Fprintln(progress, line)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func missingKinds(s *kube.Snapshot, kinds []kube.Kind, nodes []string) (missing []string, err error) {
	for _, k := range kinds {
		state := syncOf(s, k, nodes)
		switch {
		case state.Phase == kube.Denied && slices.Contains(essentialKinds, k):
			return nil, &failure{
				code: ExitPermission, text: fmt.Sprintf("cannot list %s: %s", k, state.Reason),
				hint: "the user needs the rule: list " + string(k),
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
