package kubetest

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Watched is a view of a cluster that changes; *kube.Store and *watch.Watcher are two.
type Watched interface {
	Snapshot() *kube.Snapshot
	Changed(ctx context.Context) <-chan struct{}
}

// WaitSynced blocks until each of the kinds is synced or denied, or until the context
// ends.
func WaitSynced(ctx context.Context, w Watched, kinds ...kube.Kind) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := w.Changed(ctx)
	for {
		s := w.Snapshot()
		settled := true
		for _, k := range kinds {
			phase := s.Sync(k).Phase
			settled = settled && (phase == kube.Synced || phase == kube.Denied)
		}
		if settled {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
