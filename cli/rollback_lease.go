package cli

import (
	"context"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// release gives a Lease back.
func (b *rollbacker) release(ctx context.Context, lease kube.LeaseRef) kube.Answer {
	if w, ok := b.cluster.Writer.(kube.LeaseWriter); ok {
		return w.DeleteLease(ctx, lease)
	}
	return kube.Answer{Failure: "Leases cannot be written here", Unsent: true}
}
