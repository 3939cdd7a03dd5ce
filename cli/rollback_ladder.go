package cli

import (
	"context"
	"slices"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// scalesOpen are the kinds whose replicas the run may have left changed, and the
// rights to look at them.
func (b *rollbacker) scalesOpen() (kinds []kube.Kind, rules []kube.Permission) {
	for _, r := range b.state.Rungs {
		kind, known := r.ScaleKind()
		if !known || !r.Leftover() || slices.Contains(kinds, kind) {
			continue
		}
		kinds = append(kinds, kind)
		rules = append(rules, kube.Permission{Verb: "list", Group: groups[kind], Resource: string(kind)})
	}
	return kinds, rules
}

// scalesSeen refuses to take what may not be read for gone.
func (b *rollbacker) scalesSeen(s *kube.Snapshot) error {
	kinds, _ := b.scalesOpen()
	for _, k := range kinds {
		if sync := s.Sync(k); sync.Phase == kube.Denied {
			return &failure{code: ExitPermission, text: "cannot list " + string(k) + ": " + sync.Reason,
				hint: "the run changed replicas; nothing was changed now"}
		}
	}
	return nil
}

func (b *rollbacker) scaleWriteRules() []kube.Permission {
	var rules []kube.Permission
	for _, u := range b.plan {
		if u.Scale == nil {
			continue
		}
		right := kube.ScaleResources[u.Scale.Kind]
		right.Namespace = u.Scale.Namespace
		if !slices.Contains(rules, right) {
			rules = append(rules, right)
		}
	}
	return rules
}

// taintShown is how long the watch may take to show that a taint is gone.
const taintShown = 10 * time.Second

// awaitTaint waits until the watch shows that the taint is gone: the cordon of the
// same node is taken back by its version.
func (b *rollbacker) awaitTaint(ctx context.Context, node string) {
	ctx, cancel := context.WithTimeout(ctx, taintShown)
	defer cancel()
	changed := b.source.Changed(ctx)
	for {
		if n := b.source.Snapshot().Node(node); n == nil || !n.OutOfService() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return // the server refuses what is out of date, and that is said
		}
	}
}
