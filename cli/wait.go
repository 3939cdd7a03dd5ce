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

// startKinds are those of them that decide what a drain does.
var startKinds = []kube.Kind{kube.KindNodes, kube.KindPods, kube.KindBudgets, kube.KindDaemonSets}

var essentialKinds = []kube.Kind{kube.KindNodes, kube.KindPods}

// patience is how long the wait for the first lists stays silent.
const patience = 3 * time.Second

// waitSynced returns the first snapshot in which every needed kind is in.
func waitSynced(ctx context.Context, source drain.Source, kinds []kube.Kind, progress io.Writer) (*kube.Snapshot, error) {
	changed := source.Changed(ctx)
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		s := source.Snapshot()
		missing, err := missingKinds(s, kinds)
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

func missingKinds(s *kube.Snapshot, kinds []kube.Kind) (missing []string, err error) {
	for _, k := range kinds {
		state := s.Sync(k)
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
