package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// awaitHolders waits until it is known of every other run that has the Lease over a node
// of this one whether it lives: it renews the Lease, or the Lease lapses, by our own clock.
// A node of a run that is dead is then free, as for a drain or a resume.
func (b *rollbacker) awaitHolders(ctx context.Context, s *kube.Snapshot) (*kube.Snapshot, error) {
	changed := b.source.Changed(ctx)
	for said := false; ; said = true {
		now := b.p.Now()
		hold, lapses := drain.OpenHold(b.state, s, now)
		if hold == "" || !lapses.After(now) {
			return s, nil
		}
		if !said {
			b.say(fmt.Sprintf("%s; looking for up to %s whether that run lives", hold, lapses.Sub(now).Round(time.Second)))
		}
		timer := time.NewTimer(lapses.Sub(now))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		s = b.source.Snapshot()
	}
}

// release gives a Lease back.
func (b *rollbacker) release(ctx context.Context, lease kube.LeaseRef) kube.Answer {
	if w, ok := b.cluster.Writer.(kube.LeaseWriter); ok {
		return w.DeleteLease(ctx, lease)
	}
	return kube.Answer{Failure: "Leases cannot be written here", Unsent: true}
}
