package cli

import (
	"context"
	"fmt"

	"github.com/kdrain-tui/kdrain-tui/drain"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// settleEvictions asks which evictions the server takes, as kubectl does before
// a drain. One that takes none makes the drain delete: sent all the same, an
// eviction would be answered by a 404 that looks like a pod that is gone.
func (p *Program) settleEvictions(ctx context.Context, c *Cluster, o *drain.Options) error {
	if c.Evictions == nil || o.DisableEviction {
		return nil
	}
	version, err := c.Evictions(ctx)
	switch {
	case err != nil:
		return err
	case version == kube.NoEviction:
		o.DisableEviction = true
		fmt.Fprintln(p.Err, "Warning: the API server takes no evictions: pods are deleted instead, as with --disable-eviction; no PodDisruptionBudget protects them")
	case version == kube.EvictionV1beta1:
		fmt.Fprintln(p.Err, "the API server takes evictions as "+string(version)+" only: they are sent as that")
	}
	return nil
}
